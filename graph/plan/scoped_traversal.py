"""Visit the parts of an expression with the variables that each of them sees."""

from collections.abc import Iterator
from typing import Any, get_args

from graph.plan.algebra import CollectMatches, Comprehension, Loop, Subquery
from graph.plan.scope import Scope
from graph.plan.traversal import walk_with_paths

_WITH_SCOPES = get_args(Subquery | Loop)
_Found = tuple[str, Any, Scope]
"""A place in the JSON of a plan, what is there, and the variables that it sees."""


def walk_in_scope(part: Any, path: str, scope: Scope) -> Iterator[_Found]:
    """Yield every dataclass in an expression but those within patterns: a parent before its children.

    The variable of a loop is in the scope of its condition and its value, and those of a pattern in that of its value.
    """
    for found, one in walk_with_paths(part, path, not_into=_WITH_SCOPES):
        yield found, one, scope
        if isinstance(one, CollectMatches):
            yield from walk_in_scope(one.value, f"{found}.value", scope.within(one.match))
        if isinstance(one, Loop):
            yield from walk_in_scope(one.items, f"{found}.items", scope)
            inner = scope.inside(one)
            yield from walk_in_scope(one.condition, f"{found}.condition", inner)
            if isinstance(one, Comprehension):
                yield from walk_in_scope(one.value, f"{found}.value", inner)
