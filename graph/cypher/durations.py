"""Translate Cypher's durations to the plan algebra, in which a duration is a text such as `P1M2DT3H`."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from lark import Token, Tree

from graph.cypher.labels import name_of
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import AggregateFunction, Arithmetic, Call, Case, Constant, Expression, Function, Variable
from graph.plan.durations import Duration, DurationText, duration_in
from graph.plan.functions import DURATIONS
from shared.errors import InvalidInputError
from shared.text import shown

_MONTH, _DAY, _SECOND = "months", "days", "seconds"
# By the name of a part in Cypher: which part of a duration it counts, and how many of those make one.
_UNITS = {
    "years": (_MONTH, 12),
    "months": (_MONTH, 1),
    "weeks": (_DAY, 7),
    "days": (_DAY, 1),
    "hours": (_SECOND, 3600),
    "minutes": (_SECOND, 60),
    "seconds": (_SECOND, 1),
}
_PARTS = {_MONTH: Function.DURATION_MONTHS, _DAY: Function.DURATION_DAYS, _SECOND: Function.DURATION_SECONDS}
_DIFFERENCES = {
    "inmonths": (_MONTH, Function.MONTHS_BETWEEN),
    "indays": (_DAY, Function.DAYS_BETWEEN),
    "inseconds": (_SECOND, Function.SECONDS_BETWEEN),
}
_BARE = {
    "duration.between": Function.DURATION_BETWEEN,
    "duration.inmonths": Function.DURATION_IN_MONTHS,
    "duration.indays": Function.DURATION_IN_DAYS,
    "duration.inseconds": Function.DURATION_IN_SECONDS,
}
_EXTREMES = {
    AggregateFunction.MIN: AggregateFunction.SHORTEST,
    AggregateFunction.MAX: AggregateFunction.LONGEST,
}


def duration_call(name: str, arguments: Sequence[Expression]) -> Expression | None:
    """Translate `duration.between(a, b)` and the like; None for other functions, whose names are in lower case."""
    return Call(_BARE[name], tuple(arguments)) if name in _BARE and len(arguments) == 2 else None


def duration_of(value: object) -> Constant:
    """Read the text or the parts of a duration; raise InvalidInputError."""
    match value:
        case str() if (found := duration_in(value)) is not None:
            return Constant(DurationText(found))
        case Mapping() if all(unit in _UNITS and type(number) is int for unit, number in value.items()):
            totals = dict.fromkeys(_PARTS, 0)
            for unit, number in value.items():
                part, size = _UNITS[unit]
                totals[part] += number * size
            return Constant(DurationText(Duration(totals[_MONTH], totals[_DAY], totals[_SECOND] * 10**9)))
    raise InvalidInputError(
        f"{shown(str(value))} is not a duration in Cypher that plans can read; write one such as P1M2D"
    )


def duration_part(owner: Expression, key: str) -> Expression | None:
    """Translate `.seconds` and the like of a duration; None if there is no such part."""
    if key not in _UNITS:
        return None
    part, size = _UNITS[key]
    return _divided(Call(_PARTS[part], (owner,)), size)


def difference_part(tree: Tree[Token], key: str, read: Callable[[Any], Any]) -> Expression | None:
    """Translate `duration.inDays(a, b).days` and the like; None for the part of anything else."""
    if tree.data != "qualified_call" or key not in _UNITS:
        return None
    owner, name, *arguments = tree.children
    if owner.data != "variable" or name_of(owner.children[0]).lower() != "duration" or None in arguments:  # type: ignore[union-attr,arg-type]
        return None
    found = _DIFFERENCES.get(name_of(name).lower())  # type: ignore[arg-type]
    part, size = _UNITS[key]
    if found is None or len(arguments) != 2 or found[0] != part:
        return None
    return _divided(Call(found[1], tuple(map(read, arguments))), size)


def is_duration(value: Any, names: Collection[str]) -> bool:
    """Return whether the query shows that a value is a duration; `names` are the variables that hold durations."""
    match value:
        case Call(function=Function.COALESCE):
            return _are_durations(value.arguments, names)
        case Call():
            return value.function in DURATIONS
        case Case():
            return _are_durations(value.values, names)
        case Constant():
            return isinstance(value.value, DurationText)
        case Variable():
            return value.name in names
    return getattr(value, "function", None) in _EXTREMES.values()


def _are_durations(values: Sequence[Any], names: Collection[str]) -> bool:
    known = [value for value in values if value != Constant(None)]
    return bool(known) and all(is_duration(value, names) for value in known)


def extreme_duration(function: AggregateFunction) -> AggregateFunction:
    """Return the aggregate of durations that Cypher calls `min` or `max`; raise UnsupportedCypherError for others."""
    if function in {AggregateFunction.SUM, AggregateFunction.AVERAGE}:
        raise UnsupportedCypherError(f"the {function} of durations is not supported")
    return _EXTREMES.get(function, function)


def duration_sum(operator: str, left: Any, right: Any, names: Collection[str]) -> Expression | None:
    """Add a duration to a date, or subtract it; None if neither operand is known to be a duration.

    Raises:
        UnsupportedCypherError: Both are durations, or the operator is another one.
    """
    found = [is_duration(operand, names) for operand in (left, right)]
    if not any(found):
        return None
    if found == [False, True] and operator in "+-":
        return Call(Function.ADD_DURATION if operator == "+" else Function.SUBTRACT_DURATION, (left, right))
    if found == [True, False] and operator == "+":
        return Call(Function.ADD_DURATION, (right, left))
    raise UnsupportedCypherError(f"{operator} of durations is not supported, except to move dates")


def _divided(value: Expression, size: int) -> Expression:
    return value if size == 1 else Arithmetic("/", value, Constant(size))
