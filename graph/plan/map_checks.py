"""Find maps where plans do not use them: maps are returned, collected, and read, but not compared or grouped."""

from collections.abc import Callable, Iterator
from typing import Any

from graph.plan.algebra import Arithmetic, Call, Comparison, Expression, FieldOf, Function, MapOf
from graph.plan.part_checks import maps_among
from graph.plan.scope import Types
from graph.plan.values import ValueType

_OF_LISTS = {Function.FIRST, Function.LAST, Function.ITEM, Function.TAKE, Function.SIZE, Function.COALESCE}


def map_problems(part: Any, types_of: Callable[[Expression], Types]) -> Iterator[str]:
    """Say what is wrong with an expression that uses maps, or that reads a field of something else.

    Args:
        part: The expression.
        types_of: Returns the types that an operand can have.
    """
    match part:
        case MapOf():
            names = [column.name for column in part.fields]
            yield from (f"two fields are named {name!r}; rename one" for name in set(names) if names.count(name) > 1)
        case FieldOf() if not (types := types_of(part.map)).only(ValueType.MAP) or not types.names:
            yield f"the field {part.key!r} is read of something that is no map"
        case Comparison():
            yield from maps_among(part.operator, types_of(part.left), types_of(part.right))
        case Arithmetic():
            yield from maps_among(part.operator, types_of(part.left), types_of(part.right))
        case Call() if part.function not in _OF_LISTS:
            yield from maps_among(part.function, *map(types_of, part.arguments))
