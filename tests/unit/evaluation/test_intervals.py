import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.intervals import interval_of_mean


@given(st.lists(st.floats(0, 1), min_size=1, max_size=200))
def test_it_contains_the_mean_within_0_and_1_and_is_deterministic(values: list[float]) -> None:
    low, high = interval_of_mean(values)
    assert -1e-9 <= low <= sum(values) / len(values) + 1e-9
    assert sum(values) / len(values) - 1e-9 <= high <= 1 + 1e-9
    assert interval_of_mean(values) == (low, high)


@pytest.mark.parametrize(("low_value", "high_value"), [(0.0, 1.0), (0.25, 0.75)])
def test_it_has_the_width_that_theory_predicts(low_value: float, high_value: float) -> None:
    low, high = interval_of_mean([low_value, high_value] * 200)
    # 1.96 x the standard deviation / sqrt(400): .049 to either side for a share of one half, half that for half the
    # spread.
    half = 0.049 * (high_value - low_value)
    assert low == pytest.approx(0.5 - half, abs=0.003)
    assert high == pytest.approx(0.5 + half, abs=0.003)


def test_a_few_hits_in_a_row_leave_a_wide_interval() -> None:
    low, high = interval_of_mean([1.0] * 10)
    assert (round(low, 3), high) == (0.722, 1.0)
    assert interval_of_mean([0] * 10) == pytest.approx((0.0, 0.278), abs=0.001)


def test_no_values_are_an_error() -> None:
    with pytest.raises(ValueError, match="no values"):
        interval_of_mean([])
