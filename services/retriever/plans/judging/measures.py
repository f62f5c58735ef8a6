"""Recognise plans that measure something else than their question: the shortest job by its cost, or hours in grams."""

import re
from collections.abc import Iterable, Iterator, Sequence

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    Call,
    Comparison,
    Constant,
    Expression,
    Group,
    Order,
    Plan,
    Project,
    Property,
)
from graph.plan.functions import DIFFERENCES, Function
from graph.plan.traversal import walk
from graph.plan.values import ValueType
from language.english.quantities import asked_unit, compared
from language.english.stems import question_words
from language.question import Question
from language.units import AGE, LENGTH, MASS, MOMENT, MONEY, SPEED, TIME, Compared
from language.values import QuestionValue
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.predictor.quiet_values import without_operators
from services.retriever.plans.schema.quantities import dimensions_of
from services.retriever.plans.schema.schema_elements import OwnedProperty, SchemaElements

_EXTREMES = (AggregateFunction.MIN, AggregateFunction.MAX, AggregateFunction.SHORTEST, AggregateFunction.LONGEST)
_HIGHEST = (AggregateFunction.MAX, AggregateFunction.LONGEST)
_FIRST = re.compile(
    r"\b(?:the|was|is|were|came) (?:very )?(?:first|last)\b"
    r"(?! (?:names?|week|half|quarter|month|year|day|\d+|one|two|three|four|five|ten)\b)",
    re.IGNORECASE,
)
_BY = re.compile(r"\b(?:by|sort(?:ed)?|order(?:ed)?|rank(?:ed)?)\b", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|passed|elapsed|apart)\b", re.IGNORECASE)
_ORDERS = ("<", "<=", ">", ">=")
_TIMED = DIFFERENCES | {Function.DURATION_LENGTH}
_HOW = re.compile(r"\bhow (old|long|tall|high|deep|wide|heavy|far|fast|expensive)\b", re.IGNORECASE)
_WHEN = re.compile(
    r"\W*(?:when|since when|(?:on|in|at) (?:which|what) (?:date|day|month|year)|what (?:date|day))\b", re.IGNORECASE
)
_ASKED = {
    "old": frozenset((AGE,)), "long": frozenset((TIME, LENGTH)), "heavy": frozenset((MASS,)),
    "far": frozenset((LENGTH,)), "fast": frozenset((SPEED, TIME)), "expensive": frozenset((MONEY,)),
    **dict.fromkeys(("tall", "high", "deep", "wide"), frozenset((LENGTH,))),
}  # fmt: skip


def measures_another(
    question: Question, values: Sequence[QuestionValue], plan: Plan, actions: Sequence[Action], elements: SchemaElements
) -> bool:
    """Return whether a plan compares, sorts by, counts, or returns what the question does not measure."""
    said = without_operators(question, values)
    return (
        _compares_other_units(values, actions, elements)
        or _mixes_measures(plan, elements)
        or _compares_another(said, plan, elements)
        or _returns_another(said, plan, elements)
        or _counts_units(said, plan, elements)
        or _subtracts_lengths(said, plan, elements)
        or _orders_another(said, plan, elements)
    )


def measured(plan: Plan, elements: SchemaElements) -> frozenset[str]:
    """Return what the properties and the differences of a plan measure, as far as that is known."""
    found = (_dimensions(part, elements) for part in walk(plan) if isinstance(part, Property | Call))
    return frozenset().union(*found)


def _compares_other_units(values: Sequence[QuestionValue], actions: Sequence[Action], elements: SchemaElements) -> bool:
    """Return whether a number with a unit is compared with a text, or with what has other units."""
    compared: OwnedProperty | None = None
    for op, number in actions:
        if op is Op.PROPERTY:
            compared = elements.properties[number]
        elif op is Op.COLUMN or op in (Op.LIMIT, Op.COUNT_OF):
            compared = None
        elif op is Op.VALUE and compared is not None and (units := values[number].units):
            known = dimensions_of(compared.key, compared.schema)
            is_text = compared.schema.content in (ValueType.STRING, ValueType.LIST)
            if is_text or (known and not any(unit.fits(known) for unit in units)):
                return True
    return False


def _mixes_measures(plan: Plan, elements: SchemaElements) -> bool:
    """Return whether a plan compares two properties that measure different things."""
    for part in walk(plan):
        if isinstance(part, Comparison) and part.operator in _ORDERS:
            left, right = _dimensions(part.left, elements), _dimensions(part.right, elements)
            if left and right and left.isdisjoint(right):
                return True
    return False


def _compares_another(question: str, plan: Plan, elements: SchemaElements) -> bool:
    """Return whether a plan compares by another measure than the question, or asks for its other end.

    A measure that is not known is another one if the same node has one that is known to be right.
    """
    wanted = compared(question)
    if wanted is None:
        return False
    return any(_is_another(value, is_high, wanted, elements) for value, is_high in _compared(plan))


def _is_another(value: Expression, is_high: bool | None, wanted: Compared, elements: SchemaElements) -> bool:
    known, has_better = _dimensions(value, elements), _has_better(value, wanted.dimensions, elements)
    if known & wanted.dimensions:
        return None not in (is_high, wanted.is_high) and is_high is not wanted.is_high
    if known == frozenset((MOMENT,)) and TIME in wanted.dimensions:
        return has_better  # those who have worked here longest are those hired first
    return bool(known) or has_better


def _compared(plan: Plan) -> Iterator[tuple[Expression, bool | None]]:
    """Yield what a plan sorts by, takes the extremes of, and compares with one another, and whether it wants more."""
    for part in walk(plan):
        match part:
            case Order():
                yield from ((key.value, key.descending) for key in part.keys[:1])
            case Aggregate(function=function, value=value) if function in _EXTREMES and value is not None:
                yield value, function in _HIGHEST
            case Comparison(operator=operator, right=right) if operator in _ORDERS and not isinstance(right, Constant):
                yield part.left, None


def _has_better(value: Expression, wanted: frozenset[str], elements: SchemaElements) -> bool:
    """Return whether what a property belongs to has another property with one of the wanted dimensions."""
    if not isinstance(value, Property):
        return False
    owners = {(one.of_relationship, one.owner) for one in elements.properties if one.key == value.key}
    others = [one for one in elements.properties if (one.of_relationship, one.owner) in owners]
    return any(not wanted.isdisjoint(dimensions_of(one.key, one.schema)) for one in others)


def _returns_another(question: str, plan: Plan, elements: SchemaElements) -> bool:
    """Return whether a plan returns only what is known to measure something else than `how old`, `when`, and so on."""
    found, last = _HOW.search(question), plan.steps[-1]
    is_moment = found is None and _WHEN.match(question) is not None
    if (found is None and not is_moment) or not isinstance(last, Project):
        return False
    wanted = frozenset((MOMENT, AGE)) if found is None else _ASKED[found[1].lower()]
    known = [_dimensions(column.value, elements) for column in last.columns]
    return all(one and one.isdisjoint(wanted) for one in known)


def _counts_units(question: str, plan: Plan, elements: SchemaElements) -> bool:
    """Return whether a plan counts nodes where the question asks for a number of hours, and the like."""
    asked, last = asked_unit(question), plan.steps[-1]
    if asked is None or not asked.is_counted or not isinstance(last, Group):
        return False
    is_kind = any(root in elements.roots for _, _, root in question_words(question[asked.start : asked.end]))
    counts = all(one.function is AggregateFunction.COUNT for one in last.aggregates)
    return counts and not is_kind and not asked.fits(measured(plan, elements))


def _subtracts_lengths(question: str, plan: Plan, elements: SchemaElements) -> bool:
    """Return whether a plan subtracts how long two things last where the question asks for the time between them."""
    asked, last = asked_unit(question), plan.steps[-1]
    if asked is None or not _BETWEEN.search(question) or not isinstance(last, Project):
        return False
    parts = [part for column in last.columns for part in walk(column.value) if isinstance(part, Arithmetic)]
    return any(one.operator == "-" and TIME in _dimensions(one.left, elements) for one in parts)


def _orders_another(question: str, plan: Plan, elements: SchemaElements) -> bool:
    """Return whether `the first` or `the last` is any one, or the first by what is known to be no moment."""
    if not _FIRST.search(question) or _BY.search(question) or compared(question) is not None:
        return False
    orders = [step for step in plan.steps if isinstance(step, Order)]
    found = [_dimensions(order.keys[0].value, elements) for order in orders]
    is_any = not any(isinstance(part, Aggregate) and part.function in _EXTREMES for part in walk(plan))
    return (not orders and is_any) or any(known and known.isdisjoint((MOMENT, AGE)) for known in found)


def _dimensions(value: object, elements: SchemaElements) -> frozenset[str]:
    match value:
        case Call(function=function) if function in _TIMED:
            return frozenset((TIME,))
        case Property(key=key):
            return _of_key(key, elements.properties)
    return frozenset()


def _of_key(key: str, properties: Iterable[OwnedProperty]) -> frozenset[str]:
    """Return what properties with a key measure; nothing if that is unknown of one of them."""
    found = [dimensions_of(key, one.schema) for one in properties if one.key == key]
    return frozenset().union(*found) if all(found) else frozenset()
