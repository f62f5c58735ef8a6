import pytest

from services.retriever.plans.accounting.unread import Part, Unread
from services.retriever.plans.judging.held_back import completeness, held_back


@pytest.mark.parametrize(
    ("parts", "confidence", "rank"),
    [
        ([], 0.9, 1.0),
        ([Part.WORD, Part.WORD], 0.9, 1.0),
        ([Part.WORD, Part.NAME], 0.45, 0.1),
        ([Part.ELEMENT], 0.45, 0.1),
        ([Part.NAME, Part.OPERATOR], 0.09, 0.1),
        ([Part.CONSTRAINT], 0.09, 0.1),
    ],
)
def test_what_a_plan_leaves_unread_holds_its_confidence_back(parts: list[Part], confidence: float, rank: float) -> None:
    unread = [Unread("x", part) for part in parts]
    assert held_back(0.9, unread) == pytest.approx(confidence)
    assert completeness(unread) == rank


def test_a_low_confidence_stays_as_it_is_without_a_name() -> None:
    assert held_back(0.3, [Unread("Spain", Part.NAME)]) == 0.3


def test_a_plan_that_contradicts_its_question_is_doubted() -> None:
    assert held_back(0.9, [], is_wrong=True) == pytest.approx(0.09)
    assert completeness([], is_wrong=True) == 0.1


def test_a_plan_that_is_far_less_probable_than_another_is_doubted() -> None:
    assert held_back(0.9, [], is_improbable=True) == 0.45
    assert held_back(0.3, [], is_improbable=True) == 0.3
