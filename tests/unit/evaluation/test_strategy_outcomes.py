"""Scores of single replies, their sums, and the upper bound over strategies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.strategy_outcomes import StrategyOutcome, column, failure, oracle, outcome_of_answers


def outcome(
    number: int = 0, right: bool = True, confidence: float | None = 0.9, answered: bool = True
) -> StrategyOutcome:
    return StrategyOutcome(
        number=number,
        hit=right,
        f1=float(right),
        exact=right,
        answered=answered,
        confidence=confidence,
        tokens=10,
        ms=5.0,
    )


def share(figures: dict[str, str], measure: str) -> float:
    return float(figures[measure].split()[0])


@pytest.mark.parametrize(
    ("confidence", "answered", "right", "expected"),
    [(0.5, True, False, True), (0.49, True, False, False), (0.9, True, True, False), (0.9, False, False, False)],
)
def test_confidently_wrong_needs_wrong_answers_and_confidence(
    confidence: float, answered: bool, right: bool, expected: bool
) -> None:
    assert outcome(right=right, confidence=confidence, answered=answered).is_confidently_wrong is expected


def test_a_column_counts_answers_and_failures() -> None:
    figures = column([outcome(0), outcome(1, right=False), failure(2, 7.0)])

    assert share(figures, "hit@1") == pytest.approx(33.3)
    assert share(figures, "confidently wrong") == pytest.approx(33.3)
    assert (figures["answered"], figures["failed"], figures["tokens of evidence"]) == ("2", "1", "10")
    assert figures["latency, ms (p50)"] == "5"


def test_a_method_without_confidence_is_never_confidently_wrong() -> None:
    figures = column([outcome(right=False, confidence=None)])

    assert figures["confidently wrong"] == "–"


def test_abstaining_is_right_if_there_is_no_answer() -> None:
    silent = outcome_of_answers(0, [], [], 0, 1.0)
    talking = outcome_of_answers(1, ["Veltmar"], [], 12, 1.0)

    assert (silent.hit, silent.f1, silent.exact, silent.answered) == (True, 1.0, True, False)
    assert (talking.hit, talking.f1, talking.exact, talking.answered) == (False, 0.0, False, True)


def test_an_answer_set_that_is_half_right_has_half_its_score() -> None:
    scored = outcome_of_answers(0, ["Crown"], ["Crown", "Mark", "Thaler"], 12, 1.0)

    assert (scored.hit, scored.f1, scored.exact) == (True, 0.5, False)


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1))
def test_the_oracle_is_the_upper_bound_of_all_strategies(rights: list[tuple[bool, bool, bool]]) -> None:
    by_strategy = {
        name: [outcome(number, of_question[place]) for number, of_question in enumerate(rights)]
        for place, name in enumerate(("plan", "dense", "cypher"))
    }

    best = oracle(by_strategy)

    for measure in ("hit@1", "F1", "EX"):
        assert all(share(best, measure) >= share(column(outcomes), measure) for outcomes in by_strategy.values())
        assert share(best, measure) == pytest.approx(100 * sum(map(any, rights)) / len(rights), abs=0.051)
