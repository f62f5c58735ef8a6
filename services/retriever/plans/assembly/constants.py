"""Compare expressions with the values of a question, as the type of the property requires."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Literal

from graph.plan.algebra import And, Call, Comparison, Constant, Expression, Function, ListOf, Not, Or, Property
from graph.plan.content_types import words_of
from graph.plan.schema import PropertySchema
from graph.plan.text_readings import value_in
from graph.plan.values import Value, ValueType
from language.english.quantities import MINUTE_OR_METRE
from language.units import SECOND, Unit, converted_number
from language.values import QuestionValue, Recurring, ValueForm
from services.retriever.plans.grammar.actions import Op
from services.retriever.plans.schema.quantities import unit_of
from services.retriever.plans.schema.value_types import DATES, NUMBERS
from shared.errors import InvalidInputError

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in", "contains", "starts_with", "ends_with"]
OPERATORS: dict[Op, Operator] = {
    Op.EQUAL: "=", Op.UNEQUAL: "!=", Op.LESS: "<", Op.AT_MOST: "<=", Op.GREATER: ">", Op.AT_LEAST: ">=",
    Op.CONTAINS: "contains", Op.STARTS_WITH: "starts_with", Op.ENDS_WITH: "ends_with",
}  # fmt: skip
_OF_TEXT = (Op.EQUAL, Op.UNEQUAL, Op.CONTAINS, Op.STARTS_WITH, Op.ENDS_WITH)
_MAX_ROWS = 10_000
_MOMENT_WORDS = {"date", "time", "timestamp", "created", "updated", "modified", "at", "on", "creation", "activity"}
_SECONDS_OF_DAY = 86_400
_SAME_BEGINNING = {1: 7, 120: 3, 1200: 2}
"""The number of characters with which all dates of a period begin, by its months."""


class QuestionConstants:
    """Turn the values of one question into constants; actions name them by number."""

    def __init__(self, values: Sequence[QuestionValue], property_numbers: Mapping[int, int]) -> None:
        """Take the values, and the numbers of properties by the identity of their schemas."""
        self._values = values
        self._property_numbers = property_numbers

    def compare(self, op: Op, left: Expression, described: PropertySchema | None, numbers: Sequence[int]) -> Expression:
        """Compare an expression with values; raise InvalidInputError if one may be several days, and none is meant.

        Args:
            op: The operator.
            left: The expression.
            described: The schema of the property that the expression is, if it is one.
            numbers: The numbers of the values: two for a range, any number for a list, and one otherwise.
        """
        found = [_dated(self._values[number], described) for number in numbers]
        content = described.content if described is not None else None
        match op:
            case Op.ONE_OF:
                return self._one_of(left, described, found)
            case Op.BETWEEN:
                bounds = zip((Op.AT_LEAST, Op.AT_MOST), found, strict=True)
                return And(tuple(self._one(bound, left, described, value) for bound, value in bounds))
            case Op.WITHIN if isinstance(found[0].value, Recurring):
                return _recurring(left, found[0].value, described)
            case Op.WITHIN if not _epoch_unit_of(left, described):
                return _within(left, found[0].value, content)
        return self._one(op, left, described, found[0])

    def with_unit(self, number: int) -> int | None:
        """Return the place of the value that is this number of a unit, as in `one hour`; None if there is none."""
        return next((place for place, one in enumerate(self._values) if one.units and one.value == number), None)

    def name(self, node: str, key: str, number: int, described: PropertySchema) -> Expression:
        """Compare the name of a node with a value."""
        return self._one(Op.EQUAL, Property(node, key), described, _dated(self._values[number], described))

    def count(self, number: int) -> int:
        """Return a value as a number of rows."""
        value = self._values[number].value
        return max(0, min(int(value), _MAX_ROWS)) if isinstance(value, int | float) else 1

    def constant(self, number: int, described: PropertySchema | None) -> Constant:
        """Return a value in the type of a property."""
        return Constant(self._converted(_dated(self._values[number], described), described))

    def _one_of(self, left: Expression, described: PropertySchema | None, found: Sequence[QuestionValue]) -> Expression:
        content = described.content if described is not None else None
        if content in DATES or _epoch_unit_of(left, described):
            return Or(tuple(self._one(Op.EQUAL, left, described, one) for one in found))
        unit = _unit_of(left, described)
        items = tuple(
            Constant(item)
            for one in found
            for item in self._spellings(one, described) or (self._converted(one, described, unit),)
        )
        if content is ValueType.LIST:
            return Or(tuple(Comparison("in", item, left) for item in items))
        return Comparison("in", left, ListOf(items))

    def _one(self, op: Op, left: Expression, described: PropertySchema | None, value: QuestionValue) -> Expression:
        content = described.content if described is not None else None
        unit = _epoch_unit_of(left, described)
        if unit and (days := _days(value)) is not None:
            begin, end = (_seconds(days[0]) * unit, (_seconds(days[1]) + _SECONDS_OF_DAY) * unit)
            return _in_period(op, left, begin, end)
        if content in DATES and value.form is ValueForm.YEAR:
            return Comparison(OPERATORS[op], Call(Function.YEAR, (left,)), Constant(value.value))
        constant = self._converted(value, described, _unit_of(left, described))
        if isinstance(constant, datetime) and constant.time() == time():
            return _in_period(op, left, constant, constant + timedelta(days=1))
        spellings = self._spellings(value, described)
        if content is ValueType.LIST and op in (Op.CONTAINS, Op.EQUAL):
            held = [Comparison("in", Constant(one), left) for one in spellings or (constant,)]
            return held[0] if len(held) == 1 else Or(tuple(held))
        if spellings and op in (Op.EQUAL, Op.UNEQUAL):
            among = Comparison("in", left, ListOf(tuple(map(Constant, spellings))))
            return among if op is Op.EQUAL else Not(among)
        is_exact = value.form is ValueForm.QUOTED or (self._stored(value, described) is not None and not spellings)
        ignore_case = isinstance(constant, str) and not is_exact and op in _OF_TEXT
        return Comparison(OPERATORS[op], left, Constant(constant), ignore_case=ignore_case)

    def _stored(self, value: QuestionValue, described: PropertySchema | None) -> Value:
        return value.stored.get(self._property_numbers.get(id(described), -1))

    def _spellings(self, value: QuestionValue, described: PropertySchema | None) -> tuple[str, ...]:
        return value.spellings.get(self._property_numbers.get(id(described), -1), ())

    def _converted(self, value: QuestionValue, described: PropertySchema | None, unit: Unit | None = None) -> Value:
        if described is None:
            return value.value
        if value.units and unit is not None:
            number = converted_number(value.value, value.units, unit)
            if number is None:
                raise InvalidInputError(f"{value.text} is a number of another unit than what it is compared with")
            return number
        if value.plain is not None and (number := converted_number(value.plain, MINUTE_OR_METRE, unit)) is not None:
            return number
        stored = self._stored(value, described)
        return stored if stored is not None else converted(value, described.content)


def _dated(value: QuestionValue, described: PropertySchema | None) -> QuestionValue:
    """Return a text that may be several days as the day that it is in a property.

    Raises InvalidInputError if the property has other values than texts, and does not tell which day it is.
    """
    if not value.is_uncertain:
        return value
    content, reading = (described.content, described.reading) if described is not None else (None, None)
    if content is ValueType.STRING:
        return replace(value, form=ValueForm.TEXT, value=value.text)
    day = value_in(value.text, reading) if reading is not None else None
    if not isinstance(day, date):
        raise InvalidInputError(f"{value.text} may be several days, and what it is compared with does not tell which")
    return replace(value, value=day)


def epoch_unit(key: str, described: PropertySchema) -> int:
    """Return 1 if an integer property holds seconds since 1970, 1000 for milliseconds, and 0 otherwise."""
    numbers = [value for value in described.samples if isinstance(value, int) and not isinstance(value, bool)]
    if described.content is not ValueType.INTEGER or not numbers or not _MOMENT_WORDS & set(words_of(key)):
        return 0
    for unit in (1, 1000):
        if all(3e8 * unit < value < 4e9 * unit for value in numbers):
            return unit
    return 0


def _epoch_unit_of(left: Expression, described: PropertySchema | None) -> int:
    return epoch_unit(left.key, described) if described is not None and isinstance(left, Property) else 0


def _unit_of(left: Expression, described: PropertySchema | None) -> Unit | None:
    """Return the unit of a property; seconds if the expression is the length of a duration."""
    if described is None:
        return None
    if described.are_durations:
        return SECOND
    return unit_of(left.key, described) if isinstance(left, Property) else None


def converted(value: QuestionValue, content: ValueType | None) -> Value:
    """Return a value in the type of a property if possible, and as the question states it otherwise."""
    found = value.value
    if content is ValueType.STRING and not isinstance(found, str):
        return value.text
    if content is ValueType.DATETIME and isinstance(found, date):
        return datetime.combine(found, time())
    if isinstance(found, str):
        try:
            if content in NUMBERS:
                return _number(found)
            if content in DATES:
                moment = datetime.fromisoformat(found)
                return moment if content is ValueType.DATETIME else moment.date()
        except ValueError:
            return found
    return found


def _number(text: str) -> Value:
    number = float(text.replace(",", ""))
    if not math.isfinite(number):
        raise ValueError("the number is not finite")
    return int(number) if number.is_integer() else number


# Periods


def _in_period(op: Op, left: Expression, begin: Value, end: Value) -> Expression:
    """Compare a moment with a period, of which `end` is no part."""
    match op:
        case Op.GREATER:
            return Comparison(">=", left, Constant(end))
        case Op.AT_LEAST:
            return Comparison(">=", left, Constant(begin))
        case Op.LESS:
            return Comparison("<", left, Constant(begin))
        case Op.AT_MOST:
            return Comparison("<", left, Constant(end))
    inside = And((Comparison(">=", left, Constant(begin)), Comparison("<", left, Constant(end))))
    return Not(inside) if op is Op.UNEQUAL else inside


def _within(left: Expression, period: tuple[date, date], content: ValueType | None) -> Expression:
    first, last = period
    after = last + timedelta(days=1)
    match content:
        case ValueType.DATE:
            return _in_period(Op.WITHIN, left, first, after)
        case ValueType.DATETIME:
            return _in_period(Op.WITHIN, left, datetime.combine(first, time()), datetime.combine(after, time()))
        case ValueType.STRING:
            return _of_text(left, first, after)
    return And((Comparison(">=", left, Constant(first.year)), Comparison("<=", left, Constant(last.year))))


def _recurring(left: Expression, period: Recurring, described: PropertySchema | None) -> Expression:
    """Compare the month or the weekday of a moment, which may be a text or the time since 1970."""
    function, number = (Function.MONTH, period.month) if period.month else (Function.WEEKDAY, period.weekday)
    moment = left
    if unit := _epoch_unit_of(left, described):
        moment = Call(Function.FROM_EPOCH_SECONDS if unit == 1 else Function.FROM_EPOCH_MILLISECONDS, (left,))
    elif described is not None and described.content is ValueType.STRING:
        moment = Call(Function.TO_DATE, (left,))
    return Comparison("=", Call(function, (moment,)), Constant(number))


def _of_text(left: Expression, first: date, after: date) -> Expression:
    """Compare a text that begins with a date; all dates of a month, a decade, or a century begin with the same text."""
    months = (after.year - first.year) * 12 + after.month - first.month
    if (first.day, after.day) == (1, 1) and months in _SAME_BEGINNING:
        return Comparison("starts_with", left, Constant(first.isoformat()[: _SAME_BEGINNING[months]]))
    return _in_period(Op.WITHIN, left, first.isoformat(), after.isoformat())


def _days(value: QuestionValue) -> tuple[date, date] | None:
    """Return the first and the last day of a date, a year, or a period."""
    if value.form is ValueForm.YEAR:
        return date(value.value, 1, 1), date(value.value, 12, 31)
    if value.is_period and not isinstance(value.value, Recurring):
        first, last = value.value
        return first, last
    return (value.value, value.value) if isinstance(value.value, date) else None


def _seconds(day: date) -> int:
    return (day - date(1970, 1, 1)).days * _SECONDS_OF_DAY
