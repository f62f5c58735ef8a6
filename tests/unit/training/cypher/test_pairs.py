"""Pairs hold the prompt of the strategy `cypher`, and a query."""

from pathlib import Path

import pytest

from graph.sqlite.store import SqliteGraphStore
from language.english.english import english
from question_sets.records import QuestionRecord
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.strategies.graph_prompt import graph_prompt
from services.retriever.strategies.guard import checked_plan, read_query
from tests.support.property_graphs import film_graph, write_graph_file
from training.cypher.pairs import CypherQuestion, brought, made_up, query_pairs
from training.planning.own_questions import OwnQuestions
from training.synthetic.plans.wordings import Split


@pytest.fixture
async def view(tmp_path: Path) -> GraphView:
    write_graph_file(film_graph(), tmp_path / "graph.sqlite")
    return await GraphView.of(SqliteGraphStore(tmp_path / "graph.sqlite", 5.0))


def _linker(view: GraphView) -> EntityLinker:
    return EntityLinker(view.store, WordSurprisal())


async def test_the_prompt_is_that_of_the_strategy(view: GraphView) -> None:
    linker = _linker(view)
    question = CypherQuestion("Who acted in Film 3?", "MATCH (f:Film) RETURN f")

    [pair] = await query_pairs([question], view, linker, 1)

    assert pair.completion == question.query
    asked = english(question.question)
    assert pair.prompt == (await graph_prompt(asked, await linker.link(asked), view)).text
    assert '(:Film {title: "Film 3"})' in pair.prompt


async def test_made_up_questions_are_distinct_and_their_queries_run(view: GraphView) -> None:
    own = await OwnQuestions.of(view, {}, 1)
    found = made_up(own, view, 60, 1)

    assert len({one.question for one in found}) == len(found) == 60
    assert found == made_up(own, view, 60, 1)
    for one in found:
        checked_plan(read_query(one.query), view.schema)
    assert {one.question for one in made_up(own, view, 20, 1, Split.HELD_OUT)}.isdisjoint(one.question for one in found)


async def test_the_users_queries_are_taken_as_they_are(view: GraphView) -> None:
    cypher = "MATCH (f:Film)\nRETURN  f"
    plan = read_query("MATCH (f:Film) RETURN f.year AS year")
    records = [
        QuestionRecord(question="a", answers=(), cypher=cypher),
        QuestionRecord(question="b", answers=(), plan=plan),
        QuestionRecord(question="c", answers=("x",)),
    ]

    assert brought(records, view) == [
        CypherQuestion("a", "MATCH (f:Film) RETURN f"),
        CypherQuestion("b", "MATCH (f:Film) RETURN f.year AS year"),
    ]
