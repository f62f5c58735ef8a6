import pytest

from evaluation.mistakes import Why, mistakes
from evaluation.outcomes import Outcome
from question_sets.records import QuestionRecord
from shared.graph.store import RelationPath, WalkRule
from tests.fakes.graph import InMemoryGraph

GRAPH = InMemoryGraph([("France", "capital", "Paris"), ("France", "borders", "Spain"), ("Spain", "capital", "Madrid")])
CAPITAL = QuestionRecord(question="capital of France", topic="France", answers=("Paris",), path=("capital",))
LOST = QuestionRecord(question="mayor of France", topic="France", answers=("Anne",), path=("capital",))
UNKNOWN = QuestionRecord(question="president of France", topic="France", answers=(), path=())
BARE = QuestionRecord(question="capital of France", topic=None, answers=("Paris",))


def outcome(
    record: QuestionRecord,
    *answers: str,
    topic: str = "France",
    path: RelationPath = ("capital",),
    failed: bool = False,
) -> Outcome:
    return Outcome(record, topic, len(path), path, answers, None, ms=1.0, failed=failed)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (outcome(CAPITAL, failed=True), Why.FAILED),
        (outcome(UNKNOWN, "Paris"), Why.ANSWERED),
        (outcome(LOST, "Paris"), Why.GRAPH),
        (outcome(CAPITAL, "Madrid", topic="Spain"), Why.LINKED),
        (outcome(CAPITAL), Why.SILENT),
        (outcome(CAPITAL, "Spain", path=("borders",)), Why.PATH),
        (outcome(CAPITAL, "Lyon", "Paris"), Why.ORDER),
        (outcome(BARE, "Spain", path=("borders",)), Why.PATH),
    ],
)
async def test_the_step_to_blame_is_named(wrong: Outcome, why: Why) -> None:
    [found] = await mistakes([wrong], GRAPH, WalkRule())
    assert found.why == why
    assert found.question == wrong.record.question


async def test_what_is_right_is_left_out_and_order_is_kept() -> None:
    outcomes = [outcome(LOST, "Paris"), outcome(CAPITAL, "Paris"), outcome(UNKNOWN), outcome(CAPITAL)]
    found = await mistakes(outcomes, GRAPH, WalkRule())
    assert [mistake.why for mistake in found] == [Why.GRAPH, Why.SILENT]
    assert await mistakes([], GRAPH, WalkRule()) == []
