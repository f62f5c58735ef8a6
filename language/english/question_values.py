"""Find the values in a question: numbers, dates, periods, and quoted or capitalised text."""

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import chain

from graph.plan.values import Value
from language.english.function_words import OPENERS
from language.english.lexicon import words_of_class
from language.english.number_words import LARGE, SCALES, numbers_in_words
from language.english.quantities import UNIT_WORDS, is_unit, units_after, units_of_symbol
from language.english.question_dates import dates, periods, uncertain_dates
from language.english.relative_dates import relative_dates
from language.values import QuestionValue, Recurring, ValueForm

_SENTENCE_START = re.compile(r"(?:^|[.?!]['\"’”]?\s+)$")
_STOP_WORDS = words_of_class("stop word")
_QUOTED = re.compile(r"'((?:[^']|(?<=\w)'(?=\w))+)'(?!\w)|\"([^\"]+)\"|[“”]([^“”]+)[“”]|‘([^’]+)’|`([^`]+)`|«([^»]+)»")
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:[$€£¥]\s?)?(\d{1,3}(?:[, '’\u00a0\u202f]\d{3})+(?!\d)(?:\.\d+)?"
    rf"|\d+,\d{{1,2}}(?=\s?(?:[€$£¥]|(?:{UNIT_WORDS})\b))|\d+(?:\.\d+)?(?:e\d+)?|\.\d+)"
    r"(?:\s?(k|m|mn|mio|bn|b|thousand|million|millions|billion|billions|hundred|trillion)\b)?(?![\w]|\.\d)", re.I
)  # fmt: skip
_NUMBER_BEFORE = re.compile(r"\d\s?$")
_DECIMAL_COMMA, _GROUPED_BY_DOT = re.compile(r"\d+,\d{1,2}"), re.compile(r"[1-9]\d{0,2}\.\d00")
_GLUED = re.compile(rf"(?<![\w.])\d+(?:\.\d+)?(?=(?:{UNIT_WORDS}|(?-i:[gtl]))\b)", re.I)
_ONE_UNIT = re.compile(rf"\b(?:than|over|under|least|most|within|exceed\w*) (half an|an?) (?=(?:{UNIT_WORDS})\b)", re.I)
_HALF = re.compile(rf" and a half\b(?: ({'|'.join(LARGE)})\b)?", re.I)
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


def literal_values(question: str, asked_on: date | None = None) -> list[QuestionValue]:
    """Return the values that a question states, in the order of the question; their spans may overlap.

    Args:
        question: The question.
        asked_on: The day from which `yesterday` and the like are counted; without it, these are no values.

    Example:
        >>> [value.value for value in literal_values("Which films after 1999 cost over 2 million?")]
        [1999, 2000000]
    """
    found = list(_quoted(question))
    quoted = [(value.start, value.end) for value in found]
    for reader in (partial(_dates, asked_on=asked_on), _codes, _numbers):
        for value in reader(question):
            if not any(value.start < other.end and other.start < value.end for other in found):
                found.append(value)
    spans = {(value.start, value.end) for value in found if value.form is ValueForm.TEXT}
    taken = [*quoted, *((value.start, value.end + 1) for value in found if isinstance(value.value, Recurring))]
    for value in _texts(question):
        is_taken = any(start <= value.start and value.end <= end for start, end in taken)
        if not is_taken and (value.start, value.end) not in spans:
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


def _dates(question: str, asked_on: date | None) -> Iterator[QuestionValue]:
    relative = () if asked_on is None else relative_dates(question, asked_on)
    for start, end, value in chain(dates(question), periods(question), relative):
        match value:
            case tuple():  # or a recurring period
                form = ValueForm.PERIOD
            case int():
                form = ValueForm.YEAR
            case _:
                form = ValueForm.DATE
        yield QuestionValue(start, end, form, value, question[start:end])
    for start, end, _ in uncertain_dates(question):
        yield _text(start, question[start:end])


def _codes(question: str) -> Iterator[QuestionValue]:
    for match in _CODE.finditer(question):
        text = match.group()
        if is_unit(text) and _NUMBER_BEFORE.search(question, 0, match.start()):
            continue
        glued = _GLUED.match(text)
        if glued and units_after(text, glued.end())[1] == len(text):
            continue
        if not _NUMBER.fullmatch(text) and not re.fullmatch(r"\d+(st|nd|rd|th|s|k|m|bn)", text, re.I):
            yield QuestionValue(match.start(), match.end(), ValueForm.TEXT, text, text)


def _numbers(question: str) -> Iterator[QuestionValue]:
    """Yield the numbers, with their units; `2 hours and 30 minutes` is one number."""
    found = sorted((_with_unit(question, value) for value in _plain_numbers(question)), key=lambda value: value.start)
    while found:
        first, *found = found
        if found and (whole := _together(question, first, found[0])) is not None:
            first, found = whole, found[1:]
        yield _sharing(question, first, found[0]) if found else first


def _with_unit(question: str, value: QuestionValue) -> QuestionValue:
    """Add the units behind a number, and halves: `two and a half hours`, `a week and a half`, `3 and a half`."""
    number, end = value.value, value.end
    half = _HALF.match(question, end)
    units, unit_end = units_after(question, end if half is None else half.end())
    signed = units_of_symbol(question, value.start, end)
    if half is not None and number < 1000 and (half[1] or not units):
        number, end = (number + 0.5) * LARGE.get((half[1] or "").lower(), 1), half.end()
        value = replace(value, end=end, value=_exact(number), form=ValueForm.NUMBER, text=question[value.start : end])
        half = None
    if not units:
        form = ValueForm.NUMBER if signed else value.form
        return replace(value, form=form, units=signed, unit_end=end)
    if half is None and (half := _HALF.match(question, unit_end)):
        unit_end = half.end()
    number = number if half is None else number + 0.5
    return replace(value, value=number, form=ValueForm.NUMBER, units=units, unit_end=unit_end)


def _together(question: str, first: QuestionValue, second: QuestionValue) -> QuestionValue | None:
    """Return the sum of two numbers in the unit of the first if the second goes on in a smaller unit."""
    between = question[first.unit_end : second.start].strip(" ,")
    if not (first.units and second.units and between in ("", "and")):
        return None
    unit = first.units[0]
    same = next((one for one in second.units if one.dimension == unit.dimension and one.factor < unit.factor), None)
    if same is None or second.value * same.factor >= unit.factor:
        return None
    value = first.value + second.value * same.factor / unit.factor  # rounded when it is converted
    return replace(first, value=value, unit_end=second.unit_end)


def _sharing(question: str, first: QuestionValue, second: QuestionValue) -> QuestionValue:
    """Return the first of two numbers with the unit of the second, which it shares: `between 2 and 3 hours`."""
    between = question[first.end : second.start].strip()
    if first.units or first.form is ValueForm.YEAR or not second.units or between not in ("and", "to", "or", "-", "–"):
        return first
    return replace(first, form=ValueForm.NUMBER, units=second.units)


def _plain_numbers(question: str) -> Iterator[QuestionValue]:
    yield from _digits(question)
    for match in _GLUED.finditer(question):
        yield QuestionValue(match.start(), match.end(), ValueForm.NUMBER, _exact(float(match.group())), match.group())
    for match in _ONE_UNIT.finditer(question):
        number = 0.5 if match[1].lower().startswith("half") else 1
        yield QuestionValue(match.start(1), match.end(1), ValueForm.NUMBER, number, match[1])
    for start, end, number, is_year in numbers_in_words(question):
        form = ValueForm.YEAR if is_year else ValueForm.NUMBER
        yield QuestionValue(start, end, form, _exact(number), question[start:end])


def _digits(question: str) -> Iterator[QuestionValue]:
    for match in _NUMBER.finditer(question):
        text, scale = _with_point(match[1]), (match[2] or "").lower()
        number = float(text) * SCALES.get(scale, 1)
        if not math.isfinite(number):
            continue
        if text.isdigit() and not scale:
            number = int(text)  # floats hold 53 bits
        if match.group().startswith("-"):
            number = -number
        is_year = match.group() == match[1] == text and len(text) == 4 and text.isdigit() and 1000 <= number <= 2100
        form = ValueForm.YEAR if is_year else ValueForm.NUMBER
        plain = float(text) if match.group().endswith("m") else None
        yield QuestionValue(match.start(), match.end(), form, _exact(number), match.group(), plain=plain)


def _with_point(text: str) -> str:
    """Return the digits of a number with a decimal point, and without separators of thousands.

    People write `1.000` and `2.500` for thousands, and seldom give decimals that end in two zeros.
    """
    if _DECIMAL_COMMA.fullmatch(text):
        return text.replace(",", ".")
    return re.sub(r"[,'’\s]", "", text.replace(".", "") if _GROUPED_BY_DOT.fullmatch(text) else text)


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
            if not rest and (start == 0 or opener.lower() in OPENERS):
                continue
            if rest and opener.lower() in OPENERS:
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
