"""Paths or a plan answer, whichever is better."""

from dataclasses import replace

import pytest

from contracts.answers import AnswerType, ReplyWarning
from services.retriever.replies.choice import WeighedPath
from services.retriever.replies.reply import FoundAnswer, PathReply, PlanReply, withheld_warning
from tests.fakes.strategies import abstention, by_path

PLAN = PlanReply(
    answers=(FoundAnswer(value=1, score=0.8, evidence=()),),
    answer_type=AnswerType.NUMBER,
    confidence=0.8,
    graph_version="1",
)
NOTHING = PlanReply(graph_version="1")
PATH = by_path()
WARNING = ReplyWarning(kind="late", text="Too late.")
WITHHELD = replace(abstention(), topics=PATH.topics, confidence=0.85).warned(*withheld_warning(0.85, 0.3, 0.95))
NONE, MANY = frozenset[str](), frozenset({"how many"})


@pytest.mark.parametrize(
    ("path", "unread", "comes_first", "plan", "plan_answers"),
    [
        pytest.param(PATH, MANY, True, PLAN, True, id="words unread"),
        pytest.param(PATH, MANY, True, replace(PLAN, confidence=0.08), False, id="words unread, and a poor plan"),
        pytest.param(PATH, NONE, True, PLAN, False, id="a better path"),
        pytest.param(replace(PATH, confidence=0.7), NONE, True, PLAN, True, id="a better plan"),
        pytest.param(PATH, NONE, True, NOTHING, False, id="no plan"),
        pytest.param(PATH, NONE, False, replace(PLAN, confidence=0.3), True, id="plans come first"),
        pytest.param(PATH, NONE, False, NOTHING, False, id="plans come first, but have none"),
        pytest.param(replace(PATH, confidence=0.1), NONE, False, NOTHING, True, id="neither is certain"),
        pytest.param(abstention(), NONE, True, PLAN, True, id="no path"),
        pytest.param(replace(abstention(), topics=PATH.topics), NONE, True, PLAN, True, id="a clear plan"),
        pytest.param(
            replace(abstention(), topics=PATH.topics), NONE, True, replace(PLAN, confidence=0.6), False, id="silence"
        ),
        pytest.param(WITHHELD, NONE, True, replace(NOTHING, confidence=0.8), False, id="a likelier path is withheld"),
        pytest.param(WITHHELD, NONE, False, replace(NOTHING, confidence=0.8), False, id="so if plans come first"),
        pytest.param(WITHHELD, NONE, False, replace(NOTHING, confidence=0.9), True, id="a likelier plan is withheld"),
    ],
)
def test_one_of_both_answers(
    path: PathReply, unread: frozenset[str], comes_first: bool, plan: PlanReply, plan_answers: bool
) -> None:
    chosen = WeighedPath(path, unread, comes_first, least=0.3).against(plan)

    assert isinstance(chosen, PlanReply) is plan_answers


@pytest.mark.parametrize(("least", "answers"), [(0.05, True), (0.3, False)])
def test_a_path_that_leaves_words_unread_is_doubted_and_perhaps_withheld(least: float, answers: bool) -> None:
    chosen = WeighedPath(PATH, MANY, True, least).against(NOTHING if answers else replace(NOTHING, confidence=0.01))

    assert chosen.confidence == pytest.approx(0.1 * PATH.confidence)
    assert chosen.unread == ("how many",) and chosen.warnings[-1].kind == "unread"
    assert bool(chosen.answers) is answers
    assert (chosen.alternatives[0].answers == ["Paris"]) is not answers


def test_a_warning_instead_of_a_plan_is_passed_on() -> None:
    chosen = WeighedPath(PATH, NONE, True, 0.3).against(WARNING)

    assert chosen == PATH.warned(WARNING)


def test_a_silent_plan_keeps_the_topics_that_were_linked_for_the_path() -> None:
    silent = replace(PATH, answers=(), confidence=0.1)

    chosen = WeighedPath(silent, NONE, False, least=0.95).against(replace(NOTHING, confidence=0.5))

    assert isinstance(chosen, PlanReply)
    assert chosen.topics == PATH.topics
