"""Read texts as numbers and dates in the spelling that a whole property has.

Properties keep such texts as they were written, because `6.10` may be a version, and people look for `28/02/2021`.
Plans convert them where they sort, compare, or calculate.
"""

import re
from collections.abc import Mapping
from datetime import date
from enum import StrEnum

from graph.plan.algebra import Arithmetic, Call, Constant, Expression, Function
from graph.plan.text_functions import number_in
from graph.plan.values import ValueType

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH_NAME = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
"""Regular expression for the name of a month in lower case, which may be shortened."""


class TextReading(StrEnum):
    """Ways to read texts as numbers or dates, each named by what tells it from the others."""

    DECIMALS = "decimals"
    COMMA_GROUPS = "comma_groups"
    POINT_GROUPS = "point_groups"
    DAY_FIRST = "day_first"
    MONTH_FIRST = "month_first"
    YEAR_FIRST = "year_first"
    DAY_OF_NAMED_MONTH = "day_of_named_month"
    NAMED_MONTH_AND_DAY = "named_month_and_day"
    NAMED_MONTH = "named_month"

    @property
    def content(self) -> ValueType:
        """Return the type of what the texts mean."""
        return ValueType.FLOAT if self in _PLAIN_NUMBERS else ValueType.DATE

    def __str__(self) -> str:
        """Return what a report says: `dates, day first`."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    TextReading.DECIMALS: "numbers, shown as written",
    TextReading.COMMA_GROUPS: "numbers such as 1,250.00",
    TextReading.POINT_GROUPS: "numbers such as 1.250,00",
    TextReading.DAY_FIRST: "dates, day first",
    TextReading.MONTH_FIRST: "dates, month first",
    TextReading.YEAR_FIRST: "dates, year first",
    TextReading.DAY_OF_NAMED_MONTH: "dates such as 4 May 2021",
    TextReading.NAMED_MONTH_AND_DAY: "dates such as May 4, 2021",
    TextReading.NAMED_MONTH: "months, compared by their first day",
}
_INTEGER, _GROUPED = "(?:0|[1-9][0-9]*)", "[1-9][0-9]{0,2}(?:%s[0-9]{3})+"
_PLAIN_NUMBERS: Mapping[TextReading, re.Pattern[str]] = {
    TextReading.DECIMALS: re.compile(rf"-?{_INTEGER}(?:\.[0-9]+)?"),
    TextReading.COMMA_GROUPS: re.compile(rf"-?(?:{_INTEGER}|{_GROUPED % ','})(?:\.[0-9]+)?"),
    TextReading.POINT_GROUPS: re.compile(rf"-?(?:{_INTEGER}|{_GROUPED % re.escape('.')})(?:,[0-9]+)?"),
}
_YEAR, _NUMBER = "[0-9]{4}", "[0-9]{1,2}"
_DAY_OR_MONTH_FIRST = re.compile(rf"{_NUMBER}([/.-]){_NUMBER}\1{_YEAR}")
_DATES: Mapping[TextReading, re.Pattern[str]] = {
    TextReading.DAY_FIRST: _DAY_OR_MONTH_FIRST,
    TextReading.MONTH_FIRST: _DAY_OR_MONTH_FIRST,
    TextReading.YEAR_FIRST: re.compile(rf"{_YEAR}([/.-]){_NUMBER}\1{_NUMBER}"),
    TextReading.DAY_OF_NAMED_MONTH: re.compile(rf"{_NUMBER}([ -]){MONTH_NAME}\1{_YEAR}", re.IGNORECASE),
    TextReading.NAMED_MONTH_AND_DAY: re.compile(rf"{MONTH_NAME} {_NUMBER},? {_YEAR}", re.IGNORECASE),
    TextReading.NAMED_MONTH: re.compile(rf"{MONTH_NAME}[ -]{_YEAR}", re.IGNORECASE),
}
# The places of the year, the month, and the day among the parts of a text.
_PLACES: Mapping[TextReading, tuple[int, int, int | None]] = {
    TextReading.DAY_FIRST: (2, 1, 0),
    TextReading.MONTH_FIRST: (2, 0, 1),
    TextReading.YEAR_FIRST: (0, 1, 2),
    TextReading.DAY_OF_NAMED_MONTH: (2, 1, 0),
    TextReading.NAMED_MONTH_AND_DAY: (2, 0, 1),
    TextReading.NAMED_MONTH: (1, 0, None),
}
_WITH_NAMES = frozenset((TextReading.DAY_OF_NAMED_MONTH, TextReading.NAMED_MONTH_AND_DAY, TextReading.NAMED_MONTH))
# What separates the parts of numeric dates, and what surrounds those of others.
_SEPARATORS = (("/", " "), ("-", " "), (".", " "))
_AROUND_NAMES = (("-", " "), (",", ""), (".", ""))


def plain_number(text: str, reading: TextReading) -> str | None:
    """Return a number without separators between thousands, with a decimal point; None for other text.

    Example:
        >>> plain_number("1.250,00", TextReading.POINT_GROUPS)
        '1250.00'
    """
    if _PLAIN_NUMBERS[reading].fullmatch(text) is None:
        return None
    for old, new in _replacements(reading):
        text = text.replace(old, new)
    return text


def value_in(text: str, reading: TextReading) -> float | date | None:
    """Read a text; None if it is spelt in another way, or if there is no such day.

    Example:
        >>> value_in("28/02/2021", TextReading.DAY_FIRST), value_in("28/02/2021", TextReading.MONTH_FIRST)
        (datetime.date(2021, 2, 28), None)
    """
    if reading in _PLAIN_NUMBERS:
        plain = plain_number(text, reading)
        return None if plain is None else number_in(plain)
    if _DATES[reading].fullmatch(text) is None:
        return None
    for old, new in _replacements(reading):
        text = text.replace(old, new)
    parts = text.split(" ")
    year, month, day = _PLACES[reading]
    number = _MONTHS.index(parts[month][:3].lower()) + 1 if reading in _WITH_NAMES else int(parts[month])
    try:
        return date(int(parts[year]), number, 1 if day is None else int(parts[day]))
    except ValueError:
        return None


def is_impossible_day(text: str) -> bool:
    """Return whether a text is spelt like a date, but no order of its parts gives a day that exists.

    Example:
        >>> is_impossible_day("2021/02/30"), is_impossible_day("13/5/2021"), is_impossible_day("2/2021")
        (True, False, False)
    """
    readings = [reading for reading, pattern in _DATES.items() if pattern.fullmatch(text)]
    return bool(readings) and all(value_in(text, reading) is None for reading in readings)


def read_text(stored: Expression, reading: TextReading) -> Expression:
    """Return the expression that reads a stored text, with functions that all stores have.

    It gives no value for text that is no number or date without its separators, so all texts must have the reading, or
    be spelt like dates with this reading.
    """
    plain = stored
    for old, new in _replacements(reading):
        plain = Call(Function.REPLACE, (plain, Constant(old), Constant(new)))
    if reading in _PLAIN_NUMBERS:
        return Call(Function.TO_FLOAT, (plain,))

    def part(place: int) -> Expression:
        return Call(Function.ITEM, (Call(Function.SPLIT, (plain, Constant(" "))), Constant(place)))

    year, month, day = _PLACES[reading]
    month_text = _month_number(part(month)) if reading in _WITH_NAMES else _two_digits(part(month))
    day_text = Constant("01") if day is None else _two_digits(part(day))
    texts = (part(year), Constant("-"), month_text, Constant("-"), day_text)
    joined: Expression = texts[0]
    for text in texts[1:]:
        joined = Arithmetic("+", joined, text)
    return Call(Function.TO_DATE, (joined,))


def _replacements(reading: TextReading) -> tuple[tuple[str, str], ...]:
    match reading:
        case TextReading.DECIMALS:
            return ()
        case TextReading.COMMA_GROUPS:
            return ((",", ""),)
        case TextReading.POINT_GROUPS:
            return ((".", ""), (",", "."))
    return _AROUND_NAMES if reading in _WITH_NAMES else _SEPARATORS


def _month_number(name: Expression) -> Expression:
    """Return the two digits of the month whose name begins a text."""
    number: Expression = Call(Function.LOWER, (Call(Function.LEFT, (name, Constant(3))),))
    for place, short in enumerate(_MONTHS, 1):
        number = Call(Function.REPLACE, (number, Constant(short), Constant(f"{place:02d}")))
    return number


def _two_digits(text: Expression) -> Expression:
    padded = Arithmetic("+", Constant("0"), text)
    return Call(Function.DROP, (padded, Arithmetic("-", Call(Function.SIZE, (text,)), Constant(1))))
