"""Translate Cypher's functions of dates and datetimes to the plan algebra."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, cast

from lark import Token, Tree

from graph.cypher.durations import duration_call, duration_of, duration_part
from graph.cypher.labels import name_of
from graph.cypher.moments import date_from, date_of, datetime_from, datetime_of
from graph.plan.algebra import Call, Constant, Expression, Function
from graph.plan.epochs import EPOCH
from graph.plan.functions import DATE_PARTS, STARTS_OF_DATES, STARTS_OF_TIMES, TIME_PARTS

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
_DAY_STARTS, _STARTS = (
    {function.removeprefix("start_of_"): function for function in functions}
    for functions in (STARTS_OF_DATES, STARTS_OF_DATES | STARTS_OF_TIMES)
)


def temporal_call(name: str, arguments: Sequence[Any], read: Read) -> Expression | None:
    """Translate a call; None if the function, in lower case, has nothing to do with time.

    Raises UnsupportedCypherError or InvalidInputError if it has, but its arguments are not supported.
    """
    constructor, _, clock = name.partition(".")
    if name == "datetime.fromepochmillis" and len(arguments) == 1:
        return Call(Function.FROM_EPOCH_MILLISECONDS, (read(arguments[0]),))
    if constructor == "duration":
        return _duration(name, arguments, read)
    if constructor in _MAKERS and clock == "truncate":
        return _truncated(constructor, arguments, read)
    if constructor not in _MAKERS or (clock and (clock not in _CLOCKS or arguments)):
        return None
    now, convert, of_text, from_parts = _MAKERS[constructor]
    match [_operand(argument) for argument in arguments]:
        case []:
            return Call(now, ())
        case [Tree(data="map_literal") as tree]:
            parts = {key: read(value) for key, value in entries(tree).items()}
            if constructor == "datetime" and parts.keys() & {"epochSeconds", "epochMillis"}:
                return _from_epoch(parts)
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
    if key == "epochSeconds":
        return Call(Function.SECONDS_BETWEEN, (Constant(EPOCH), owner))
    return Call(_PARTS[key], (owner,)) if key in _PARTS else duration_part(owner, key)


def _truncated(constructor: str, arguments: Sequence[Any], read: Read) -> Expression | None:
    """Translate `date.truncate('month', x)` and the like; None for other units, and for parts that replace some."""
    now, convert, *_ = _MAKERS[constructor]
    starts = _DAY_STARTS if constructor == "date" else _STARTS
    match [read(argument) for argument in arguments[:2]]:
        case [Constant(value=str() as unit), *moments] if unit in starts and len(arguments) <= 2:
            moment = Call(convert, (moments[0],)) if moments else Call(now, ())
            return Call(starts[unit], (moment,))
    return None


def _from_epoch(parts: Mapping[str, Expression]) -> Expression | None:
    """Translate `{epochSeconds: x}`; None if there are other parts, except for a time zone, which changes nothing."""
    match {key: value for key, value in parts.items() if key != "timezone"}:
        case {"epochSeconds": value, **others} if not others:
            return Call(Function.FROM_EPOCH_SECONDS, (value,))
        case {"epochMillis": value, **others} if not others:
            return Call(Function.FROM_EPOCH_MILLISECONDS, (value,))
    return None


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
    return {name_of(cast(Tree[Token], key)): value for key, value in pairs}
