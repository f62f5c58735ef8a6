"""Read typed values from text: the cells of CSV files, and the literals of N-Triples."""

import math
import re
from collections.abc import Callable, Iterable
from datetime import date, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from graph.plan.composed_form import composed
from graph.plan.durations import Duration, DurationText, duration_in
from graph.plan.values import MAX_INTEGER, Value, as_utc
from shared.text import shortened, shown

Parser = Callable[[str], Value]

_INTEGER = re.compile(r"([+-]?[0-9]+)(?:\.0*)?")  # programs write integers as 1956.0 if some are missing
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATETIME = re.compile(rf"{_DATE.pattern}(?:[T ][0-9:.]+(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}})?)?")
_BEYOND_MICROSECONDS = re.compile(r":[0-9]{2}\.[0-9]{6}[0-9]*[1-9]")
# Programs add midnight to dates.
_MIDNIGHT = re.compile(r"[T ]00:00(?::00(?:\.0+)?)?Z?")
_ZONE_NAME = re.compile(r"(?P<moment>[^\[\]]*)\[(?P<zone>[A-Za-z0-9_+/-]+)\]")
_WEEKS = re.compile(r"(?P<before>P[^TWD]*?)(?P<weeks>[0-9]{1,9})W(?:(?P<days>[0-9]{1,10})D)?(?P<after>.*)")
_MAX_DIGITS = 1_000  # Python refuses to convert several thousand
_MAX_LISTED = 200

MAX_TEXT_LENGTH = 10_000
"""Characters of a text. Longer texts in graphs are documents, outlines of places, or encoded files."""

NO_VALUE = frozenset({"NULL", "null", "\\N", "N/A", "n/a", "#N/A", "NaN", "nan", "<NA>"})
"""What exporters write in place of a missing text, and nobody gives as a name."""

# In place of a missing number or date, also such texts.
_NO_VALUE = {"null", "none", "nil", "n/a", "na", "nan", "-", "--", "?", "unknown", "\\n", "#n/a", "<na>"}

_YES_AND_NO = {"yes": True, "no": False}
# How tables write booleans.
_BOOLEANS = {"true": True, "false": False, "t": True, "f": False, "y": True, "n": False, "1": True, "0": False}
_BOOLEANS |= _YES_AND_NO


class BadValueError(Exception):
    """Raised if a value is not valid; the message says what is wrong and what to do.

    `kind` names such values in the plural.
    """

    def __init__(self, message: str, kind: str = "invalid values") -> None:
        super().__init__(message)
        self.kind = kind


def left_out_reason(owners: Iterable[str], key: str, error: BadValueError, text: str = "") -> str:
    """Return the reason for which reports count a value of a property: `Person.born: values that are not integers`.

    `owners` are the kinds of the node, or the type of the relationship; `text` is the value if it is a text.
    """
    kind = "texts that mean no value" if means_no_value(text) else error.kind
    return f"{shortened(':'.join(owners))}.{shortened(key)}: {kind}"


def means_no_value(text: str) -> bool:
    """Return whether a text is one that exporters write in place of a missing number or date."""
    return text.strip().lower() in _NO_VALUE


def listed(texts: Iterable[str]) -> str:
    """Return texts for an error message, on one line and shortened if they are long."""
    return shortened(repr(", ".join(texts))[1:-1], _MAX_LISTED)


def parse_integer(text: str) -> int:
    """Read an integer of at most 64 bits."""
    found = _INTEGER.fullmatch(text)
    if found is None:
        raise BadValueError(f"{shown(text)} is not an integer; write digits only", "values that are not integers")
    if len(text) > _MAX_DIGITS:
        raise BadValueError(
            f"the integer {shown(text)} needs more than 64 bits; store it as a string", "integers of more than 64 bits"
        )
    return checked_integer(int(found[1]))


def checked_integer(number: int) -> int:
    """Return an integer of at most 64 bits."""
    if not -MAX_INTEGER - 1 <= number <= MAX_INTEGER:
        raise BadValueError(
            f"the integer {shown(number)} needs more than 64 bits; store it as a string",
            "integers of more than 64 bits",
        )
    return number


def parse_float(text: str) -> float:
    """Read a finite number."""
    if not _NUMBER.fullmatch(text):
        raise BadValueError(
            f"{shown(text)} is not a finite number; write one such as 1.5 or 2e3", "values that are not finite numbers"
        )
    number = float(text)
    if not math.isfinite(number):
        raise BadValueError(f"{shown(text)} is too large for a float; store it as a string", "too large numbers")
    return number


def parse_boolean(text: str) -> bool:
    """Read `true` or `false`, or `yes` or `no`, in any case, also the first letter alone, or `1` or `0`."""
    found = _BOOLEANS.get(text.lower())
    if found is None:
        raise BadValueError(
            f"{shown(text)} is not a boolean; write true or false, or yes or no", "values that are not booleans"
        )
    return found


def is_yes_or_no(text: str) -> bool:
    """Return whether a text is `yes` or `no` in any case, which may be a boolean."""
    return text.strip().lower() in _YES_AND_NO


def parse_date(text: str) -> date:
    """Read a date such as 1996-08-01, perhaps at midnight."""
    try:
        if _DATE.fullmatch(text[:10]) and (len(text) == 10 or _MIDNIGHT.fullmatch(text[10:])):
            return date.fromisoformat(text[:10])
    except ValueError:
        pass
    raise BadValueError(f"{shown(text)} is not a date; write one such as 1996-08-01", "values that are not dates")


def parse_duration(text: str) -> DurationText:
    """Read a duration such as P1Y2M3W4DT5H6M7.5S, perhaps after a sign, in the form that plans use."""
    unsigned = text.lstrip("+-")
    if found := _WEEKS.fullmatch(unsigned):
        # Plans count weeks as days.
        days = 7 * int(found["weeks"]) + int(found["days"] or 0)
        unsigned = f"{found['before']}{days}D{found['after']}"
    duration = duration_in(unsigned)
    if duration is None or len(text) - len(text.lstrip("+-")) > 1:
        raise BadValueError(
            f"{shown(text)} is not a duration; write one such as P1Y2M3DT4H", "values that are not durations"
        )
    sign = -1 if text.startswith("-") else 1
    return DurationText(Duration(sign * duration.months, sign * duration.days, sign * duration.nanoseconds))


def parse_datetime(text: str, zone: tzinfo | None = None) -> datetime:
    """Read a datetime such as 1996-08-01T09:30:00, also with the name of its zone behind it: [Europe/Berlin].

    One without a time zone is in `zone`, if there is one.
    """
    try:
        moment_text = text
        if named := _ZONE_NAME.fullmatch(text):
            moment_text, zone = named["moment"], ZoneInfo(named["zone"])
        if _DATETIME.fullmatch(moment_text):
            moment = datetime.fromisoformat(moment_text)
            return as_utc(moment if moment.tzinfo or zone is None else moment.replace(tzinfo=zone))
    except (ValueError, OverflowError, ZoneInfoNotFoundError, OSError):
        pass
    raise BadValueError(
        f"{shown(text)} is not a datetime; write one such as 1996-08-01T09:30:00Z", "values that are not datetimes"
    )


def lost_digits(text: str, value: Value) -> str | None:
    """Return which digits of a text its value lacks, as reports count them; None if it has all that anyone expects.

    Example:
        >>> lost_digits("9007199254740993", 9007199254740992.0), lost_digits("0.1", 0.1)
        ('digits of integers that no float can hold', None)
    """
    if isinstance(value, datetime):
        return "digits beyond microseconds" if _BEYOND_MICROSECONDS.search(text) else None
    if isinstance(value, float) and (found := _INTEGER.fullmatch(text)) and len(text) <= _MAX_DIGITS:
        return "digits of integers that no float can hold" if int(found[1]) != value else None
    return None


def checked_text(text: str, role: str = "string") -> str:
    """Return a string that a graph file can store; `role` names it in the message."""
    if "\0" in text:
        raise BadValueError(
            f"the {role} contains the control character U+0000; remove it", "texts with the control character U+0000"
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = f"U+{ord(text[error.start]):04X}"
        raise BadValueError(
            f"the {role} contains {half}, which is half of a character; correct the escape",
            "texts with half of a character",
        ) from None
    return text


def parse_text(text: str) -> str:
    """Read a string, in Unicode's composed form."""
    return composed(checked_text(text))


def parse_character(text: str) -> str:
    """Read a string of one character."""
    if len(text) != 1:
        raise BadValueError(
            f"{shown(text)} is not one character; write one, or declare the column as string",
            "values that are not one character",
        )
    return checked_text(text)
