"""Give the differences of two nodes the sign and the unit that their question asks for."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from graph.plan.algebra import (
    Aggregate,
    Arithmetic,
    Call,
    Column,
    Constant,
    Expression,
    Plan,
    Property,
)
from graph.plan.durations import SECONDS_OF_DAY, SECONDS_OF_MONTH
from graph.plan.functions import Function
from graph.plan.traversal import rewrite, variables_of
from graph.plan.values import ValueType
from language.marks import Mark
from language.question import Question
from language.units import AGE, MOMENT, SECONDS_OF_YEAR, TIME, Unit
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.names.named_nodes import named_nodes
from services.retriever.plans.schema.quantities import dimensions_of, unit_of
from services.retriever.plans.schema.schema_elements import SchemaElements
from services.retriever.plans.schema.value_types import DATES

_BETWEEN = (Function.DURATION_BETWEEN, Function.SECONDS_BETWEEN)
_MONTHS = (SECONDS_OF_MONTH, SECONDS_OF_YEAR)


def as_asked(plan: Plan, asked: AskedQuestion) -> Plan:
    """Return a plan whose results have the sign and the unit that the question asks for.

    `How much more does Ann earn than Bob` subtracts Bob's salary; other differences of two nodes have no sign.
    """
    question, elements = asked.question, asked.elements
    starts, wanted = named_nodes(plan, asked.values), question.asked_unit
    units = wanted.units if wanted is not None else ()

    def replacement(part: Any) -> Any:
        if not isinstance(part, Column | Aggregate) or part.value is None:
            return None
        if (age := _age(part.value, question, elements)) is not None:
            return replace(part, name="age", value=age)
        value = _in_units(_signed(part.value, question, starts), units, elements)
        return replace(part, name=part.name.removesuffix("_seconds"), value=value) if value != part.value else None

    last = plan.steps[-1]
    changed = rewrite(last, replacement)
    return plan if changed == last else Plan((*plan.steps[:-1], changed))


def _signed(value: Expression, question: Question, starts: Mapping[str, int]) -> Expression:
    """Give a difference of two nodes that the question names its sign."""
    if not isinstance(value, Arithmetic) or value.operator != "-":
        return value
    first, second = sorted(variables_of(value.left)), sorted(variables_of(value.right))
    if len(first) != 1 or len(second) != 1 or first == second or not {*first, *second} <= starts.keys():
        return value
    is_first = starts[first[0]] < starts[second[0]]
    if question.says(Mark.HOW_MUCH_MORE):
        return value if is_first else Arithmetic("-", value.right, value.left)
    if question.says(Mark.HOW_MUCH_LESS):
        return Arithmetic("-", value.right, value.left) if is_first else value
    return Call(Function.ABS, (value,))


def _age(value: Expression, question: Question, elements: SchemaElements) -> Expression | None:
    """Return how old something is today if a question asks for that, and the value says since when it exists."""
    if not isinstance(value, Property) or not question.says(Mark.IS_HOW_OLD):
        return None
    schema = next((one.schema for one in elements.properties if one.key == value.key), None)
    if schema is None or not {AGE, MOMENT} <= dimensions_of(value.key, schema):
        return None
    today = Call(Function.TODAY, ())
    if schema.content in DATES:
        return _years(Call(Function.MONTHS_BETWEEN, (value, today)))
    return Arithmetic("-", Call(Function.YEAR, (today,)), value) if schema.content is ValueType.INTEGER else None


def _years(months: Expression) -> Expression:
    return Call(Function.TO_INTEGER, (Call(Function.FLOOR, (Arithmetic("/", months, Constant(12.0)),)),))


def _in_units(value: Expression, units: Sequence[Unit], elements: SchemaElements) -> Expression:
    """Convert a number or a duration to the unit that a question names, if it measures the same."""
    if not units:
        return value
    if isinstance(value, Call) and value.function is Function.ABS:
        return replace(value, arguments=tuple(_in_units(one, units, elements) for one in value.arguments))
    seconds, ends = _seconds(value, elements)
    time = next((unit for unit in units if unit.dimension == TIME), None)
    if time is not None and ends and time.factor == SECONDS_OF_DAY:
        return Call(Function.DAYS_BETWEEN, ends)
    if time is not None and ends and time.factor in _MONTHS:
        months = Call(Function.MONTHS_BETWEEN, ends)
        return months if time.factor == SECONDS_OF_MONTH else _years(months)
    if time is not None and seconds is not None:
        return Arithmetic("/", seconds, Constant(float(time.factor)))
    if isinstance(value, Property):
        found = next((unit_of(one.key, one.schema) for one in elements.properties if one.key == value.key), None)
        wanted = next((unit for unit in units if found is not None and unit.dimension == found.dimension), None)
        if found is not None and wanted is not None and wanted.factor != found.factor:
            return Arithmetic("*", value, Constant(found.factor / wanted.factor))
    return value


def _seconds(value: Expression, elements: SchemaElements) -> tuple[Expression | None, tuple[Expression, ...]]:
    """Return the seconds that an expression stands for, and the moments between which they pass."""
    match value:
        case Call(function=function, arguments=ends) if function in _BETWEEN:
            return Call(Function.SECONDS_BETWEEN, ends), ends
        case Call(function=Function.DURATION_LENGTH):
            return value, ()
        case Property(key=key) if any(one.key == key and one.schema.are_durations for one in elements.properties):
            return Call(Function.DURATION_LENGTH, (value,)), ()
    return None, ()
