from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.plan.durations import (
    Duration,
    duration_between,
    duration_in,
    months_between,
    plus_months,
    shifted,
    whole_days,
)
from tests.support.reference_durations import difference, duration_length, duration_parts, extreme_duration, moved

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


@pytest.mark.parametrize(
    ("moment", "text", "sign", "result"),
    [
        (date(2020, 1, 31), "P1M", 1, date(2020, 2, 29)),
        (date(2019, 1, 31), "P1M", 1, date(2019, 2, 28)),
        (date(2020, 3, 31), "P1M1D", -1, date(2020, 2, 28)),
        (date(2020, 1, 1), "PT25H", 1, date(2020, 1, 2)),
        (date(2020, 1, 1), "PT23H59M59S", 1, date(2020, 1, 1)),
        (date(2020, 1, 1), "PT86399.5S", -1, date(2020, 1, 1)),
        (date(2020, 1, 1), "PT-86399.5S", 1, date(2019, 12, 31)),
        (datetime(2020, 1, 31, 10), "P1M1DT1H0.000001S", -1, datetime(2019, 12, 30, 8, 59, 59, 999_999)),
        (date(9999, 12, 31), "P1M-40D", 1, date(9999, 12, 22)),
        (date(9999, 12, 1), "P-119988M3652059D", 1, date(9999, 12, 1)),
        (datetime(9999, 12, 31, 23), "PT1H", 1, None),
        (date(1, 1, 1), "P1D", -1, None),
        (date(2020, 1, 1), "P120001M-3652425D", 1, None),
        (datetime(2020, 1, 1), "P9999999999D", 1, None),
    ],
)
def test_dates_are_shifted_as_by_neo4j(moment: date, text: str, sign: int, result: date | None) -> None:
    duration = duration_in(text)
    assert duration is not None

    assert shifted(moment, duration, sign) == moved(moment, text, sign) == result


@given(
    st.datetimes(datetime(1, 1, 1)),
    st.builds(Duration, st.integers(-130_000, 130_000), st.integers(-(10**7), 10**7), st.integers(-(10**21), 10**21)),
    st.sampled_from((1, -1)),
    st.booleans(),
)
def test_a_shift_is_that_of_a_calendar_without_bounds(
    moment: datetime, duration: Duration, sign: int, is_date: bool
) -> None:
    start = moment.date() if is_date else moment

    assert shifted(start, duration, sign) == moved(start, str(duration), sign)


@given(st.lists(st.builds(Duration, _AMOUNTS, _AMOUNTS, _AMOUNTS), min_size=1))
def test_durations_are_sorted_by_their_length(durations: list[Duration]) -> None:
    texts = list(map(str, durations))

    assert [duration.length for duration in durations] == list(map(duration_length, texts))
    assert str(min(durations, key=lambda one: one.order)) == extreme_duration([*texts, "soon"], 1)
    assert str(max(durations, key=lambda one: one.order)) == extreme_duration([*texts, "soon"], -1)
