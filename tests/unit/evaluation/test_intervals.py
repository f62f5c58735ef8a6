import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.intervals import bootstrap_interval


@given(st.lists(st.floats(0, 1), min_size=1, max_size=200))
def test_the_mean_lies_within_and_the_same_values_give_the_same(values: list[float]) -> None:
    low, high = bootstrap_interval(values)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
    assert bootstrap_interval(values) == (low, high)


def test_it_is_as_wide_as_theory_says() -> None:
    low, high = bootstrap_interval([0.0, 1.0] * 200)
    # A share of one half over 400 questions: 1.96 x sqrt(.25 / 400) = .049 to either side.
    assert low == pytest.approx(0.451, abs=0.01)
    assert high == pytest.approx(0.549, abs=0.01)


def test_without_values_there_is_none() -> None:
    with pytest.raises(ValueError, match="no values"):
        bootstrap_interval([])
