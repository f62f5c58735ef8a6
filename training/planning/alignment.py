"""Find the constants of a plan among the values that its question states."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta

from graph.plan.value_text import value_text
from graph.plan.values import Value, ValueType
from language.english.nationalities import adjectives_for
from language.english.quantities import MINUTE_OR_METRE
from language.english.question_values import literal_values
from language.units import Unit, converted_number
from language.values import QuestionValue, Recurring, ValueForm
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.schema.quantities import unit_of
from services.retriever.plans.schema.schema_elements import SchemaElements
from services.retriever.plans.schema.value_types import DATES
from shared.text import shortened, shown
from training.planning.canonical import day_of
from training.planning.expression_writer import Slot
from training.planning.stages import UnstatedValueError

_EQUALITIES = (Op.IS, Op.EQUAL, Op.UNEQUAL, Op.ONE_OF)
_EXACT = (*_EQUALITIES, Op.CONTAINS, Op.STARTS_WITH, Op.ENDS_WITH)
_MOST_NAME_WORDS, _SHORTEST_NAME = 3, 3
_ARTICLES = frozenset(("the", "a", "an"))
_LAST_SECOND = 10**11
_LAST_MILLISECOND = 10**14
"""Larger numbers are no moments; the first is also what tells seconds from milliseconds."""


def align(
    question: str, actions: Sequence[Action], slots: Sequence[Slot], elements: SchemaElements
) -> tuple[list[QuestionValue], list[Action]]:
    """Return the values of a question, and the actions with the numbers of these values.

    A constant that the question names in other words, such as `Director` for `directed`, becomes a value of these
    words. Raises UnstatedValueError if the question does not state a constant.
    """
    values = literal_values(question)
    aligned: list[Action] = []
    place = 0
    while place < len(actions):
        action = actions[place]
        if action.op is Op.BETWEEN and (period := _period_at(actions, place, slots, values)) is not None:
            aligned += period
            place += 3
            continue
        if action.op is Op.VALUE:
            action = Action(Op.VALUE, _number(question, slots[action.number], values, elements))
        aligned.append(action)
        place += 1
    return values, aligned


def places_in(question: str) -> Callable[[Value], float]:
    """Return a function that tells where a question names a constant; infinity if nowhere."""
    values = literal_values(question)

    def place_of(wanted: Value) -> float:
        if isinstance(wanted, str) and (span := _span(question, wanted)) is not None:
            return span[0]
        day = day_of(wanted)
        return next((one.start for one in values if _states(wanted, day, one)), math.inf)

    return place_of


def _period_at(
    actions: Sequence[Action], place: int, slots: Sequence[Slot], values: Sequence[QuestionValue]
) -> list[Action] | None:
    """Return the actions for the two bounds that follow a place, if the question names them as a period."""
    bounds = actions[place + 1 : place + 3]
    if any(one.op is not Op.VALUE for one in bounds):
        return None
    first, last = (slots[one.number] for one in bounds)
    return _period(first.value, last.value, values)


def _period(begin: Value, end: Value, values: Sequence[QuestionValue]) -> list[Action] | None:
    """Read two bounds as a period that the question names, such as a decade or a year."""
    days = first, last = [day_of(value) or _epoch_day(value) for value in (begin, end)]
    for number, value in enumerate(values):
        if value.is_period and not isinstance(value.value, Recurring):
            start, stop = value.value
            if days == [start, stop] or (begin, end) == (start.year, stop.year):
                return [Action(Op.WITHIN), Action(Op.VALUE, number)]
        elif value.form is ValueForm.YEAR and first is not None and last is not None:
            year = value.value
            if first == date(year, 1, 1) and last >= date(year, 12, 31) and last.year - year < 2:
                return [Action(Op.EQUAL), Action(Op.VALUE, number)]
    return None


def _epoch_day(value: Value) -> date | None:
    """Return the day of seconds or milliseconds since 1970."""
    return _moment_day(value) if isinstance(value, int) and 3e8 < value < 4e12 else None


def _moment_day(moment: int) -> date:
    seconds = moment // 1000 if moment > _LAST_SECOND else moment
    return date(1970, 1, 1) + timedelta(days=seconds // 86_400)


def _number(question: str, slot: Slot, values: list[QuestionValue], elements: SchemaElements) -> int:
    matching = [number for number, value in enumerate(values) if _fits(slot, value, elements)]
    if matching:
        return matching[0]
    if isinstance(slot.value, str) and slot.op in _EXACT:
        span = _span(question, slot.value)
        if span is not None:
            start, end = span
            same = (number for number, one in enumerate(values) if (one.start, one.end) == span)
            if (number := next(same, None)) is not None:
                return number
            stored = {slot.property: slot.value} if slot.property is not None else {}
            values.append(QuestionValue(start, end, ValueForm.TEXT, question[start:end], question[start:end], stored))
            return len(values) - 1
    value = shown(slot.value) if isinstance(slot.value, str) else shortened(value_text(slot.value))
    raise UnstatedValueError(
        f"its plan uses {value}, which the question does not state; write it as the graph spells it"
    )


def _fits(slot: Slot, value: QuestionValue, elements: SchemaElements) -> bool:
    """Return whether a value of the question states a constant."""
    wanted = slot.value
    owned = elements.properties[slot.property] if slot.property is not None else None
    content = owned.schema.content if owned is not None else None
    if owned is not None and _fits_in_unit(wanted, value, unit_of(owned.key, owned.schema)):
        return True
    return _states(wanted, day_of(wanted) if content in DATES or isinstance(wanted, date) else None, value)


def _fits_in_unit(wanted: Value, value: QuestionValue, unit: Unit | None) -> bool:
    """Return whether a number with a unit is a constant in the unit of its property: `1 km` for 1000 metres."""
    units, number = (MINUTE_OR_METRE, value.plain) if value.plain is not None else (value.units, value.value)
    is_number = isinstance(wanted, int | float) and isinstance(number, int | float) and not isinstance(wanted, bool)
    found = converted_number(number, units, unit) if is_number else None
    return found is not None and _fits_number(wanted, found)


def _states(wanted: Value, day: date | None, value: QuestionValue) -> bool:
    """Return whether a value of a question states what a constant is: the `day`, if it is one."""
    if isinstance(wanted, bool) or value.is_period:
        return False
    if isinstance(wanted, int | float):
        return _fits_moment(wanted, value) or _fits_number(wanted, value.value)
    if day is not None:
        return _fits_day(day, value)
    return isinstance(wanted, str) and wanted.casefold() in (str(value.value).casefold(), value.text.casefold())


def _fits_moment(wanted: float, value: QuestionValue) -> bool:
    """Return whether seconds or milliseconds since 1970 are a day, or a bound of a year."""
    if not isinstance(wanted, int) or not 10**8 < wanted < _LAST_MILLISECOND:
        return False
    day = _moment_day(wanted)
    if isinstance(value.value, date):
        return day == value.value
    if value.form is not ValueForm.YEAR:
        return False
    bounds = date(value.value, 1, 1), date(value.value, 12, 31)
    return any(abs((day - bound).days) <= 1 for bound in bounds)


def _fits_number(wanted: float, found: Value) -> bool:
    if isinstance(found, int | float):
        return abs(wanted - found) <= 1e-9 * max(1.0, abs(wanted))
    return isinstance(found, str) and found.replace(",", "") == str(wanted)


def _fits_day(day: date, value: QuestionValue) -> bool:
    found = day_of(value.value)
    if found is not None:
        return found == day
    return value.form is ValueForm.YEAR and (day.month, day.day) in ((1, 1), (12, 31)) and day.year == value.value


def _span(question: str, text: str) -> tuple[int, int] | None:
    """Find the words that name a stored text: the text itself, its adjective, or words with the same stem."""
    for said in (text, *adjectives_for(text)):
        found = re.search(rf"(?<!\w){re.escape(said)}(?!\w)", question, re.IGNORECASE)
        if found is not None:
            return found.span()
    words = re.findall(r"\w+", text.lower())
    if (short := _short_name(question, text)) is not None:
        return short
    if not 0 < len(words) <= 3:
        return None
    spans = []
    for word in words:
        stem = re.escape(word[: max(4, len(word) - 3)]) if len(word) > 4 else re.escape(word)
        match = re.search(rf"\b{stem}\w{{0,4}}\b", question, re.IGNORECASE)
        if match is None:
            return None
        spans.append(match.span())
    start, end = min(start for start, _ in spans), max(end for _, end in spans)
    return (start, end) if end - start < 3 * len(text) + 8 else None


def _short_name(question: str, text: str) -> tuple[int, int] | None:
    """Find the first or the last word of a name of two or three capitalised words, as people say it: `Petra`."""
    words = text.split()
    if not 1 < len(words) <= _MOST_NAME_WORDS or not all(word[:1].isupper() and word.isalpha() for word in words):
        return None
    for word in (words[-1], words[0]):
        if len(word) < _SHORTEST_NAME or word.lower() in _ARTICLES:
            continue
        found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", question, re.IGNORECASE)
        if found is not None:
            return found.span()
    return None


def linked(
    values: Sequence[QuestionValue], actions: Sequence[Action], slots: Sequence[Slot], elements: SchemaElements
) -> list[QuestionValue]:
    """Mark the values that a graph would contain: those that a plan compares with a property for equality."""
    result = list(values)
    order = [action.number for action in actions if action.op is Op.VALUE]
    for number, slot in zip(order, slots, strict=False):
        if slot.property is None or slot.op not in _EQUALITIES or not isinstance(slot.value, str):
            continue
        if elements.properties[slot.property].schema.content is ValueType.STRING:
            stored = {**result[number].stored, slot.property: slot.value}
            result[number] = replace(result[number], stored=stored)
    return result


def settled(values: Sequence[QuestionValue], actions: Sequence[Action]) -> tuple[list[QuestionValue], list[Action]]:
    """Return the values as linking gives them: in order, without texts that overlap with stored ones.

    What the actions name stays. Their numbers follow.
    """
    named = {action.number for action in actions if action.op is Op.VALUE}
    stored = [one for one in values if one.stored]
    kept = [
        number
        for number, one in enumerate(values)
        if number in named or one.stored or not any(one.start < other.end and other.start < one.end for other in stored)
    ]
    kept.sort(key=lambda number: (values[number].start, values[number].end))
    places = {number: place for place, number in enumerate(kept)}
    moved = [Action(Op.VALUE, places[one.number]) if one.op is Op.VALUE else one for one in actions]
    return [values[number] for number in kept], moved
