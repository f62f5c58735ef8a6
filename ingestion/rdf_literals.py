"""Read the typed literals of RDF, whose datatypes XML Schema defines."""

import math
import re
from datetime import date, datetime, timedelta

from graph.plan.durations import DURATION, DurationText
from graph.plan.values import MAX_INTEGER, Value, as_utc
from ingestion.typed_values import BadValueError
from shared.text import shown

XSD = "http://www.w3.org/2001/XMLSchema#"

_ZONE = r"(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)?"
_YEAR = r"-?(?:[1-9]\d{4,}|\d{4})"
_DAY = rf"{_YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
_TIME = r"(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?|24:00:00(?:\.0+)?)"
_DIGITS = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)"
_NUMBER = (rf"{_DIGITS}(?:[eE][+-]?\d+)?|[+-]?INF|NaN", "a number such as 1.5 or 2e3")
_INTEGER = (r"[+-]?\d+", "digits only")
# The inclusive bounds of each integer type.
_BOUNDS: dict[str, tuple[float, float]] = {
    "integer": (-math.inf, math.inf),
    "nonNegativeInteger": (0, math.inf),
    "positiveInteger": (1, math.inf),
    "nonPositiveInteger": (-math.inf, 0),
    "negativeInteger": (-math.inf, -1),
    "long": (-MAX_INTEGER - 1, MAX_INTEGER),
    "int": (-(2**31), 2**31 - 1),
    "short": (-(2**15), 2**15 - 1),
    "byte": (-128, 127),
    "unsignedLong": (0, 2**64 - 1),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedByte": (0, 255),
}
_DURATIONS = ("duration", "dayTimeDuration", "yearMonthDuration")
_FORMS = {
    **dict.fromkeys(_BOUNDS, _INTEGER),
    "decimal": (_DIGITS, "a number without an exponent, such as 1.5"),
    "double": _NUMBER,
    "float": _NUMBER,
    "boolean": ("true|false|1|0", "true or false"),
    "date": (rf"({_DAY}){_ZONE}", "a date such as 1996-08-01"),
    "dateTime": (rf"({_DAY}T{_TIME}{_ZONE})", "a datetime such as 1996-08-01T09:30:00Z"),
    **dict.fromkeys(_DURATIONS, (DURATION, "a duration such as P1DT2H30M")),
    "gYear": (rf"({_YEAR}){_ZONE}", "a year of four digits"),
}
_PATTERNS = {name: (re.compile(pattern, re.ASCII), expected) for name, (pattern, expected) in _FORMS.items()}

LITERAL_TYPES = tuple(_PATTERNS)
"""Local names of the datatypes whose literals become properties."""


def literal_value(text: str, type_: str) -> Value | None:
    """Return the value of a literal, or None if a property cannot hold it, such as an infinite number.

    Raises BadValueError if the text does not fit its datatype.

    Example:
        >>> literal_value("1776", "gYear"), literal_value("1996-08-01Z", "date"), literal_value("INF", "double")
        (1776, datetime.date(1996, 8, 1), None)
    """
    pattern, expected = _PATTERNS[type_]
    match = pattern.fullmatch(text)
    if match is None:
        raise _misfit(text, type_, expected)
    if type_ in _BOUNDS:
        return _integer(text, type_)
    if type_ in _DURATIONS:
        return DurationText(text)
    if type_ == "boolean":
        return text in ("true", "1")
    if type_ == "gYear":
        return _storable(int(match[1]))
    if type_ in ("date", "dateTime"):
        return _moment(match[1], type_)
    number = float(text)
    return number if math.isfinite(number) else None


def _integer(text: str, type_: str) -> int | None:
    number = int(text)
    lowest, highest = _BOUNDS[type_]
    if not lowest <= number <= highest:
        raise _misfit(text, type_, _range(lowest, highest))
    return _storable(number)


def _range(lowest: float, highest: float) -> str:
    """Describe which numbers an integer type allows."""
    if math.isinf(lowest):
        return f"a number up to {highest}"
    return f"a number from {lowest}" + ("" if math.isinf(highest) else f" to {highest}")


def _storable(number: int) -> int | None:
    return number if -MAX_INTEGER - 1 <= number <= MAX_INTEGER else None


def _moment(text: str, type_: str) -> date | None:
    """Return a date or datetime, or None if Python cannot represent it, such as a year before 1."""
    if text[4] != "-" or text[:4] == "0000":
        return None
    try:
        if text[10:13] == "T24":  # the end of the day
            return as_utc(datetime.fromisoformat(f"{text[:10]}T00{text[13:]}") + timedelta(days=1))
        return date.fromisoformat(text) if type_ == "date" else as_utc(datetime.fromisoformat(text))
    except ValueError:
        raise _misfit(text, type_, "a day that the month has") from None
    except OverflowError:
        return None


def _misfit(text: str, type_: str, expected: str) -> BadValueError:
    return BadValueError(
        f"the literal {shown(text)} is not a valid xsd:{type_}; write {expected}, or remove the datatype"
    )
