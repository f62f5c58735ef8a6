"""Find the dates and periods in a question: days, weeks, months, seasons, years, decades, and centuries."""

import re
import tomllib
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from language.english.number_words import ORDINALS
from language.values import Period, Recurring, UncertainDate

_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_MONTHS: list[str] = _LISTS["months"].split()
_DECADES: list[str] = _LISTS["decades"].split()
_WEEKDAYS: list[str] = _LISTS["weekdays"].split()
_MOST_QUARTERS = 4
_ORDINALS = {word: number for word, number in ORDINALS.items() if number <= _MOST_QUARTERS} | {
    "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "last": 0,
}  # fmt: skip
_SEASONS: dict[str, int] = _LISTS["seasons"]
_ORDINAL = "|".join(_ORDINALS)
_MONTH = "|".join(("sept", *(f"{name}|{name[:3]}" for name in _MONTHS)))
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})(?:-(\d{1,2}))?(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?\b")
_YEAR_FIRST = re.compile(r"(?<![\w./-])(\d{4})([/.])(\d{1,2})\2(\d{1,2})(?![\w/-]|\.\w)")
_YEAR_LAST = re.compile(r"(?<![\w./-])(?:(\d{1,2})([/.-])(\d{1,2})\2(\d{4})|\d{1,2}/\d{1,2}/\d\d)(?![\w/-]|\.\w)")
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\.?,? (\d{{4}})\b", re.I)
_MONTH_DAY = re.compile(rf"\b({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})\b", re.I)
_MONTH_YEAR = re.compile(rf"\b(?:({_ORDINAL}) week (?:of|in) )?({_MONTH})\.?,? (?:of )?(\d{{4}})\b", re.I)
_QUARTER = re.compile(
    rf"\bQ([1-4])[ /-]?(?:of )?(\d{{4}})\b|\b(\d{{4}})[ -]?Q([1-4])\b"
    rf"|\b({_ORDINAL}) (quarter|half) (?:of )?(\d{{4}})\b",
    re.I,
)
_SEASON = re.compile(rf"\b({'|'.join(_SEASONS)}) (?:of )?(\d{{4}})\b", re.I)
_DECADE = re.compile(r"\b(?:(1[0-9]|20)?(\d)0['’]?s)\b|['’](\d)0s\b", re.I)
_DECADE_WORD = re.compile(rf"\b({'|'.join(_DECADES)})\b", re.I)
_CENTURY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th) century\b", re.I)
# `may` and `march` are words, too, and a number behind a month is a day or a year.
_EVERY_MONTH = re.compile(
    rf"\b(?:in|during|every|each)\s+((?-i:May|March)|{'|'.join(set(_MONTHS) - {'may', 'march'})})\b(?!['’]|,? ?\d)",
    re.I,
)
_EVERY_WEEKDAY = re.compile(rf"\b(?:on|every|each)\s+(?:an? |any )?({'|'.join(_WEEKDAYS)})s?\b(?!,? ?\d)", re.I)
_DAYS_TO = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?:(?: of)? ({_MONTH})\.?)?(?= ?(?:and|to|until|till|through|-|–) ?"
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? ({_MONTH})\.?,? (\d{{4}})\b)"
    rf"|\b({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?(?= ?(?:and|to|until|till|through|-|–) ?"
    rf"({_MONTH})\.? \d{{1,2}}(?:st|nd|rd|th)?,? (\d{{4}})\b)",
    re.I,
)
_FROM_BEGIN = re.compile(r"\b(?:before|prior to|earlier than|since|between)\s+(?:the\s+)?$", re.I)
_FROM_END = re.compile(
    r"\b(?:after|later than|until|till|through|up to|by|between .{3,30} and)\s+(?:the\s+)?(?:end of\s+)?$", re.I
)


class Found(NamedTuple):
    """Hold a date, a year, or a period (its first and its last day, or a recurring one), and where it is."""

    start: int
    end: int
    value: date | int | Period | Recurring


def dates(question: str) -> Iterator[Found]:
    """Yield the days, and the periods of less than a year.

    Example:
        >>> [found.value for found in dates("before March 2023, or on 2023-05-01")]
        [datetime.date(2023, 5, 1), datetime.date(2023, 3, 1)]
    """
    for pattern, order in ((_ISO, "ymd"), (_DAY_MONTH, "dmy"), (_MONTH_DAY, "mdy")):
        for match in pattern.finditer(question):
            parts = dict(zip(order, match.groups(), strict=True))
            year, month = int(parts["y"]), _month_number(parts["m"])
            if parts["d"] is None:
                yield from bounded(question, match.span(), _months(year, month))
            elif (day := _date(year, month, int(parts["d"]))) is not None:
                yield Found(match.start(), match.end(), day)
    yield from _days_before_others(question)
    yield from _numeric(question)
    for match in _MONTH_YEAR.finditer(question):
        period = _months(int(match[3]), _month_number(match[2]))
        yield from bounded(question, match.span(), period if match[1] is None else _week(period, match[1]))
    for match in _QUARTER.finditer(question):
        yield from bounded(question, match.span(), _quarter(match))
    for match in _SEASON.finditer(question):
        yield from bounded(question, match.span(), _months(int(match[2]), _SEASONS[match[1].lower()], 3))


def _numeric(question: str) -> Iterator[Found]:
    for match in _YEAR_FIRST.finditer(question):
        if (day := _date(int(match[1]), int(match[3]), int(match[4]))) is not None:
            yield Found(*match.span(), day)
    for match in _YEAR_LAST.finditer(question):
        if len(days := _days_of(match)) == 1:
            yield Found(*match.span(), *days)


def uncertain_dates(question: str) -> Iterator[UncertainDate]:
    """Yield the dates in digits that name no certain day, such as `05/12/2023` and `1/2/23`.

    Nothing says whether the day or the month comes first. Imports leave such dates texts, too, unless they are told.

    Example:
        >>> [found.days for found in uncertain_dates("on 05/12/2023, 31/12/2023, or 12/31/2023")]
        [(datetime.date(2023, 5, 12), datetime.date(2023, 12, 5))]
    """
    for match in _YEAR_LAST.finditer(question):
        if len(days := sorted(_days_of(match))) != 1:
            yield UncertainDate(match.start(), match.end(), tuple(days))


def _days_of(match: "re.Match[str]") -> set[date]:
    """Return the days that a date with the year at its end may be: none without a century, or if there is none."""
    if match[4] is None:
        return set()
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    return {day for day in (_date(year, second, first), _date(year, first, second)) if day is not None}


def periods(question: str) -> Iterator[Found]:
    """Yield the decades and centuries, the months of every year, and the days of every week.

    Example:
        >>> [found.value for found in periods("films before the 90s")]
        [1990]
    """
    for match in _DECADE.finditer(question):
        century, decade = match[1] or "19", match[2] or match[3]
        if match[1] is None and int(decade) < 3:
            century = "20"
        yield from bounded(question, match.span(), _years(int(century) * 100 + int(decade) * 10, 10))
    for match in _DECADE_WORD.finditer(question):
        yield from bounded(question, match.span(), _years(1920 + 10 * _DECADES.index(match[1].lower()), 10))
    for match in _EVERY_MONTH.finditer(question):
        yield Found(*match.span(1), Recurring(month=_month_number(match[1])))
    for match in _EVERY_WEEKDAY.finditer(question):
        yield Found(*match.span(1), Recurring(weekday=1 + _WEEKDAYS.index(match[1].lower())))
    for match in _CENTURY.finditer(question):
        if 1 < int(match[1]) < 30:
            yield from bounded(question, match.span(), _years((int(match[1]) - 1) * 100, 100))


def _days_before_others(question: str) -> Iterator[Found]:
    """Yield the days that have their year, or also their month, from the day behind them: `16 to 17 June 2023`."""
    for match in _DAYS_TO.finditer(question):
        number, month, month_of_last, year, own_month, own_number, last_month, last_year = match.groups()
        last = _month_number(month_of_last or last_month)
        first = _month_number(month or own_month) if month or own_month else last
        begin = _date(int(year or last_year) - (first > last), first, int(number or own_number))
        if begin is not None:
            yield Found(match.start(), match.end(), begin)


def bounded(question: str, span: tuple[int, int], period: Period | None) -> Iterator[Found]:
    """Yield a period; if something is before or after it, the day or the year where it begins or ends."""
    if period is None:
        return
    before, place = question[: span[0]], None
    if _FROM_END.search(before):
        place = 1
    elif _FROM_BEGIN.search(before):
        place = 0
    if place is None:
        yield Found(*span, period)
        return
    bound = period[place]
    yield Found(*span, bound.year if _are_years(period) else bound)


def _are_years(period: Period) -> bool:
    first, last = period
    return (first.month, first.day, last.month, last.day) == (1, 1, 12, 31)


def _month_number(text: str) -> int:
    if text.isdigit():
        return int(text)
    return next(place for place, name in enumerate(_MONTHS, 1) if name.startswith(text[:3].lower()))


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _months(year: int, month: int, number: int = 1) -> Period | None:
    first = _date(year, month, 1)
    place = month - 1 + number
    following = _date(year + place // 12, place % 12 + 1, 1)
    return (first, following - timedelta(days=1)) if first and following else None


def _week(month: Period | None, ordinal: str) -> Period | None:
    """Return the seven days of a month from its first, eighth, fifteenth, or twenty-second on, or its last seven."""
    if month is None:
        return None
    number = _ORDINALS[ordinal.lower()]
    first = month[0] + timedelta(weeks=number - 1) if number else month[1] - timedelta(days=6)
    return first, first + timedelta(days=6)


def _quarter(match: "re.Match[str]") -> Period | None:
    """Return a quarter or a half of a year."""
    ordinal, part = match[5], (match[6] or "quarter").lower()
    length = 6 if part == "half" else 3
    number = int(match[1] or match[4]) if ordinal is None else _ORDINALS[ordinal.lower()] or 12 // length
    year = int(match[2] or match[3] or match[7])
    return _months(year, length * (number - 1) + 1, length) if number <= 12 // length else None


def _years(first: int, count: int) -> Period:
    return date(first, 1, 1), date(first + count - 1, 12, 31)
