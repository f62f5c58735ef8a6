import pytest

from graph.store import WalkRule
from question_sets.records import QuestionRecord
from tests.fakes.graph import InMemoryGraph
from training.retriever.walk_rule import fit_walk_rule, rule_name

GRAPH = InMemoryGraph([("France", "borders", "Spain"), ("Spain", "borders", "France"), ("France", "capital", "Paris")])


def record(question: str, topic: str | None, path: tuple[str, ...], *answers: str) -> QuestionRecord:
    return QuestionRecord(question=question, topic=topic, answers=answers, path=path)


@pytest.mark.parametrize(("mode", "gold"), [("trail", ("Madrid",)), ("walk", ("Paris", "Lyon", "Madrid"))])
async def test_the_walk_rule_that_reaches_the_gold_answers_is_chosen(mode: str, gold: tuple[str, ...]) -> None:
    graph = InMemoryGraph(
        [
            ("France", "seat", "Paris"),
            ("France", "seat", "Lyon"),
            ("Spain", "seat", "Lyon"),
            ("Spain", "seat", "Madrid"),
        ]
    )

    chosen, scores = await fit_walk_rule(graph, [record("q", "France", ("seat", "^seat", "seat"), *gold)], seed=1)

    assert chosen.mode == mode
    assert scores[rule_name(chosen)] == 1.0
    assert len(scores) == 4


async def test_the_topic_is_included_if_it_is_a_gold_answer() -> None:
    path = ("borders", "borders")

    chosen, _ = await fit_walk_rule(GRAPH, [record("q", "France", path, "France")], seed=1)

    assert chosen == WalkRule("trail", False)


async def test_without_usable_questions_the_rule_is_trail_without_topic() -> None:
    assert await fit_walk_rule(GRAPH, [record("q", None, ())], seed=1) == (WalkRule("trail", True), {})
    assert await fit_walk_rule(GRAPH, [record("q", "Atlantis", ("capital",), "x")], seed=1) == (WalkRule(), {})
