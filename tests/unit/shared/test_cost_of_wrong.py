import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.cost_of_wrong import MAX_COST_OF_WRONG, affordable_cost, is_cost_of_wrong, least_confidence

costs = st.floats(min_value=0, max_value=MAX_COST_OF_WRONG)
confidences = st.floats(min_value=0, max_value=1)


@pytest.mark.parametrize(("cost", "confidence"), [(0, 0.0), (1, 0.5), (4, 0.8), (10, 10 / 11)])
def test_the_confidence_that_a_cost_takes(cost: float, confidence: float) -> None:
    assert least_confidence(cost) == pytest.approx(confidence)


@given(costs)
def test_it_is_a_probability_below_one(cost: float) -> None:
    assert 0 <= least_confidence(cost) < 1


@given(costs, costs)
def test_a_higher_cost_never_takes_less(one: float, other: float) -> None:
    assert least_confidence(min(one, other)) <= least_confidence(max(one, other))


@given(costs)
def test_at_this_confidence_answers_and_silence_are_worth_the_same(cost: float) -> None:
    confidence = least_confidence(cost)
    assert confidence - cost * (1 - confidence) == pytest.approx(0, abs=1e-9)


@given(confidences)
def test_an_affordable_cost_lets_the_answer_through(confidence: float) -> None:
    cost = affordable_cost(confidence)
    assert is_cost_of_wrong(cost)
    assert least_confidence(cost) <= confidence


@given(confidences)
def test_a_tenth_more_withholds_it(confidence: float) -> None:
    cost = affordable_cost(confidence)
    assert cost == MAX_COST_OF_WRONG or least_confidence(cost + 0.1001) > confidence


@pytest.mark.parametrize("value", [0, 0.5, 10, MAX_COST_OF_WRONG])
def test_costs(value: object) -> None:
    assert is_cost_of_wrong(value)


@pytest.mark.parametrize("value", [-1, 1000.1, True, None, "10", math.nan, math.inf])
def test_no_costs(value: object) -> None:
    assert not is_cost_of_wrong(value)
