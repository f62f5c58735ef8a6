"""Bring the conditions and expressions of plans into one form, so that equal plans give equal actions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from graph.plan.algebra import (
    Call,
    Comparison,
    Constant,
    CountMatches,
    Exists,
    Expression,
    Function,
    IsMissing,
    Not,
    Property,
)
from graph.plan.traversal import walk
from graph.plan.values import Value

_TRANSPARENT = {
    Function.TO_INTEGER, Function.TO_FLOAT, Function.TO_STRING, Function.TO_DATE, Function.TO_DATETIME, Function.LOWER,
    Function.UPPER, Function.TRIM, Function.ROUND, Function.TO_BOOLEAN,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Between:
    """Hold two inclusive bounds of one expression."""

    left: Expression
    values: tuple[Value, Value]


Condition = Expression | Between


def plain(value: Expression) -> Expression:
    """Drop conversions, since properties have the type of their content."""
    while isinstance(value, Call) and value.function in _TRANSPARENT:
        value = value.arguments[0]
    if isinstance(value, Property) and value.as_stored:
        return Property(value.variable, value.key)
    if isinstance(value, Call):
        return Call(value.function, tuple(map(plain, value.arguments)))
    return value


def without_needless_tests(conditions: Sequence[Expression], read: set[Expression]) -> list[Expression]:
    """Drop tests for missing values of what comparisons, sorts, or aggregates read anyway."""
    compared = {
        plain(side)
        for one in conditions
        for part in walk(one, (Exists, CountMatches))
        if isinstance(part, Comparison)
        for side in (part.left, part.right)
    }
    return [one for one in conditions if (tested := _present(one)) is None or plain(tested) not in read | compared]


def _present(condition: Expression) -> Expression | None:
    """Return the value that a condition requires to be present."""
    if isinstance(condition, Not) and isinstance(condition.condition, IsMissing):
        return condition.condition.value
    return None


@dataclass(frozen=True, slots=True)
class _Bound:
    """Hold a comparison with a constant, and where the list of conditions has it."""

    place: int
    left: Expression
    operator: str
    value: Value


def with_ranges(conditions: Sequence[Expression]) -> list[Condition]:
    """Merge pairs of bounds on one expression: both inclusive, or whole decades, years, and days."""
    bounds = [_Bound(place, *found) for place, one in enumerate(conditions) if (found := _bound(one)) is not None]
    lower = {one.left: one for one in bounds if one.operator == ">="}
    merged: list[Condition] = []
    used: set[int] = set()
    for one in bounds:
        other = lower.get(one.left) if one.operator in ("<", "<=") else None
        if other is None or other.place in used:
            continue
        values = _inclusive(other.value, one.value, one.operator)
        if values is not None:
            used |= {one.place, other.place}
            merged.append(Between(one.left, values))
    return [*(one for place, one in enumerate(conditions) if place not in used), *merged]


def _bound(condition: Expression) -> tuple[Expression, str, Value] | None:
    if isinstance(condition, Comparison) and isinstance(right := plain(condition.right), Constant):
        return plain(condition.left), condition.operator, right.value
    return None


def _inclusive(first: Value, last: Value, operator: str) -> tuple[Value, Value] | None:
    """Return inclusive bounds, if two bounds have some."""
    if operator == "<=":
        return first, last
    if type(first) is int and type(last) is int and last - first in (10, 100) and first % 10 == 0:
        return first, last - 1
    begin, end = day_of(first), day_of(last)
    if begin is not None and end is not None and end > begin:
        return begin, end - timedelta(days=1)
    return None


def day_of(value: Value) -> date | None:
    """Return the date that a date, a datetime, or their text begins with."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value).date()
        except ValueError:
            return None
    return None
