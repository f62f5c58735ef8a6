"""Calculate durations with the stored forms of values; an argument of an unsuitable type gives a missing value."""

from collections.abc import Callable
from datetime import date, datetime, timedelta

from graph.plan.durations import Duration, duration_between, duration_in, months_between, shifted, whole_days
from graph.sqlite.values import DATE, DATETIME, Stored, decode, encode


def duration_part(read: Callable[[Duration], int | float]) -> Callable[[Stored], Stored]:
    """Return a function that reads a part of the text of a duration."""

    def part(value: Stored) -> Stored:
        found = duration_in(value) if isinstance(value, str) else None
        return None if found is None else read(found)

    return part


def difference(between: Callable[[datetime, datetime], Stored]) -> Callable[[Stored, Stored], Stored]:
    """Return a function of two dates or datetimes."""

    def of_stored(start: Stored, end: Stored) -> Stored:
        moments = moment(start), moment(end)
        return None if moments[0] is None or moments[1] is None else between(moments[0], moments[1])

    return of_stored


def shift(sign: int) -> Callable[[Stored, Stored], Stored]:
    """Return a function that adds a duration to a date or datetime, or subtracts it if the sign is -1."""

    def of_stored(value: Stored, duration: Stored) -> Stored:
        found = duration_in(duration) if isinstance(duration, str) else None
        if found is None or not isinstance(value, bytes) or value[:1] not in (DATE, DATETIME):
            return None
        return encode(shifted(decode(value), found, sign))

    return of_stored


DIFFERENCES: dict[str, Callable[[Stored, Stored], Stored]] = {
    "k_duration_between": difference(lambda start, end: str(duration_between(start, end))),
    "k_duration_in_months": difference(lambda start, end: str(Duration(months_between(start, end)))),
    "k_duration_in_days": difference(lambda start, end: str(Duration(days=whole_days(end - start)))),
    "k_duration_in_seconds": difference(
        lambda start, end: str(Duration(nanoseconds=(end - start) // timedelta(microseconds=1) * 1000))
    ),
    "k_months_between": difference(months_between),
    "k_days_between": difference(lambda start, end: whole_days(end - start)),
    "k_seconds_between": difference(lambda start, end: (end - start) // timedelta(seconds=1)),
}
"""SQL functions of two dates or datetimes."""
SHIFTS: dict[str, Callable[[Stored, Stored], Stored]] = {"k_add_duration": shift(1), "k_subtract_duration": shift(-1)}
"""SQL functions of a date or datetime and a duration."""
PARTS: dict[str, Callable[[Stored], Stored]] = {
    "k_duration_months": duration_part(lambda found: found.months),
    "k_duration_days": duration_part(lambda found: found.days),
    "k_duration_seconds": duration_part(lambda found: found.seconds),
    "k_duration_length": duration_part(lambda found: found.length),
}
"""SQL functions of the text of a duration."""


def moment(value: Stored) -> datetime | None:
    """Return a stored date, at midnight, or a stored datetime; None for other values."""
    decoded = decode(value) if isinstance(value, bytes) and value[:1] in (DATE, DATETIME) else None
    if isinstance(decoded, datetime):
        return decoded
    return datetime(decoded.year, decoded.month, decoded.day) if isinstance(decoded, date) else None
