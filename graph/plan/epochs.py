"""Define the numbers of seconds and milliseconds since 1970 that are datetimes."""

from datetime import datetime, timedelta

from graph.plan.functions import Function

EPOCH = datetime(1970, 1, 1)
"""The moment, in UTC, from which Unix time counts."""
EPOCH_UNITS = {
    Function.FROM_EPOCH_SECONDS: timedelta(seconds=1),
    Function.FROM_EPOCH_MILLISECONDS: timedelta(milliseconds=1),
}
"""By function: the unit of its argument."""


def epoch_bounds(function: Function) -> tuple[int, int]:
    """Return the first and the last number that is a datetime in the years 1 to 9999."""
    unit = EPOCH_UNITS[function]
    return (datetime.min - EPOCH) // unit, (datetime.max - EPOCH) // unit
