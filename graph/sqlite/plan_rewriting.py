"""Rewrite plans so that SQLite reads fewer rows; the results stay the same."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from graph.plan.algebra import (
    AggregateFunction,
    And,
    Comparison,
    Expression,
    Filter,
    Group,
    IsMissing,
    Match,
    Not,
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
from graph.plan.required_properties import PropertyName, needed_properties, required_properties
from graph.plan.traversal import conjuncts

_MAX_TOP_ROWS = 10_000
_RANGES = {"<", "<=", ">", ">="}
_UNKNOWN = Variable("")


@dataclass(frozen=True, slots=True)
class TopRows:
    """Say that later steps read only the first `count` rows of a match, in the order of a property."""

    variable: str
    key: str
    descending: bool
    missing_first: bool
    count: int


def with_selective_matches(plan: Plan) -> Plan:
    """Move conditions into the pattern that precedes them.

    A filter moves as it is. An aggregation of all rows that ignores rows without a property requires that property.
    """
    steps: list[Step] = []
    for step in plan.steps:
        match steps[-1] if steps else None, step:
            case Match(optional=False) as previous, Filter():
                steps[-1] = _restricted(previous, step.condition)
                continue
            case Match(optional=False) as previous, Group(keys=()):
                for variable, key in sorted(_needed_by_all(step)):
                    if any(node.variable == variable for node in previous.nodes):
                        previous = _restricted(previous, Not(IsMissing(Property(variable, key, as_stored=True))))
                steps[-1] = previous
            case _, Union():
                step = replace(step, plans=tuple(map(with_selective_matches, step.plans)))
        steps.append(step)
    return Plan(tuple(steps))


def top_rows(steps: Sequence[Step]) -> TopRows | None:
    """Return which rows of a match the steps after it read, if they start by cutting off sorted rows."""
    match steps:
        case [Group(keys=(), aggregates=(first, *others)), *_]:
            if first.function not in {AggregateFunction.MIN, AggregateFunction.MAX} or first.value is None:
                return None
            if any((one.function, one.value) != (first.function, first.value) for one in others):
                return None
            key = SortKey(first.value, descending=first.function is AggregateFunction.MAX)
            return _top(key, 1, {})
    sort: SortKey | None = None
    renamed: dict[str, Expression] = {}
    sorted_names: dict[str, Expression] = {}
    for step in steps:
        match step:
            case Project(distinct=False):
                renamed = {column.name: _resolved(column.value, renamed) for column in step.columns}
            case Order() if sort is None:
                sort, sorted_names = step.keys[0], renamed
            case Slice(per=()) if sort is not None:
                return _top(sort, step.limit + step.offset, sorted_names)
            case _:
                return None
    return None


def is_selective(match: Match, top: TopRows) -> bool:
    """Return whether a pattern may have few matches, so that finding all is faster than reading an index in order.

    This is so if it names nodes, or compares anything but the property that sorts the rows.
    """
    if any(node.ids is not None for node in match.nodes):
        return True
    compared = (one for one in conjuncts(match.where) if isinstance(one, Comparison) and one.operator != "!=")
    by_sort_property = frozenset(((top.variable, top.key),))
    return any(one.operator not in _RANGES or required_properties(one) != by_sort_property for one in compared)


def _top(sort: SortKey, count: int, names: dict[str, Expression]) -> TopRows | None:
    value = _resolved(sort.value, names)
    if not isinstance(value, Property) or not 0 < count <= _MAX_TOP_ROWS:
        return None
    return TopRows(value.variable, value.key, sort.descending, sort.missing_first, count)


def _resolved(value: Expression, names: dict[str, Expression]) -> Expression:
    """Return an expression in terms of the variables of the match; `_UNKNOWN` if it is not a property of one."""
    if not names:
        return value
    match value:
        case Variable():
            return names.get(value.name, _UNKNOWN)
        case Property():
            owner = names.get(value.variable, _UNKNOWN)
            return replace(value, variable=owner.name) if isinstance(owner, Variable) else _UNKNOWN
    return _UNKNOWN


def _restricted(match: Match, condition: Expression) -> Match:
    return replace(match, where=condition if match.where is None else And((match.where, condition)))


def _needed_by_all(group: Group) -> frozenset[PropertyName]:
    needed = [needed_properties(one.value) if one.value else frozenset() for one in group.aggregates]
    return frozenset.intersection(*needed) if needed else frozenset()
