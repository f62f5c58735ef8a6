"""Estimate the sizes of lists in expressions, and how many of their items an evaluation visits."""

import itertools
import math
from collections.abc import Iterable, Mapping

from graph.plan.algebra import (
    Call,
    Case,
    CollectMatches,
    Comparison,
    Comprehension,
    Constant,
    CountMatches,
    Exists,
    Expression,
    FieldOf,
    Function,
    ListOf,
    Loop,
    MapOf,
    Property,
    Quantifier,
    Variable,
)
from graph.plan.schema import GraphSchema, KindSchema, RelationshipSchema
from graph.plan.traversal import children
from graph.plan.values import ValueType

Shape = tuple[float, ...]
"""The number of items of a list, of each list among its items, and so on; empty for other values."""
Shapes = Mapping[str, Shape]
"""The shapes of the variables of a row."""

# Parts of texts, items of stored lists, and matches for one row: the schema does not count them.
_UNKNOWN_SIZE = 10.0


def shape_of(value: Expression, known: Shapes, schema: GraphSchema) -> Shape:
    """Return the shape of an expression's value in a row with these variables."""

    def shape(one: Expression) -> Shape:
        return shape_of(one, known, schema)

    match value:
        case Variable():
            return known.get(value.name, ())
        case Constant(value=tuple() as items):
            return (len(items),)
        case Property():
            return (_UNKNOWN_SIZE,) if _holds_lists(value.key, schema) else ()
        case ListOf():
            return (len(value.items), *_largest(map(shape, value.items)))
        case MapOf():
            return _largest(shape(column.value) for column in value.fields)
        case FieldOf():
            return shape(value.map)
        case Case():
            return _largest(map(shape, value.values))
        case Call():
            return _of_call(value, [shape(one) for one in value.arguments])
        case CollectMatches():
            return (_UNKNOWN_SIZE, *shape(value.value))
        case Comprehension():
            size, inner = _loop(value, known, schema)
            item = value.value if value.value is not None else Variable(value.name)
            return (size, *shape_of(item, inner, schema))
    return ()


def visits_of(value: Expression, known: Shapes, schema: GraphSchema) -> float:
    """Return how many items of lists an expression visits or compares in a row with these variables."""
    match value:
        case Comprehension() | Quantifier():
            size, inner = _loop(value, known, schema)
            parts = [value.condition, value.value if isinstance(value, Comprehension) else None]
            each = sum(visits_of(part, inner, schema) for part in parts if part is not None)
            return visits_of(value.items, known, schema) + size * (1 + each)
        case Comparison():
            compared = (shape_of(side, known, schema) for side in (value.left, value.right))
            both = (visits_of(side, known, schema) for side in (value.left, value.right))
            return sum(math.prod(shape) for shape in compared if shape) + sum(both)
        case Exists() | CountMatches() | CollectMatches():
            parts = [value.match.where, value.value if isinstance(value, CollectMatches) else None]
            return _UNKNOWN_SIZE * sum(visits_of(part, known, schema) for part in parts if part is not None)
    return sum(visits_of(part, known, schema) for part in children(value))


def _loop(loop: Loop, known: Shapes, schema: GraphSchema) -> tuple[float, Shapes]:
    """Return how many items a loop visits, and the shapes of the variables within it."""
    size, *inner = shape_of(loop.items, known, schema) or (1.0,)
    return size, {**known, loop.name: tuple(inner)}


def _of_call(call: Call, arguments: list[Shape]) -> Shape:
    match call.function:
        case Function.FIRST | Function.LAST | Function.ITEM:
            return arguments[0][1:]
        case Function.TAKE:
            most = call.arguments[1].value if isinstance(call.arguments[1], Constant) else math.inf
            known = most if isinstance(most, int | float) else math.inf
            return tuple(min(size, max(0.0, known)) if place == 0 else size for place, size in enumerate(arguments[0]))
        case Function.SPLIT:
            return (_UNKNOWN_SIZE,)
        case Function.COALESCE:
            return _largest(arguments)
    return ()


def _largest(shapes: Iterable[Shape]) -> Shape:
    """Return a shape that covers several ones, level by level."""
    levels = itertools.zip_longest(*shapes, fillvalue=0.0)
    return tuple(max(level) for level in levels)


def _holds_lists(key: str, schema: GraphSchema) -> bool:
    owners: tuple[KindSchema | RelationshipSchema, ...] = (*schema.kinds.values(), *schema.relationships.values())
    return any(key in one.properties and ValueType.LIST in one.properties[key].stored for one in owners)
