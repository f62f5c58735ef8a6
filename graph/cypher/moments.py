"""Read Cypher's literals of dates and datetimes, such as `date('2015-W05')` and `datetime({year: 2015, month: 3})`."""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from graph.plan.values import as_utc
from shared.errors import InvalidInputError
from shared.text import shown

_T = TypeVar("_T")
_MONTH = re.compile(r"([0-9]{4})(?:-?([0-9]{2}))?")
_QUARTER = re.compile(r"([0-9]{4})-?Q([1-4])(?:-?([0-9]{2}))?")
_ORDINAL = re.compile(r"([0-9]{4})-?([0-9]{3})")
_ZONE_NAME = re.compile(r"(.*?)\[(.+)\]")
_FRACTIONS = {"millisecond": 1_000, "microsecond": 1}


def date_of(text: str) -> date:
    """Read the text of a date in one of Cypher's forms; raise InvalidInputError."""
    return _read(text, "date", _date)


def datetime_of(text: str) -> datetime:
    """Read the text of a datetime, and convert it to UTC; without a time zone, it is in UTC. Raise InvalidInputError.

    Example:
        >>> datetime_of("2015-07-01T12:00[Europe/Paris]")
        datetime.datetime(2015, 7, 1, 10, 0)
    """
    return _read(text, "datetime", _datetime)


def date_from(parts: Mapping[str, object]) -> date:
    """Build a date from its parts, such as year and month; raise InvalidInputError."""
    return _read(str(dict(parts)), "date", lambda _: _date_from(_numbers(parts)))


def datetime_from(parts: Mapping[str, object]) -> datetime:
    """Build a datetime from its parts, and convert it to UTC; raise InvalidInputError."""
    zone = parts.get("timezone", "UTC")

    def build(_: str) -> datetime:
        numbers = _numbers({key: value for key, value in parts.items() if key != "timezone"})
        micros = sum(numbers.pop(name, 0) * unit for name, unit in _FRACTIONS.items())
        hour, minute, second = (numbers.pop(name, 0) for name in ("hour", "minute", "second"))
        clock = time(hour, minute, second, micros)
        return as_utc(datetime.combine(_date_from(numbers), clock, _zone(str(zone))))

    return _read(str(dict(parts)), "datetime", build)


def _read(text: str, what: str, read: Callable[[str], _T]) -> _T:
    try:
        return read(text)
    except (ValueError, OverflowError, ZoneInfoNotFoundError):
        raise InvalidInputError(f"{shown(text)} is not a {what} in Cypher; write one such as 2015-01-31") from None


def _date(text: str) -> date:
    if found := _MONTH.fullmatch(text):
        return date(int(found[1]), int(found[2] or 1), 1)
    if found := _QUARTER.fullmatch(text):
        return _date_from({"year": int(found[1]), "quarter": int(found[2]), "dayOfQuarter": int(found[3] or 1)})
    if found := _ORDINAL.fullmatch(text):
        return _date_from({"year": int(found[1]), "ordinalDay": int(found[2])})
    return date.fromisoformat(text)


def _datetime(text: str) -> datetime:
    zone = None
    if found := _ZONE_NAME.fullmatch(text):
        text, zone = found[1], _zone(found[2])
    day, _, clock = text.partition("T")
    moment = datetime.combine(_date(day), time.fromisoformat(clock) if clock else time())
    return as_utc(moment if moment.tzinfo else moment.replace(tzinfo=zone))


def _zone(name: str) -> ZoneInfo:
    return ZoneInfo("UTC" if name == "Z" else name)


def _date_from(parts: dict[str, int]) -> date:
    match parts:
        case {"year": year, "week": week, **rest} if rest.keys() <= {"dayOfWeek"}:
            return date.fromisocalendar(year, week, rest.get("dayOfWeek", 1))
        case {"year": year, "quarter": quarter, **rest} if rest.keys() <= {"dayOfQuarter"}:
            return date(year, 3 * quarter - 2, 1) + timedelta(rest.get("dayOfQuarter", 1) - 1)
        case {"year": year, "ordinalDay": day, **rest} if not rest:
            return date(year, 1, 1) + timedelta(day - 1)
        case {"year": year, **rest} if rest.keys() <= {"month", "day"}:
            return date(year, rest.get("month", 1), rest.get("day", 1))
    raise ValueError("unknown parts")


def _numbers(parts: Mapping[str, object]) -> dict[str, int]:
    numbers = {key: value for key, value in parts.items() if type(value) is int}
    if len(numbers) < len(parts):
        raise ValueError("parts that are not integers")
    return numbers
