"""Translate Cypher's points to the plan algebra, in which a point is its latitude and its longitude.

Graphs state both as properties of their own, or in one point; `location.latitude` names a part of the point `location`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

from lark import Token, Tree

from graph.cypher.labels import name_of
from graph.cypher.temporal import entries
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import Call, Constant, Expression, Function, Property

Read = Callable[[Any], Any]
"""Reads the tree of an expression."""

_PARTS = ("latitude", "longitude")
# Cypher's other names for the parts of a point on the earth; plans know no other points.
_AXES = {"x": "longitude", "y": "latitude"}
# The second name is that of Neo4j 4.
_DISTANCES = {"point.distance", "distance"}
_SYSTEM = {"crs": "wgs-84", "srid": 4326}


def point_call(name: str, arguments: Sequence[Any], read: Read) -> Expression | None:
    """Translate the distance between two points, in metres; None if the function, in lower case, is another one.

    Raises UnsupportedCypherError if an argument is not a point with a latitude and a longitude.
    """
    if name not in _DISTANCES:
        return None
    if len(arguments) != 2:
        raise UnsupportedCypherError(f"function {name}() with {len(arguments)} arguments is not supported")
    return Call(Function.DISTANCE, tuple(part for one in arguments for part in _coordinates(one, read)))


def point_part(owner: Expression, key: str) -> Expression | None:
    """Translate `.latitude`, `.longitude`, `.y`, or `.x` of a property; None if there is no such part."""
    part = _AXES.get(key, key)
    if part not in _PARTS or not isinstance(owner, Property):
        return None
    return replace(owner, key=f"{owner.key}.{part}")


def _coordinates(tree: Tree[Token], read: Read) -> list[Expression]:
    while tree.data == "arithmetic" and len(tree.children) == 1:
        [tree] = tree.children  # type: ignore[assignment]
    if tree.data == "call" and name_of(cast("Tree[Token]", tree.children[0])).lower() == "point":
        return _of_map(tree.children[2:], read)
    owner = read(tree)
    if isinstance(owner, Property):
        return [replace(owner, key=f"{owner.key}.{part}") for part in _PARTS]
    raise UnsupportedCypherError("the distance of something other than properties and point({...}) is not supported")


def _of_map(arguments: Sequence[Any], read: Read) -> list[Expression]:
    [tree, *others] = arguments
    if others or tree is None or tree.data != "map_literal":
        raise UnsupportedCypherError("point() supports only a map")
    parts = {key: read(value) for key, value in entries(tree).items()}
    system = {key: parts.pop(key) for key in _SYSTEM if key in parts}
    if any(not _is_geographic(key, value) for key, value in system.items()) or set(parts) != set(_PARTS):
        raise UnsupportedCypherError("point() supports only latitude and longitude")
    return [parts[part] for part in _PARTS]


def _is_geographic(key: str, value: Expression) -> bool:
    return isinstance(value, Constant) and str(value.value).lower() == str(_SYSTEM[key])
