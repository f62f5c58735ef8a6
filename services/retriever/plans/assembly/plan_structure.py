"""Describe the structure of a plan, as far as words of a question require or exclude it."""

from collections import Counter
from collections.abc import Collection
from enum import StrEnum

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    And,
    Comparison,
    Constant,
    Exists,
    Expression,
    Filter,
    HasKind,
    ListOf,
    Match,
    NodePattern,
    Or,
    Order,
    Plan,
    Property,
    RelationshipPattern,
    Slice,
    Variable,
)
from graph.plan.traversal import variables_of, walk
from services.retriever.plans.assembly.date_groups import groups_by_date

_EXTREMES = (AggregateFunction.MIN, AggregateFunction.MAX)


class Structure(StrEnum):
    """Name what a plan has.

    Attributes:
        ALTERNATIVES: One of several conditions or values is enough.
        CONJUNCTION: Two relationships or two values have to hold.
        LOOSE_END: A relationship leads to a node about which nothing is said.
        ORDERED_ONE: The rows are sorted by a property of a node of which there is only one, so that the order means
            nothing.
        CALENDAR_GROUP: The rows are grouped by dates, or by parts of them.
        SUM: Numbers are added up.
        AVERAGE: Numbers are averaged.
        SKIPPED_ROWS: The first rows of an order are left out.
        IDLE_NODE: A node has conditions of its own, but neither relationships nor a part in what the plan returns.
    """

    ALTERNATIVES = "alternatives"
    CONJUNCTION = "conjunction"
    LOOSE_END = "loose_end"
    ORDERED_ONE = "ordered_one"
    CALENDAR_GROUP = "calendar_group"
    SUM = "sum"
    AVERAGE = "average"
    SKIPPED_ROWS = "skipped_rows"
    IDLE_NODE = "idle_node"


def structure_of(plan: Plan, names: Collection[str], dates: frozenset[str] = frozenset()) -> frozenset[Structure]:
    """Return the structure of a plan; `names` are the properties that name nodes, and `dates` those with dates."""
    functions = {part.function for part in walk(plan) if isinstance(part, Aggregate)}
    tests = {
        Structure.ALTERNATIVES: _has_alternatives(plan),
        Structure.CONJUNCTION: _conditions(plan) > 1,
        Structure.LOOSE_END: _has_loose_end(plan),
        Structure.ORDERED_ONE: _orders_one(plan, names),
        Structure.CALENDAR_GROUP: groups_by_date(plan, dates),
        Structure.SUM: AggregateFunction.SUM in functions,
        Structure.AVERAGE: AggregateFunction.AVERAGE in functions,
        Structure.SKIPPED_ROWS: _skips_rows(plan),
        Structure.IDLE_NODE: _has_idle_node(plan),
    }
    return frozenset(name for name, holds in tests.items() if holds)


def _has_alternatives(plan: Plan) -> bool:
    return any(
        (isinstance(part, Or) and len(part.conditions) > 1) or (isinstance(part, ListOf) and len(part.items) > 1)
        for part in walk(plan)
    )


def _conditions(plan: Plan) -> int:
    relationships = sum(isinstance(part, RelationshipPattern) for part in walk(plan))
    values = sum(isinstance(part, Comparison) and isinstance(part.right, Constant) for part in walk(plan))
    return max(relationships, values)


def _has_loose_end(plan: Plan) -> bool:
    """Return whether a node has one relationship, and no condition, column, or order."""
    ends: Counter[str] = Counter()
    said: set[str] = set()
    for part in walk(plan, not_into=(Exists,)):
        match part:
            case RelationshipPattern():
                ends.update((part.source, part.target))
            case Property() | HasKind():
                said.add(part.variable)
            case Variable():
                said.add(part.name)
            case Exists():
                said |= {one.variable for one in part.match.nodes}
    return any(number == 1 and name not in said for name, number in ends.items())


def _orders_one(plan: Plan, names: Collection[str]) -> bool:
    named = nodes_with_one_name(plan, names)
    return any(isinstance(value, Property) and value.variable in named for value in _ordered(plan))


def _has_idle_node(plan: Plan) -> bool:
    nodes = {part.variable for part in walk(plan, not_into=(Exists,)) if isinstance(part, NodePattern)}
    used: set[str] = set()
    for step in plan.steps:
        if not isinstance(step, Match | Filter):
            used |= variables_of(step)
    for part in walk(plan):
        match part:
            case RelationshipPattern():
                used |= {part.source, part.target}
            case Comparison() if len(compared := variables_of(part)) > 1:
                used |= compared
            case Exists():
                used |= variables_of(part)
    return len(nodes) > 1 and not nodes <= used


def nodes_with_one_name(plan: Plan, names: Collection[str]) -> set[str]:
    """Return the nodes that a plan restricts to one name."""
    named: set[str] = set()
    for step in plan.steps:
        match step:
            case Match() if step.where is not None:
                named |= _named(step.where, names)
            case Filter():
                named |= _named(step.condition, names)
    return named


def _ordered(plan: Plan) -> list[Expression]:
    """Return what a plan sorts by, and what it takes the least or the greatest of."""
    found: list[Expression] = []
    for part in walk(plan):
        match part:
            case Order():
                found += [key.value for key in part.keys]
            case Aggregate(function=function, value=value) if function in _EXTREMES and value is not None:
                found.append(value)
    return found


def _named(condition: Expression, names: Collection[str]) -> set[str]:
    """Return the nodes that a condition restricts to one name."""
    parts = condition.conditions if isinstance(condition, And) else (condition,)
    return {
        one.left.variable
        for one in parts
        if isinstance(one, Comparison)
        and one.operator == "="
        and isinstance(one.left, Property)
        and isinstance(one.right, Constant)
        and one.left.key in names
    }


def _skips_rows(plan: Plan) -> bool:
    """Return whether a plan skips the first rows of an order."""
    return any(isinstance(step, Slice) and step.offset > 0 for step in plan.steps)
