"""Refuse to sort, compare, or add up texts as if they were numbers or dates, and show texts as they are stored.

Stores apply this to plans of all kinds, also to Cypher, which reads properties as they are stored. A plan that sorts
texts by their letters converts the property with `to_string`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Comparison,
    Expression,
    Filter,
    Group,
    Order,
    Plan,
    Project,
    Property,
    Slice,
    SortKey,
    Step,
    Union,
    Variable,
)
from graph.plan.reading_detection import Unread
from graph.plan.schema import GraphSchema, PropertySchema
from graph.plan.scope import Scope, declared_properties
from graph.plan.scoped_rewriting import rewrite_step
from graph.plan.text_readings import TextReading
from graph.plan.traversal import walk
from graph.plan.values import ValueType
from shared.errors import InvalidInputError
from shared.text import shown

_ORDERS = {"<", "<=", ">", ">="}
_EXTREMES = {AggregateFunction.MIN, AggregateFunction.MAX}
_TOTALS = {AggregateFunction.SUM, AggregateFunction.AVERAGE}
_ADVICE = {
    Unread.TWO_DATE_ORDERS: "are dates with the day first or with the month first; import the files again with --dates "
    "day-first or --dates month-first",
    Unread.TWO_NUMBERS: "are numbers in which a sign may begin the decimals or separate thousands; write the numbers "
    "without separators between thousands",
    Unread.NO_READING: "look like numbers or dates, but are not written in one way; write all of them alike, such as "
    "12.5 and 1996-08-01",
}
_Texts = Mapping[str, str]
"""The variables that hold texts without an order, with the problems."""


def check_text_order(plan: Plan, schema: GraphSchema) -> None:
    """Check that a plan neither sorts nor compares by size, nor adds up, texts that are no numbers or dates.

    Raises:
        InvalidInputError: The plan does so. The message names the property, and says what to do.
    """
    parts = list(walk(plan))
    keys = {part.key for part in parts if isinstance(part, Property)}
    if schema.text_keys.isdisjoint(keys) and not any(_is_total(part) for part in parts):
        return
    scope = Scope(schema)
    checker = _Checker({})
    for step in plan.steps:
        if isinstance(step, Union):
            for part in step.plans:
                check_text_order(part, schema)
        else:
            rewrite_step(step, scope, checker.check)
        checker = _Checker(checker.after(step, scope))
        scope = scope.after(step)


class _Checker:
    """Check the parts of a step that takes rows with these variables."""

    def __init__(self, texts: _Texts) -> None:
        self._texts = texts

    def after(self, step: Step, scope: Scope) -> _Texts:
        """Return the variables that hold such texts after a step."""
        columns: Sequence[Column] = ()
        match step:
            case Project():
                columns = step.columns
            case Group():
                columns = step.keys
            case Union():
                return {}
            case _:
                return self._texts
        return {one.name: found for one in columns if (found := self._text(one.value, scope)) is not None}

    def check(self, part: Any, scope: Scope) -> None:
        """Raise InvalidInputError if a part orders or adds up texts."""
        match part:
            case SortKey():
                self._check_order(scope, part.value)
            case Comparison() if part.operator in _ORDERS:
                self._check_order(scope, part.left, part.right)
            case Aggregate(value=value) if value is not None and part.function in _EXTREMES:
                self._check_order(scope, value)
            case Aggregate(value=Property() as value) if _is_total(part):
                self._check_total(part.function, value, scope)

    def _text(self, value: Expression, scope: Scope) -> str | None:
        match value:
            case Variable():
                return self._texts.get(value.name)
            case Property():
                problems = (_problem(one, value) for one in declared_properties(scope, value))
                return next((problem for problem in problems if problem is not None), None)
        return None

    def _check_order(self, scope: Scope, *values: Expression) -> None:
        for value in values:
            if (problem := self._text(value, scope)) is not None:
                raise InvalidInputError(f"the texts of the property {problem}")

    def _check_total(self, function: AggregateFunction, value: Property, scope: Scope) -> None:
        if (problem := self._text(value, scope)) is not None:
            raise InvalidInputError(f"{function} needs numbers, but the texts of the property {problem}")
        declared = declared_properties(scope, value)
        if declared and all(_is_text(one, value) for one in declared):
            raise InvalidInputError(f"{function} needs numbers, but the property {shown(value.key)} holds texts")


def _problem(described: PropertySchema, read: Property) -> str | None:
    """Say why the texts of a property have no order, and what to do; None if they have one."""
    if described.unread is not None:
        return f"{shown(read.key)} {_ADVICE[described.unread]}, or set its type in KGQA_PROPERTY_TYPES"
    if described.reading is not None and read.as_stored:
        function = "to_float" if described.reading is TextReading.DECIMALS else "to_string"
        return f"{shown(read.key)} are {described.reading}, which have no order as stored; convert them with {function}"
    return None


def _is_total(part: object) -> bool:
    return isinstance(part, Aggregate) and part.function in _TOTALS


def _is_text(described: PropertySchema, read: Property) -> bool:
    types = described.stored if read.as_stored else {described.content}
    return types == {ValueType.STRING} and not described.holds_durations


def showing_stored_texts(plan: Plan, schema: GraphSchema) -> Plan:
    """Let the last columns of a plan show texts that are read as numbers or dates as they are stored.

    A column that a later step uses is left as it is.
    """
    if schema.text_keys.isdisjoint(part.key for part in walk(plan) if isinstance(part, Property)):
        return plan
    place = next((place for place in reversed(range(len(plan.steps))) if isinstance(plan.steps[place], Project)), None)
    if place is None:
        return plan
    step, later = plan.steps[place], plan.steps[place + 1 :]
    if not isinstance(step, Project) or not all(isinstance(one, Order | Slice | Filter) for one in later):
        return plan
    scope = Scope(schema)
    for before in plan.steps[:place]:
        scope = scope.after(before)
    used = {part.name for part in walk(later) if isinstance(part, Variable)}
    used.update(name for one in later if isinstance(one, Slice) for name in one.per)
    columns = tuple(one if one.name in used else _shown(one, scope) for one in step.columns)
    return Plan((*plan.steps[:place], replace(step, columns=columns), *later))


def _shown(column: Column, scope: Scope) -> Column:
    value = column.value
    if isinstance(value, Property) and any(one.reading is not None for one in declared_properties(scope, value)):
        return replace(column, value=replace(value, as_stored=True))
    return column
