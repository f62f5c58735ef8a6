from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.plan.durations import Duration, duration_between, duration_in, months_between, plus_months, whole_days
from tests.support.reference_durations import difference, duration_parts

_MOMENTS = st.datetimes(min_value=datetime(1, 1, 1))
_AMOUNTS = st.integers(-(10**9), 10**9)


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("PT0S", Duration()),
        ("P1Y2M-3DT-0.5S", Duration(14, -3, -500_000_000)),
        ("PT-1H-1M-1.25S", Duration(nanoseconds=-3_661_250_000_000)),
        ("P-1Y-2M", Duration(months=-14)),
    ],
)
def test_text_is_that_of_neo4j(text: str, duration: Duration) -> None:
    assert str(duration) == text
    assert duration_in(text) == duration


@pytest.mark.parametrize("text", ["", "P", "PT", "P1DT", "P1.5D", "1D", "P1D2M", "PT1M1H", "P12345678901D", "P1D\n"])
def test_other_text_is_no_duration(text: str) -> None:
    assert duration_in(text) is None
    assert duration_parts(text) is None


@given(_AMOUNTS, _AMOUNTS, _AMOUNTS)
def test_text_is_read_back(months: int, days: int, nanoseconds: int) -> None:
    duration = Duration(months, days, nanoseconds)

    assert duration_in(str(duration)) == duration


@given(_MOMENTS, _MOMENTS)
def test_differences_are_those_of_the_reference(start: datetime, end: datetime) -> None:
    assert str(duration_between(start, end)) == difference("duration_between", start, end)
    assert months_between(start, end) == difference("months_between", start, end)
    assert whole_days(end - start) == difference("days_between", start, end)


@given(_MOMENTS, _MOMENTS)
def test_months_days_and_the_rest_lead_from_one_moment_to_the_other(start: datetime, end: datetime) -> None:
    found = duration_between(start, end)

    rest = timedelta(found.days, microseconds=found.nanoseconds // 1000)
    assert plus_months(start, found.months) + rest == end


def test_a_month_later_is_the_last_day_of_a_shorter_month() -> None:
    assert plus_months(datetime(2020, 1, 31), 1) == datetime(2020, 2, 29)
    with pytest.raises(ValueError, match="1 to 9999"):
        plus_months(datetime(9999, 12, 1), 1)
