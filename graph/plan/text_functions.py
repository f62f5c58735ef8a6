"""Define functions of strings and numbers exactly as plans mean them; see `docs/reference/query-plans.md`."""

import math
import re
from datetime import date, datetime

from graph.plan.values import MAX_INTEGER, as_utc

WHITE_SPACE = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \u1680\u2028\u2029\u205f\u3000" + "".join(
    chr(code) for code in range(0x2000, 0x200B) if code != 0x2007
)
"""White space as Java and therefore Neo4j defines it: without no-break spaces."""
DECIMAL_NUMBER = r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?"
"""Regular expression, in Python's and Java's syntax, for the strings that convert to numbers."""
_LEAP_YEAR = "([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][48]|[13579][26]|[2468]0)00)"
LEADING_DATE = (
    "(?!0000)("
    "[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
    f"|{_LEAP_YEAR}-02-29)"
)
"""Regular expression, in Python's and Java's syntax, for a day that exists, as `YYYY-MM-DD`."""
_OUTSIDE_DATE = re.compile(r"(?:-[0-9]{4,}|0000|\+?[0-9]{5,})-[0-9]{2}-[0-9]{2}(?![0-9])")
TIME_OF_DAY = "[ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,9})?)?"
"""Regular expression, in Python's and Java's syntax, for the time that follows a day in a datetime."""
UTC_OFFSET = " ?(Z|UTC|[+-](0[0-9]|1[0-7])(:?[0-5][0-9])?|[+-]18(:?00)?)"
"""Regular expression, in Python's and Java's syntax, for the time zone that follows a time."""


def number_in(text: str) -> float | None:
    """Convert a decimal number; None for other text, and for numbers that are too large for a float."""
    if re.fullmatch(DECIMAL_NUMBER, text) is None:
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def integer_in(text: str) -> int | None:
    """Convert a decimal number, truncated toward zero; None for other text, and for more than 64 bits."""
    if re.fullmatch(r"[+-]?[0-9]+", text):
        value = int(text)
    else:
        number = number_in(text)
        if number is None:
            return None
        value = math.trunc(number)
    return value if -MAX_INTEGER - 1 <= value <= MAX_INTEGER else None


def is_date_outside(value: object) -> bool:
    """Return whether a value is text that begins with a day outside the years 1 to 9999, which no date can hold.

    Example:
        >>> is_date_outside("-0100-07-12"), is_date_outside("12000-01-01T00:00:00"), is_date_outside("1996-08-01")
        (True, True, False)
    """
    return isinstance(value, str) and _OUTSIDE_DATE.match(value) is not None


def date_in(text: str) -> date | None:
    """Convert text that begins with `YYYY-MM-DD`; None for other text, and for days that do not exist."""
    return date.fromisoformat(text[:10]) if re.match(LEADING_DATE, text) else None


def datetime_in(text: str) -> datetime | None:
    """Convert a date or a datetime to a datetime in UTC; None for other text, and outside of the years 1 to 9999.

    Example:
        >>> datetime_in("1996-08-01 12:30:00+02:00"), datetime_in("1996-08-01")
        (datetime.datetime(1996, 8, 1, 10, 30), datetime.datetime(1996, 8, 1, 0, 0))
    """
    if re.fullmatch(f"{LEADING_DATE}({TIME_OF_DAY}({UTC_OFFSET})?)?", text) is None:
        return None
    time = text[11:].replace(" ", "").replace("UTC", "Z")
    try:
        return as_utc(datetime.fromisoformat(f"{text[:10]}T{time or '00'}"))
    except OverflowError:
        return None


def round_half_up(value: float) -> float:
    """Round to the nearest whole number; 2.5 gives 3.0, and -2.5 gives -2.0."""
    floor = math.floor(value)
    return float(floor + (value - floor >= 0.5))
