"""Visit and replace the expressions of a plan."""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from shared.plan.algebra import And, Expression

_Node = TypeVar("_Node")


def walk(part: Any, not_into: tuple[type, ...] = ()) -> Iterator[Any]:
    """Yield every dataclass in a plan, a step, or an expression: a parent before its children.

    Instances of the classes in `not_into` are yielded without their children.
    """
    if isinstance(part, tuple):
        for item in part:
            yield from walk(item, not_into)
    elif is_dataclass(part) and not isinstance(part, type):
        yield part
        if not isinstance(part, not_into):
            for field in fields(part):
                yield from walk(getattr(part, field.name), not_into)


def walk_with_paths(part: Any, path: str, not_into: tuple[type, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield every dataclass as `walk` does, with its place in the JSON of the plan: `steps.1.condition.left`."""
    if isinstance(part, tuple):
        for place, item in enumerate(part):
            yield from walk_with_paths(item, f"{path}.{place}", not_into)
    elif is_dataclass(part) and not isinstance(part, type):
        yield path, part
        if not isinstance(part, not_into):
            for field in fields(part):
                yield from walk_with_paths(getattr(part, field.name), f"{path}.{field.name}", not_into)


def children(part: Any) -> Iterator[Any]:
    """Yield the dataclasses directly within a dataclass or a tuple; other values have none."""
    values = part if isinstance(part, tuple) else ()
    if is_dataclass(part) and not isinstance(part, type):
        values = tuple(getattr(part, field.name) for field in fields(part))
    for value in values:
        if isinstance(value, tuple):
            yield from children(value)
        elif is_dataclass(value):
            yield value


def rewrite(part: _Node, replacement: Callable[[Any], Any]) -> _Node:
    """Copy a plan, a step, or an expression with some parts replaced.

    `replacement` returns the new part, or None to keep the part and look at its children. New parts are not visited.
    """
    return _rewritten(part, replacement)  # type: ignore[no-any-return]


def _rewritten(part: Any, replacement: Callable[[Any], Any]) -> Any:
    if isinstance(part, tuple):
        return tuple(_rewritten(item, replacement) for item in part)
    if not is_dataclass(part) or isinstance(part, type):
        return part
    if (new := replacement(part)) is not None:
        return new
    old = {field.name: getattr(part, field.name) for field in fields(part)}
    changed = {name: _rewritten(value, replacement) for name, value in old.items()}
    return replace(part, **{name: value for name, value in changed.items() if value is not old[name]})


def conjuncts(condition: Expression | None) -> list[Expression]:
    """Return the conditions that must all be true."""
    if condition is None:
        return []
    if isinstance(condition, And):
        return [part for one in condition.conditions for part in conjuncts(one)]
    return [condition]
