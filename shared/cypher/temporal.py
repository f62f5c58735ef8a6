"""Translate Cypher's functions of dates and datetimes to the plan algebra."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, cast

from lark import Token, Tree

from shared.cypher.durations import duration_call, duration_of, duration_part
from shared.cypher.moments import date_from, date_of, datetime_from, datetime_of
from shared.plan.algebra import DATE_PARTS, TIME_PARTS, Call, Constant, Expression, Function

Read = Callable[[Any], Any]
"""Reads the tree of an expression."""

# By the name of the constructor in Cypher: the current moment, the conversion, and how to read texts and parts.
_Maker = tuple[Function, Function, Callable[[str], date | datetime], Callable[[Mapping[str, object]], date | datetime]]
_DATETIME: _Maker = (Function.NOW, Function.TO_DATETIME, datetime_of, datetime_from)
_MAKERS: dict[str, _Maker] = {
    "date": (Function.TODAY, Function.TO_DATE, date_of, date_from),
    "datetime": _DATETIME,
    "localdatetime": _DATETIME,
}
# Clocks of Neo4j: `date.transaction()`. A plan has one clock, that of the request.
_CLOCKS = {"realtime", "statement", "transaction"}
_PARTS = {
    **{part.value: part for part in DATE_PARTS | TIME_PARTS if part is not Function.WEEKDAY},
    "dayOfWeek": Function.WEEKDAY,
    "weekDay": Function.WEEKDAY,
}


def temporal_call(name: str, arguments: Sequence[Any], read: Read) -> Expression | None:
    """Translate a call; None if the function, in lower case, has nothing to do with time.

    Raises UnsupportedCypherError or InvalidInputError if it has, but its arguments are not supported.
    """
    constructor, _, clock = name.partition(".")
    if constructor == "duration":
        return _duration(name, arguments, read)
    if constructor not in _MAKERS or (clock and (clock not in _CLOCKS or arguments)):
        return None
    now, convert, of_text, from_parts = _MAKERS[constructor]
    match [_operand(argument) for argument in arguments]:
        case []:
            return Call(now, ())
        case [Tree(data="map_literal") as tree]:
            parts = {key: read(value) for key, value in entries(tree).items()}
            if all(isinstance(part, Constant) for part in parts.values()):
                return Constant(from_parts({key: part.value for key, part in parts.items()}))
            return None
        case [one]:
            value = read(one)
            if isinstance(value, Constant) and isinstance(value.value, str):
                return Constant(of_text(value.value))
            return Call(convert, (value,))
    return None


def temporal_part(owner: Expression, key: str) -> Expression | None:
    """Translate `.year` and the like of a date or datetime, or of a duration; None if there is no such part."""
    return Call(_PARTS[key], (owner,)) if key in _PARTS else duration_part(owner, key)


def _duration(name: str, arguments: Sequence[Any], read: Read) -> Expression | None:
    match [_operand(argument) for argument in arguments]:
        case [Tree(data="map_literal") as tree] if name == "duration":
            parts = {key: read(value) for key, value in entries(tree).items()}
            known = all(isinstance(part, Constant) for part in parts.values())
            return duration_of({key: part.value for key, part in parts.items()}) if known else None
        case [one] if name == "duration":
            value = read(one)
            return duration_of(value.value) if isinstance(value, Constant) else None
    return duration_call(name, [read(argument) for argument in arguments])


def _operand(tree: Tree[Token]) -> Tree[Token]:
    """Unwrap an operand that the grammar puts into sums and products of one item."""
    while tree.data == "arithmetic" and len(tree.children) == 1:
        [tree] = tree.children  # type: ignore[assignment]
    return tree


def entries(tree: Tree[Token]) -> dict[str, Any]:
    """Return the trees of the values in a map, by key."""
    [found] = cast(list[Tree[Token]], tree.children)
    pairs = [entry.children for entry in cast(list[Tree[Token]], found.children) if entry is not None]
    return {str(cast(Tree[Token], key).children[0]): value for key, value in pairs}
