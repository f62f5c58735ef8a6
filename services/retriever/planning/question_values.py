"""Find the values in a question: numbers, dates, periods, and quoted or capitalised text."""

import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from pathlib import Path

from shared.plan.values import Value, ValueType

_NUMBERS = frozenset((ValueType.INTEGER, ValueType.FLOAT))
_DATES = frozenset((ValueType.DATE, ValueType.DATETIME))
_TEXT = frozenset((ValueType.STRING, ValueType.LIST))


class ValueForm(StrEnum):
    """Name the form in which a question states a value."""

    NUMBER = "number"
    YEAR = "year"
    DATE = "date"
    PERIOD = "period"
    QUOTED = "quoted"
    TEXT = "text"


_TYPES = {
    ValueForm.NUMBER: _NUMBERS | {ValueType.STRING, ValueType.LIST},
    ValueForm.YEAR: _NUMBERS | _DATES | {ValueType.STRING, ValueType.LIST},
    ValueForm.DATE: _DATES | {ValueType.STRING},
    ValueForm.PERIOD: frozenset[ValueType](),
    ValueForm.QUOTED: _TEXT,
    ValueForm.TEXT: _TEXT,
}


@dataclass(frozen=True, slots=True)
class QuestionValue:
    """Hold a value that `question[start:end]` states.

    Attributes:
        value: A number, a date, or a string; the first day and the last day of a period.
        stored: For the properties that have this value in the graph, by number: the values as the graph stores them.
    """

    start: int
    end: int
    form: ValueForm
    value: Value
    text: str
    stored: Mapping[int, Value] = field(default_factory=dict, hash=False, compare=False)

    @property
    def types(self) -> frozenset[ValueType]:
        """Return the types of the properties that can be compared with the value."""
        if self.form is ValueForm.QUOTED and re.fullmatch(r"[\d.,:/ -]+", self.text):
            return _TEXT | _NUMBERS | _DATES
        return _TYPES[self.form]

    @property
    def is_period(self) -> bool:
        """Return whether the value is a period."""
        return self.form is ValueForm.PERIOD


_SENTENCE_START = re.compile(r"(?:^|[.?!]['\"’”]?\s+)$")
_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_UNITS: dict[str, int] = {word: number for number, word in enumerate(_LISTS["units"].split())}
_SMALL: dict[str, int] = _UNITS | _LISTS["numbers"]
_SCALES: dict[str, float] = _LISTS["scales"]
_ARTICLES = {"half a": 0.5, "a": 1.0, "an": 1.0}
_MONTHS: list[str] = _LISTS["months"].split()
_DECADES: list[str] = _LISTS["decades"].split()
_OPENERS = frozenset(_LISTS["openers"].split())
_STOP_WORDS = frozenset(_LISTS["stop_words"].split())
_MONTH = "|".join(f"{name}|{name[:3]}" for name in _MONTHS)
_QUOTED = re.compile(r"'((?:[^']|(?<=\w)'(?=\w))+)'(?!\w)|\"([^\"]+)\"|[“”]([^“”]+)[“”]|‘([^’]+)’|`([^`]+)`|«([^»]+)»")
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})(?:-(\d{1,2}))?(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?\b")
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\.?,? (\d{{4}})\b", re.I)
_MONTH_DAY = re.compile(rf"\b({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})\b", re.I)
_MONTH_YEAR = re.compile(rf"\b({_MONTH})\.?,? (?:of )?(\d{{4}})\b", re.I)
_DECADE = re.compile(r"\b(?:(1[0-9]|20)?(\d)0['’]?s)\b|['’](\d)0s\b", re.I)
_DECADE_WORD = re.compile(rf"\b({'|'.join(_DECADES)})\b", re.I)
_CENTURY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th) century\b", re.I)
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:[$€£¥]\s?)?(\d{1,3}(?:[, \u00a0\u202f]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?(?:e\d+)?|\.\d+)"
    r"(?:\s?(k|m|mn|mio|bn|b|thousand|million|millions|billion|billions|hundred|trillion)\b)?(?![\w]|\.\d)", re.I
)  # fmt: skip
_NUMBER_WORD = re.compile(
    rf"\b({'|'.join(_SMALL)}|half a|an?(?= (?:hundred|thousand|million|billion|dozen)\b))"
    r"(?:[ -](hundred|thousand|million|billion|one|two|three|four|five|six|seven|eight|nine|dozen))?\b", re.I
)  # fmt: skip
_POINTING = re.compile(r"\b(?:these|those) $", re.I)
"""The words before a number that only counts the things a question lists: `of these three`."""
_CAPITALISED = re.compile(
    r"(?<![\w'’])[A-ZÀ-Þ#@$][\w.'’&/+-]*(?:\s+(?:(?:of|the|and|de|van|von|der|la|le|du|&|for|in|on|at|to|a)\s+)*[A-ZÀ-Þ\d#][\w.'’&/+-]*)*"
)
_CODE = re.compile(
    r"(?<!\w)(?=[\w.@/-]*\d)(?=[\w.@/-]*[A-Za-z])[\w@][\w.@/:-]*\w|\b\d+(?:\.\d+){2,}\b|(?<!\w)[\w.-]+@[\w.-]+\w|\bhttps?://\S+\w"
)
_AFTER = re.compile(
    r"\b(?:word|phrase|term|contain(?:s|ing)?|mention(?:s|ing|ed)?|includ(?:es|ing)|named|called|titled|letters?|"
    r"start(?:s|ing)? with|begin(?:s|ning)? with|end(?:s|ing)? (?:with|in)|tagged(?: with| as)?|category|keyword|about)"
    r"(?: the)?(?: word| letter| term)? ([\w#@+.'-]+(?: [\w#@+.'-]+)?)", re.I
)  # fmt: skip


def literal_values(question: str) -> list[QuestionValue]:
    """Return the values that a question states, in the order of the question; their spans may overlap.

    Example:
        >>> [value.value for value in literal_values("Which films after 1999 cost over 2 million?")]
        [1999, 2000000]
    """
    found = list(_quoted(question))
    quoted = [(value.start, value.end) for value in found]
    for reader in (_dates, _periods, _codes, _numbers):
        for value in reader(question):
            if not any(value.start < other.end and other.start < value.end for other in found):
                found.append(value)
    spans = {(value.start, value.end) for value in found if value.form is ValueForm.TEXT}
    for value in _texts(question):
        is_quoted = any(start <= value.start and value.end <= end for start, end in quoted)
        if not is_quoted and (value.start, value.end) not in spans:
            spans.add((value.start, value.end))
            found.append(value)
    return sorted(found, key=lambda value: (value.start, value.end))


def _quoted(question: str) -> Iterator[QuestionValue]:
    for match in _QUOTED.finditer(question):
        text = next(group for group in match.groups() if group is not None)
        if match.start() and question[match.start() - 1].isalnum():
            continue
        if text.strip():
            yield QuestionValue(match.start(), match.end(), ValueForm.QUOTED, text, text)


def _dates(question: str) -> Iterator[QuestionValue]:
    for pattern, order in ((_ISO, "ymd"), (_DAY_MONTH, "dmy"), (_MONTH_DAY, "mdy")):
        for match in pattern.finditer(question):
            parts = dict(zip(order, match.groups(), strict=True))
            if parts["d"] is None:
                if (period := _month(int(parts["y"]), int(parts["m"]))) is not None:
                    yield QuestionValue(match.start(), match.end(), ValueForm.PERIOD, period, match.group())
                continue
            day = _date(int(parts["y"]), _month_number(parts["m"]), int(parts["d"]))
            if day is not None:
                yield QuestionValue(match.start(), match.end(), ValueForm.DATE, day, match.group())
    for match in _MONTH_YEAR.finditer(question):
        period = _month(int(match[2]), _month_number(match[1]))
        if period is not None:
            yield QuestionValue(match.start(), match.end(), ValueForm.PERIOD, period, match.group())


def _month_number(text: str) -> int:
    if text.isdigit():
        return int(text)
    return next(place for place, name in enumerate(_MONTHS, 1) if name.startswith(text[:3].lower()))


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _month(year: int, month: int) -> tuple[date, date] | None:
    first = _date(year, month, 1)
    following = _date(year + month // 12, month % 12 + 1, 1)
    return (first, following - timedelta(days=1)) if first and following else None


def _periods(question: str) -> Iterator[QuestionValue]:
    for match in _DECADE.finditer(question):
        century, decade = match[1] or "19", match[2] or match[3]
        if match[1] is None and int(decade) < 3:
            century = "20"
        yield _years(match, int(century) * 100 + int(decade) * 10, 10)
    for match in _DECADE_WORD.finditer(question):
        yield _years(match, 1920 + 10 * _DECADES.index(match[1].lower()), 10)
    for match in _CENTURY.finditer(question):
        if 1 < int(match[1]) < 30:
            yield _years(match, (int(match[1]) - 1) * 100, 100)


def _years(match: re.Match[str], first: int, count: int) -> QuestionValue:
    period = (date(first, 1, 1), date(first + count - 1, 12, 31))
    return QuestionValue(match.start(), match.end(), ValueForm.PERIOD, period, match.group())


def _codes(question: str) -> Iterator[QuestionValue]:
    for match in _CODE.finditer(question):
        text = match.group()
        if not _NUMBER.fullmatch(text) and not re.fullmatch(r"\d+(st|nd|rd|th|s|k|m|bn)", text, re.I):
            yield QuestionValue(match.start(), match.end(), ValueForm.TEXT, text, text)


def _numbers(question: str) -> Iterator[QuestionValue]:
    yield from _digits(question)
    for match in _NUMBER_WORD.finditer(question):
        if _POINTING.search(question[: match.start()]):
            continue
        first, second = match[1].lower(), (match[2] or "").lower()
        number = _ARTICLES.get(first) or float(_SMALL[first])
        if second == "dozen" or second in _SCALES:
            number *= _SCALES.get(second, 12)
        elif second:
            number += _SMALL[second]
        yield QuestionValue(match.start(), match.end(), ValueForm.NUMBER, _exact(number), match.group())


def _digits(question: str) -> Iterator[QuestionValue]:
    for match in _NUMBER.finditer(question):
        text, scale = re.sub(r"[,\s]", "", match[1]), (match[2] or "").lower()
        number = float(text) * _SCALES.get(scale, 1)
        if not math.isfinite(number):
            continue
        if text.isdigit() and not scale:
            number = int(text)  # floats hold 53 bits
        if match.group().startswith("-"):
            number = -number
        is_year = match.group() == match[1] == text and len(text) == 4 and text.isdigit() and 1000 <= number <= 2100
        form = ValueForm.YEAR if is_year else ValueForm.NUMBER
        yield QuestionValue(match.start(), match.end(), form, _exact(number), match.group())


def _exact(number: float) -> Value:
    """Return an integer if a number is one that plans can hold."""
    return int(number) if number == int(number) and abs(number) < 2**63 else float(number)


def _texts(question: str) -> Iterator[QuestionValue]:
    for match in _CAPITALISED.finditer(question):
        text = re.sub(r"['’]s?$|[.,:;?!]+$", "", match.group())
        start = match.start()
        if _SENTENCE_START.search(question, 0, start):
            # A sentence begins with a capital in any case.
            opener, _, rest = text.partition(" ")
            if not rest and (start == 0 or opener.lower() in _OPENERS):
                continue
            if rest and opener.lower() in _OPENERS:
                if not rest[0].isupper():
                    continue
                start, text = start + len(opener) + 1, rest
        if text != "I":
            yield _text(start, text)
    for match in _AFTER.finditer(question):
        text = match[1].rstrip(".,?!;:'")
        for part in dict.fromkeys((text, *text.split()[:1])):
            if part and part.lower() not in _STOP_WORDS:
                yield _text(match.start(1), part)


def _text(start: int, text: str) -> QuestionValue:
    return QuestionValue(start, start + len(text), ValueForm.TEXT, text, text)
