"""Read dates and periods that depend on the day of the question: `yesterday`, and `in the past two weeks`."""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta

from language.english.number_words import numbers_in_words
from language.english.question_dates import Found, bounded
from language.values import Period

_DAYS = {
    "the day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1, "the day after tomorrow": 2,
}  # fmt: skip
_NUMBER = r"(?<![\w.])(\d{1,4}|an?|[a-z]+(?:-[a-z]+)?) "
_UNIT = r"(day|week|month|year)s?"
_DAY = re.compile(rf"\b({'|'.join(_DAYS)})\b", re.IGNORECASE)
# `What is the capital today?` asks for what holds now, as it does without `today`.
_STATE = re.compile(r"\b(?:is|are|does|do|has|have)\b", re.IGNORECASE)
_EVENT = re.compile(
    r"\b(?:was|were|did|will)\b|\b(?:due|dated|scheduled|planned|by|before|after|since|until|till|for|from|than) $",
    re.IGNORECASE,
)
# Something has a last year, and `the last week of May` is no week before this one.
_CALENDAR = re.compile(r"\b(last|this|next|the current) (week|month|quarter|year)\b(?! of\b)", re.IGNORECASE)
_OWN = re.compile(r"\b(?:the|its|his|her|their|my|our|your|an?|every|each|whose|first|very|['’]s) $", re.IGNORECASE)
_ROLLING = re.compile(
    r"\b(?:in|over|during|within|from|of|across|throughout|for) (?:the )?"
    rf"((last|past|next|coming) (?:{_NUMBER})?{_UNIT})\b"
    r"(?! (?:of|that|with|when|(?:in|on|for) which)\b)",
    re.IGNORECASE,
)
# What has gone on for two years began before them.
_LASTING = re.compile(r"\b(?:have|has|had|been)\b[^.?!]* $", re.IGNORECASE)
_AGO = re.compile(
    rf"\b(?:(more than|over|longer than|at least)|(less than|under|within|at most|no more than))?\b ?{_NUMBER}{_UNIT} "
    r"(ago|from now)\b",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\b(?:since|before|after|until|till|by|than) $", re.IGNORECASE)


def relative_dates(question: str, asked_on: date) -> Iterator[Found]:
    """Yield the days and the periods that a question counts from the day on which it is asked.

    Names such as `Next Week` are none.

    Example:
        >>> [found.value for found in relative_dates("since yesterday, or last year?", date(2026, 11, 28))]
        [datetime.date(2026, 11, 27), (datetime.date(2025, 1, 1), datetime.date(2025, 12, 31))]
    """
    readings = ((_DAY, _day), (_AGO, _ago), (_ROLLING, _rolling), (_CALENDAR, _calendar))
    for pattern, reading in readings:
        for match in pattern.finditer(question):
            if not _is_name(question, match):
                try:
                    yield from reading(question, match, asked_on)
                except (OverflowError, ValueError):
                    continue  # before the first year, or after the last one


def _is_name(question: str, match: "re.Match[str]") -> bool:
    """Return whether a text has capitals that no beginning of a sentence explains."""
    text, before = match.group().strip(), question[: match.start()].rstrip()
    begins = not before or before[-1] in ".?!"
    return not question.isupper() and (text[1:] if begins else text) != (text[1:] if begins else text).lower()


def _day(question: str, match: "re.Match[str]", asked_on: date) -> Iterator[Found]:
    is_now = match[1].lower() == "today" and question[match.end() : match.end() + 2] not in ("'s", "’s")
    if is_now and _STATE.search(question) and not _EVENT.search(question, 0, match.start()):
        return
    yield Found(*match.span(), asked_on + timedelta(days=_DAYS[match[1].lower()]))


def _calendar(question: str, match: "re.Match[str]", asked_on: date) -> Iterator[Found]:
    """Yield a week from Monday to Sunday, a month, a quarter, or a year."""
    which, unit = match[1].lower(), match[2].lower()
    if which in ("last", "next") and _OWN.search(question, 0, match.start()):
        return
    distance = {"last": -1, "next": 1}.get(which, 0)
    yield from bounded(question, match.span(), _whole(unit, moved(asked_on, distance, unit)))


def _rolling(question: str, match: "re.Match[str]", asked_on: date) -> Iterator[Found]:
    """Yield the time from some days, weeks, months, or years ago until today, or from today on."""
    _, which, number, unit = match.groups()
    count = 1 if number is None else _count(number)
    is_for = match.group().lower().startswith("for ")
    if count is None or (number is None and " the " not in match.group().lower()):
        return
    if is_for and _LASTING.search(question, 0, match.start()):
        return
    if which.lower() in ("last", "past"):
        yield Found(*match.span(1), (moved(asked_on, -count, unit), asked_on))
    else:
        yield Found(*match.span(1), (asked_on, moved(asked_on, count, unit)))


def _ago(question: str, match: "re.Match[str]", asked_on: date) -> Iterator[Found]:
    """Yield the day, week, month, or year that was some time ago; everything before or since then if it says so."""
    more, less, number, unit, direction = match.groups()
    count = _count(number)
    if count is None:
        return
    sign = -1 if direction.lower() == "ago" else 1
    day = moved(asked_on, sign * count, unit)
    start = match.start() if more or less else match.start(3)
    if less:
        yield Found(start, match.end(), (min(day, asked_on), max(day, asked_on)))
    elif more:
        yield Found(start, match.end(), (date.min, day) if sign < 0 else (day, date.max))
    elif unit.lower() == "day" or _SINCE.search(question, 0, start):
        yield Found(start, match.end(), day)
    else:
        yield Found(start, match.end(), _whole(unit.lower(), day))


def _count(number: str) -> int | None:
    """Return a number in digits or in words, also `a`; None for other words."""
    if number.isdigit():
        return int(number)
    if number.lower() in ("a", "an"):
        return 1
    found = next(numbers_in_words(number), None)
    return int(found.number) if found is not None and (found.start, found.end) == (0, len(number)) else None


def moved(day: date, count: int, unit: str) -> date:
    """Return the day that is some days, weeks, months, quarters, or years later; at most the last one of its month.

    Raises:
        OverflowError: There is no such day.
        ValueError: There is no such year.

    Example:
        >>> moved(date(2024, 2, 29), -1, "year")
        datetime.date(2023, 2, 28)
    """
    match unit.lower():
        case "day":
            return day + timedelta(days=count)
        case "week":
            return day + timedelta(weeks=count)
        case "month" | "quarter" | "year" as one:
            place = day.year * 12 + day.month - 1 + count * {"month": 1, "quarter": 3, "year": 12}[one]
            year, month = place // 12, place % 12 + 1
            first = date(year, month, 1)
            return first.replace(day=min(day.day, monthrange(year, month)[1]))
    raise ValueError(f"{unit} is no unit of a calendar")


def _whole(unit: str, day: date) -> Period:
    """Return the first and the last day of the week, month, quarter, or year of a day."""
    match unit:
        case "week":
            first = day - timedelta(days=day.weekday())
            return first, first + timedelta(days=6)
        case "quarter":
            first = day.replace(month=day.month - (day.month - 1) % 3, day=1)
        case "month":
            first = day.replace(day=1)
        case _:
            first = day.replace(month=1, day=1)
    return first, moved(first, 1, unit) - timedelta(days=1)
