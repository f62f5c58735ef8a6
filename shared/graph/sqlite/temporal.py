"""Calculate with the stored forms of dates and datetimes; an argument of an unsuitable type gives a missing value."""

from collections.abc import Callable
from datetime import date, datetime

from shared.graph.sqlite.values import DATE, DATETIME, Stored, decode, encode
from shared.plan.text_functions import date_in, datetime_in

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


def date_part(part: str) -> Callable[[Stored], Stored]:
    """Return a function that reads the year, month, or day of a date or datetime."""

    def read(value: Stored) -> Stored:
        decoded = decode(value) if isinstance(value, bytes) and value[:1] in (DATE, DATETIME) else None
        return getattr(decoded, part) if isinstance(decoded, date | datetime) else None

    return read
