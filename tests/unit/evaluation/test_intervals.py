import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.intervals import interval_of_mean


@given(st.lists(st.floats(0, 1), min_size=1, max_size=200))
def test_it_lies_within_0_and_1_and_the_same_values_give_the_same(values: list[float]) -> None:
    low, high = interval_of_mean(values)
    assert -1e-9 <= low <= sum(values) / len(values) + 1e-9
    assert sum(values) / len(values) - 1e-9 <= high <= 1 + 1e-9
    assert interval_of_mean(values) == (low, high)


@pytest.mark.parametrize(("low_value", "high_value"), [(0.0, 1.0), (0.25, 0.75)])
def test_it_is_as_wide_as_theory_says(low_value: float, high_value: float) -> None:
    low, high = interval_of_mean([low_value, high_value] * 200)
    # 1.96 x the standard deviation / sqrt(400): .049 to either side for a share of one half, half that for half as far.
    half = 0.049 * (high_value - low_value)
    assert low == pytest.approx(0.5 - half, abs=0.003)
    assert high == pytest.approx(0.5 + half, abs=0.003)


def test_of_a_few_hits_in_a_row_not_too_much_is_made() -> None:
    low, high = interval_of_mean([1.0] * 10)
    assert (round(low, 3), high) == (0.722, 1.0)
    assert interval_of_mean([0] * 10) == pytest.approx((0.0, 0.278), abs=0.001)


def test_without_values_there_is_none() -> None:
    with pytest.raises(ValueError, match="no values"):
        interval_of_mean([])
