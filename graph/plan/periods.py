"""Find the dates and datetimes at which centuries, years, weeks, hours, and other periods begin."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

from graph.plan.functions import Function

_Start = Callable[[Any], date | None]
"""Returns a value of the type of its argument, a date or datetime; None before the year 1."""


def _of_day(start: Callable[[Any], date | None]) -> _Start:
    """Also drop the time of a datetime."""

    def begin(moment: date) -> date | None:
        day = start(moment)
        if isinstance(day, datetime):
            return day.replace(hour=0, minute=0, second=0, microsecond=0)
        return day

    return begin


def _of_years(length: int) -> _Start:
    def begin(moment: date) -> date | None:
        year = moment.year - moment.year % length
        return moment.replace(year=year, month=1, day=1) if year else None

    return _of_day(begin)


PERIOD_STARTS: dict[Function, _Start] = {
    Function.START_OF_CENTURY: _of_years(100),
    Function.START_OF_DECADE: _of_years(10),
    Function.START_OF_YEAR: _of_years(1),
    Function.START_OF_QUARTER: _of_day(lambda day: day.replace(month=day.month - (day.month - 1) % 3, day=1)),
    Function.START_OF_MONTH: _of_day(lambda day: day.replace(day=1)),
    Function.START_OF_WEEK: _of_day(lambda day: day - timedelta(day.weekday())),
    Function.START_OF_DAY: _of_day(lambda day: day),
    Function.START_OF_HOUR: lambda moment: moment.replace(minute=0, second=0, microsecond=0),
    Function.START_OF_MINUTE: lambda moment: moment.replace(second=0, microsecond=0),
    Function.START_OF_SECOND: lambda moment: moment.replace(microsecond=0),
}
"""By function: how to find the start of the period that holds a date or datetime, or only a datetime."""
