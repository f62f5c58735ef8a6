from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.plan.functions import STARTS_OF_DATES, Function
from graph.plan.periods import PERIOD_STARTS
from tests.support.reference_durations import start_of


@pytest.mark.parametrize(
    ("function", "moment", "start"),
    [
        (Function.START_OF_CENTURY, date(1900, 12, 31), date(1900, 1, 1)),
        (Function.START_OF_CENTURY, date(99, 12, 31), None),
        (Function.START_OF_DECADE, datetime(1999, 12, 31, 23), datetime(1990, 1, 1)),
        (Function.START_OF_DECADE, date(9, 1, 1), None),
        (Function.START_OF_QUARTER, date(2020, 12, 31), date(2020, 10, 1)),
        (Function.START_OF_WEEK, date(2021, 1, 2), date(2020, 12, 28)),
        (Function.START_OF_WEEK, date(1, 1, 1), date(1, 1, 1)),
        (Function.START_OF_DAY, datetime(2020, 2, 29, 12, 30), datetime(2020, 2, 29)),
        (Function.START_OF_SECOND, datetime(2020, 2, 29, 12, 30, 15, 7), datetime(2020, 2, 29, 12, 30, 15)),
    ],
)
def test_a_period_begins_at_its_first_moment(function: Function, moment: date, start: date | None) -> None:
    assert PERIOD_STARTS[function](moment) == start
    assert type(PERIOD_STARTS[function](moment)) is type(start)


@given(st.sampled_from(sorted(PERIOD_STARTS)), st.datetimes(datetime(1, 1, 1)))
def test_the_start_is_that_of_a_search(function: Function, moment: datetime) -> None:
    unit = function.removeprefix("start_of_")

    assert PERIOD_STARTS[function](moment) == start_of(unit, moment)
    if function in STARTS_OF_DATES:
        assert PERIOD_STARTS[function](moment.date()) == start_of(unit, moment.date())
