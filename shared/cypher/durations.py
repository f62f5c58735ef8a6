"""Translate Cypher's durations to the plan algebra, in which a duration is a text such as `P1M2DT3H`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lark import Token, Tree

from shared.cypher.labels import name_of
from shared.errors import InvalidInputError
from shared.plan.algebra import Arithmetic, Call, Constant, Expression, Function
from shared.plan.durations import Duration, duration_in
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
# Neo4j sorts durations by their length, in which a month is the twelfth part of 365.2425 days.
_SECONDS = {Function.DURATION_MONTHS: 2_629_746, Function.DURATION_DAYS: 86_400, Function.DURATION_SECONDS: 1}


class DurationText(str):
    """The text of a duration that the query writes as one, not as a string."""

    __slots__ = ()


def duration_call(name: str, arguments: Sequence[Expression]) -> Expression | None:
    """Translate `duration.between(a, b)`; None for other functions, whose names are in lower case."""
    if name == "duration.between" and len(arguments) == 2:
        return Call(Function.DURATION_BETWEEN, tuple(arguments))
    return None


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


def have_no_order(*operands: Expression) -> bool:
    """Return whether operands are durations, whose comparisons with `<` and the like are null in Cypher."""
    return any(map(_is_duration, operands))


def sortable(value: Any) -> Any:
    """Replace a duration that sorts rows by its length in seconds."""
    if not _is_duration(value):
        return value
    months, days, seconds = (Arithmetic("*", Call(one, (value,)), Constant(size)) for one, size in _SECONDS.items())
    return Arithmetic("+", Arithmetic("+", months, days), seconds)


def _is_duration(value: Any) -> bool:
    match value:
        case Call(function=Function.DURATION_BETWEEN):
            return True
        case Constant():
            return isinstance(value.value, DurationText)
    return False


def _divided(value: Expression, size: int) -> Expression:
    return value if size == 1 else Arithmetic("/", value, Constant(size))
