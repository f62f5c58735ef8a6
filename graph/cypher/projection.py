"""Resolve names after WITH and RETURN, whose ORDER BY and WHERE see the new columns and the variables before them.

A name that is both means the column. An expression that a column holds already means that column.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import (
    CollectMatches,
    CountMatches,
    Exists,
    Expression,
    HasKind,
    Loop,
    NodePattern,
    Property,
    RelationshipPattern,
    RelationshipType,
    Subquery,
    Variable,
)
from graph.plan.traversal import rewrite, walk

_Columns = Sequence[tuple[str, Any]]


class Projection:
    """The columns of one WITH or RETURN clause, each with its expression over the variables before the clause."""

    def __init__(self, columns: _Columns) -> None:
        """Index the columns by name and by expression."""
        self._values = dict(columns)
        self._bound: set[str] = set()
        # In Python, the constants 2 and 2.0 are equal, and so are 1 and True, but their representations differ.
        self._names = {repr(value): name for name, value in reversed(columns)}

    def before(self, expression: Expression) -> Any:
        """Rewrite an expression of ORDER BY to the variables before the clause; None if that is not possible."""
        try:
            return rewrite(expression, self._replacement(self._value_before, self._owner_before))
        except _UnresolvedError:
            return None

    def after(self, expression: Expression) -> Any:
        """Rewrite an expression of ORDER BY or WHERE to the columns, as far as they hold the variables in it.

        Raises:
            UnsupportedCypherError: A pattern in the expression uses a variable that has another name now.
        """
        try:
            return rewrite(expression, self._replacement(self._value_after, self._owner_after))
        except _UnresolvedError:
            raise UnsupportedCypherError("a pattern with a renamed variable in ORDER BY or WHERE") from None

    def over_aggregates(self, expression: Any) -> Any:
        """Rewrite the expression of a column to the keys and aggregates of its group, which are the columns here.

        Raises:
            UnsupportedCypherError: The expression also has variables that are not keys.
        """
        self._bound = {part.name for part in walk(expression) if isinstance(part, Loop)}
        try:
            return rewrite(expression, self._in_group)
        except _UnresolvedError:
            raise UnsupportedCypherError(
                "an expression with both aggregates and values that are not columns of their own is not supported"
            ) from None

    def old_names(self, expression: Any, known: Collection[str]) -> list[str]:
        """Return the variables among `known` that an expression uses and that are not columns."""
        return [name for name in dict.fromkeys(names_in(expression)) if name in known and name not in self._values]

    # Each of these returns a new part, or None to keep a part and look at its children.

    def _replacement(
        self, of_value: Callable[[str], Any], of_owner: Callable[[str], str]
    ) -> Callable[[Any], Expression | None]:
        def replacement(part: Any) -> Expression | None:
            match part:
                case Variable():
                    return of_value(part.name)  # type: ignore[no-any-return]
                case Exists() | CountMatches() | CollectMatches():
                    return self._pattern(part, of_owner)
            if repr(part) in self._names:
                return part if of_owner == self._owner_before else Variable(self._names[repr(part)])
            if isinstance(part, Property | HasKind | RelationshipType):
                return replace(part, variable=of_owner(part.variable))
            return None

        return replacement

    def _value_before(self, name: str) -> Any:
        return self._values.get(name, Variable(name))

    def _owner_before(self, name: str) -> str:
        value = self._values.get(name, Variable(name))
        if not isinstance(value, Variable):
            raise _UnresolvedError
        return value.name

    def _value_after(self, name: str) -> Variable:
        return Variable(self._owner_after(name))

    def _owner_after(self, name: str) -> str:
        return name if name in self._values else self._names.get(repr(Variable(name)), name)

    def _in_group(self, part: Any) -> Expression | None:
        if repr(part) in self._names:
            return Variable(self._names[repr(part)])
        match part:
            case Variable():
                if part.name not in self._bound:
                    raise _UnresolvedError
            case Property() | HasKind() | RelationshipType():
                return replace(part, variable=self._key(part.variable))
            case Exists() | CountMatches() | CollectMatches():
                return self._pattern(part, self._key)
        return None

    def _key(self, name: str) -> str:
        """Return the key of a group that holds a variable, or the variable of a loop."""
        if name in self._bound:
            return name
        if repr(Variable(name)) not in self._names:
            raise _UnresolvedError
        return self._names[repr(Variable(name))]

    @staticmethod
    def _pattern(part: Subquery, of_owner: Callable[[str], str]) -> Expression:
        """Keep a pattern; renaming in it could confuse its variables with its own."""
        if any(of_owner(name) != name for name in names_in(part)):
            raise _UnresolvedError
        return part


class _UnresolvedError(Exception):
    """Raised for a name that has no equivalent."""


def names_in(expression: Any) -> Iterator[str]:
    """Yield the variables that an expression uses, and those that the patterns in it introduce."""
    for part in walk(expression):
        match part:
            case Variable():
                yield part.name
            case Property() | HasKind() | RelationshipType() | NodePattern():
                yield part.variable
            case RelationshipPattern():
                yield from filter(None, (part.source, part.target, part.variable))
