"""Visit and replace the expressions of a plan."""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar

from graph.plan.algebra import And, Expression, HasKind, Property, RelationshipPattern, RelationshipType, Variable
from graph.plan.patterns import NodePattern

_Node = TypeVar("_Node")


def walk(part: Any, not_into: tuple[type, ...] = ()) -> Iterator[Any]:
    """Yield every dataclass in a plan, a step, or an expression: a parent before its children.

    Instances of the classes in `not_into` are yielded without their children.
    """
    if isinstance(part, tuple):
        for item in part:
            yield from walk(item, not_into)
    elif (names := _field_names(part.__class__)) is not None:
        yield part
        if not isinstance(part, not_into):
            for name in names:
                yield from walk(getattr(part, name), not_into)


def walk_with_paths(part: Any, path: str, not_into: tuple[type, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield every dataclass as `walk` does, with its place in the JSON of the plan: `steps.1.condition.left`."""
    if isinstance(part, tuple):
        for place, item in enumerate(part):
            yield from walk_with_paths(item, f"{path}.{place}", not_into)
    elif (names := _field_names(part.__class__)) is not None:
        yield path, part
        if not isinstance(part, not_into):
            for name in names:
                yield from walk_with_paths(getattr(part, name), f"{path}.{name}", not_into)


def children(part: Any) -> Iterator[Any]:
    """Yield the dataclasses directly within a dataclass or a tuple; other values have none."""
    for value in part if isinstance(part, tuple) else field_values(part):
        if isinstance(value, tuple):
            yield from children(value)
        elif _field_names(value.__class__) is not None:
            yield value


def field_values(part: Any) -> tuple[Any, ...]:
    """Return the values of the fields of a dataclass; other values have none."""
    return tuple(getattr(part, name) for name in _field_names(part.__class__) or ())


def rewrite(part: _Node, replacement: Callable[[Any], Any]) -> _Node:
    """Copy a plan, a step, or an expression with some parts replaced.

    `replacement` returns the new part, or None to keep the part and look at its children. New parts are not visited.
    """
    return _rewritten(part, replacement)  # type: ignore[no-any-return]


def _rewritten(part: Any, replacement: Callable[[Any], Any]) -> Any:
    if isinstance(part, tuple):
        items = tuple(_rewritten(item, replacement) for item in part)
        # Most plans stay as they are, and need no copies.
        return items if any(map(operator.is_not, items, part)) else part
    if (names := _field_names(part.__class__)) is None:
        return part
    if (new := replacement(part)) is not None:
        return new
    changed = {}
    for name in names:
        old = getattr(part, name)
        if (value := _rewritten(old, replacement)) is not old:
            changed[name] = value
    return replace(part, **changed) if changed else part


@cache
def _field_names(kind: type) -> tuple[str, ...] | None:
    """Return the fields of a dataclass, and None for another class; plans are visited many times for one question."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None


def rename(part: _Node, names: Mapping[str, str]) -> _Node:
    """Rename the variables of nodes and relationships in a part of a plan."""

    def new(name: str) -> str:
        return names.get(name, name)

    def replacement(part: object) -> object:
        match part:
            case Variable():
                return Variable(new(part.name))
            case Property() | HasKind() | RelationshipType():
                return replace(part, variable=new(part.variable))
            case NodePattern():
                return replace(part, variable=new(part.variable))
            case RelationshipPattern():
                variable = new(part.variable) if part.variable else None
                return replace(part, source=new(part.source), target=new(part.target), variable=variable)
        return None

    return rewrite(part, replacement)


def variables_of(part: Any) -> set[str]:
    """Return the names of the nodes and columns that a part of a plan reads or matches."""
    found: set[str] = set()
    for one in walk(part):
        match one:
            case Property() | HasKind() | NodePattern():
                found.add(one.variable)
            case Variable():
                found.add(one.name)
    return found


def conjuncts(condition: Expression | None) -> list[Expression]:
    """Return the conditions that must all be true."""
    if condition is None:
        return []
    if isinstance(condition, And):
        return [part for one in condition.conditions for part in conjuncts(one)]
    return [condition]


def conjunction(conditions: Sequence[Expression]) -> Expression | None:
    """Return a condition that is true if all of these are; None without conditions."""
    if len(conditions) > 1:
        return And(tuple(conditions))
    return conditions[0] if conditions else None
