"""Users' questions become questions with plans."""

from pathlib import Path

import pytest

from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from question_sets.records import QuestionRecord
from services.retriever.plans.judging.results import answers_of
from services.retriever.plans.planner import Planner
from services.retriever.plans.schema.graph_view import GraphView
from tests.fakes.planning import Script, ScriptedPlans
from tests.support.property_graphs import film_graph, write_graph_file
from training.planning.users_questions import UsersQuestions, users_questions

_COUNT = "KIND:Film GROUP COUNT_ROWS END"
_FILMS = "KIND:Film RETURN VARIABLE:0 END"
_QUESTION = "How many films are there?"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GraphStore:
    file = Path(tmp_path_factory.mktemp("graph")) / "films.sqlite"
    write_graph_file(film_graph(), file)
    return SqliteGraphStore(file, 5.0)


async def _found(store: GraphStore, record: QuestionRecord, script: Script = ()) -> UsersQuestions:
    planner = Planner(store, lambda elements: ScriptedPlans({record.question: script}, elements))
    return await users_questions(await GraphView.of(store), [record], planner)


async def test_a_plan_and_a_cypher_query_are_taken_as_they_are(store: GraphStore) -> None:
    record = QuestionRecord.model_validate({"question": _QUESTION, "cypher": "MATCH (f:Film) RETURN count(f) AS n"})

    [question] = (await _found(store, record)).questions

    assert answers_of(await store.run(question.plan)) == {20.0}
    again = QuestionRecord(question=_QUESTION, plan=question.plan)
    assert (await _found(store, again)).questions == [question]


async def test_a_path_becomes_a_plan_with_the_same_answers(store: GraphStore) -> None:
    graph = film_graph()
    link = next(one for one in graph.relationships if one.type == "ACTED_IN")
    actor = str(graph.nodes[link.source].properties["name"])
    record = QuestionRecord(question="Which films?", topic=actor, answers=(), path=("ACTED_IN",))

    [question] = (await _found(store, record.model_copy(update={"answers": ("x",)}))).questions

    films = {row[0].name for row in (await store.run(question.plan)).rows}
    wanted = {
        str(graph.nodes[one.target].properties["title"])
        for one in graph.relationships
        if one.type == "ACTED_IN" and graph.nodes[one.source].properties["name"] == actor
    }
    assert films == wanted


async def test_answers_choose_the_plan_that_gives_them(store: GraphStore) -> None:
    record = QuestionRecord(question=_QUESTION, answers=("20",))

    [question] = (await _found(store, record, [(_FILMS, -0.1), (_COUNT, -0.5)])).questions

    assert answers_of(await store.run(question.plan)) == {20.0}


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"question": _QUESTION, "answers": ["21"]}, "no plan was found that gives the answers"),
        ({"question": _QUESTION, "answers": []}, "nothing says how it is answered"),
        ({"question": "q", "cypher": "MATCH (f:Movie) RETURN f"}, "Movie"),
        ({"question": "q", "cypher": "MATCH ("}, "cannot read the Cypher query"),
        ({"question": "q", "topic": "Nobody", "answers": ["x"], "path": ["ACTED_IN"]}, "no entity called 'Nobody'"),
    ],
)
async def test_questions_without_a_plan_are_kept_by_reason(
    store: GraphStore, record: dict[str, object], reason: str
) -> None:
    found = await _found(store, QuestionRecord.model_validate(record), [(_COUNT, -0.1)])

    assert found.questions == []
    [(said, questions)] = found.skipped.items()
    assert reason in said
    assert questions == [record["question"]]
