"""Calculate with the stored forms of dates and datetimes; an argument of an unsuitable type gives a missing value."""

from collections.abc import Callable
from datetime import date, datetime, timedelta

from graph.plan.epochs import EPOCH, EPOCH_UNITS
from graph.plan.functions import STARTS_OF_TIMES
from graph.plan.periods import PERIOD_STARTS
from graph.plan.text_functions import date_in, datetime_in
from graph.sqlite.values import DATE, DATETIME, Stored, decode, encode

_MIDNIGHT = b"T00:00:00"


def to_date(value: Stored) -> Stored:
    """Convert a date, a datetime, or a string that begins with a date."""
    if isinstance(value, str):
        return encode(date_in(value))
    if isinstance(value, bytes) and value[:1] in (DATE, DATETIME):
        return DATE + value[1:11]
    return None


def to_datetime(value: Stored) -> Stored:
    """Convert a datetime, a date, or a string that holds one of them."""
    if isinstance(value, str):
        return encode(datetime_in(value))
    if isinstance(value, bytes) and value[:1] == DATE:
        return DATETIME + value[1:] + _MIDNIGHT
    return value if isinstance(value, bytes) and value[:1] == DATETIME else None


def date_part(part: Callable[[date], int]) -> Callable[[Stored], Stored]:
    """Return a function that reads a part of a date or datetime."""

    def read(value: Stored) -> Stored:
        decoded = decode(value) if isinstance(value, bytes) and value[:1] in (DATE, DATETIME) else None
        return part(decoded) if isinstance(decoded, date) else None

    return read


def time_part(part: Callable[[datetime], int]) -> Callable[[Stored], Stored]:
    """Return a function that reads a part of a datetime."""

    def read(value: Stored) -> Stored:
        return part(decode(value)) if isinstance(value, bytes) and value[:1] == DATETIME else None

    return read


def start(begin: Callable[[date], date | None], accepted: tuple[bytes, ...]) -> Callable[[Stored], Stored]:
    """Return a function that finds the start of a period, for values whose tag is accepted."""

    def find(value: Stored) -> Stored:
        return encode(begin(decode(value))) if isinstance(value, bytes) and value[:1] in accepted else None

    return find


def from_epoch(unit: timedelta) -> Callable[[Stored], Stored]:
    """Return a function that converts the number of units since 1970 to a datetime, in the years 1 to 9999."""

    def convert(value: Stored) -> Stored:
        if not isinstance(value, int):
            return None
        try:
            return encode(EPOCH + value * unit)
        except OverflowError:
            return None

    return convert


PARTS: dict[str, Callable[[Stored], Stored]] = {
    "k_year": date_part(lambda day: day.year),
    "k_quarter": date_part(lambda day: (day.month + 2) // 3),
    "k_month": date_part(lambda day: day.month),
    "k_week": date_part(lambda day: day.isocalendar().week),
    "k_day": date_part(lambda day: day.day),
    "k_weekday": date_part(lambda day: day.isoweekday()),
    "k_hour": time_part(lambda moment: moment.hour),
    "k_minute": time_part(lambda moment: moment.minute),
    "k_second": time_part(lambda moment: moment.second),
}
"""SQL functions of a date or datetime."""
EPOCHS: dict[str, Callable[[Stored], Stored]] = {
    f"k_{function}": from_epoch(EPOCH_UNITS[function]) for function in EPOCH_UNITS
}
"""SQL functions of the time since 1970 that return a datetime."""
STARTS: dict[str, Callable[[Stored], Stored]] = {
    f"k_{function}": start(begin, (DATETIME,) if function in STARTS_OF_TIMES else (DATE, DATETIME))
    for function, begin in PERIOD_STARTS.items()
}
"""SQL functions of a date or datetime that return the start of a period."""
