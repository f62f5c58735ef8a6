"""Translate the patterns of Cypher, in clauses and in expressions, to the plan algebra."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from lark import Token, Tree

from graph.cypher.labels import kinds_and_test, name_of
from graph.cypher.lengths import any_exists, chain, of_each_length, total_count
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import (
    Comparison,
    CountMatches,
    Exists,
    Expression,
    Match,
    NodePattern,
    Property,
    RelationshipPattern,
)
from graph.plan.traversal import conjunction


class PatternReader(ABC):
    """Read the patterns of one query; anonymous nodes and relationships get names of their own."""

    def __init__(self, text: str) -> None:
        """Start with the text of the query, which new names must not contain."""
        self._text = text
        self._numbers = count(1)
        self.computed: set[str] = set()
        """The names of columns that hold values, not nodes or relationships."""
        self.durations: set[str] = set()
        """The names of columns that hold durations."""
        self.loops: dict[str, str] = {}
        """The variables of the loops around an expression, with their names in the plan."""

    @abstractmethod
    def expression(self, tree: Any) -> Any:
        """Read an expression."""

    def bound_name(self, name: str) -> str:
        """Return the name that a variable has in the plan, in which no variable hides another one."""
        return self.loops.get(name, name)

    def loop_name(self, depth: int) -> str:
        """Return the name of the variable of a loop within other loops; equal expressions have equal names."""
        prefix = next(prefix for number in count(1) if (prefix := "_" * number + "item") not in self._text)
        return f"{prefix}{depth + 1}"

    def new_name(self, prefix: str) -> str:
        """Return a variable that the query does not contain."""
        names = (f"_{prefix}{number}" for number in self._numbers)
        return next(name for name in names if name not in self._text)

    def matches(
        self, patterns: Sequence[Tree[Token]], where: Tree[Token] | None, optional: bool = False
    ) -> list[Match]:
        """Read the patterns and the condition of a MATCH clause or a subquery.

        Relationships of variable length have a pattern for each length.
        """
        nodes: dict[str, NodePattern] = {}
        relationships: list[RelationshipPattern] = []
        conditions: list[Expression] = []
        for pattern in patterns:
            if pattern.children[0] is not None:
                raise UnsupportedCypherError("path variables are not supported")
            self._pattern(pattern.children[2:], nodes, relationships, conditions)
        if where is not None:
            conditions.append(self.expression(where.children[0]))
        match = Match(tuple(nodes.values()), tuple(relationships), conjunction(conditions), optional)
        return of_each_length(match, self.new_name)

    def _pattern(
        self,
        parts: Sequence[Any],
        nodes: dict[str, NodePattern],
        relationships: list[RelationshipPattern],
        conditions: list[Expression],
    ) -> None:
        left = self._node(parts[0], nodes, conditions)
        for link, node in zip(parts[1::2], parts[2::2], strict=True):
            right = self._node(node, nodes, conditions)
            relationships.append(self._relationship(link, left, right, conditions))
            left = right

    def _node(self, tree: Any, nodes: dict[str, NodePattern], conditions: list[Expression]) -> str:
        name, labels, properties, where = tree.children
        variable = self.bound_name(name_of(name)) if name is not None else self.new_name("node")
        self.computed.discard(variable)
        self.durations.discard(variable)
        kinds: list[str] = list(nodes[variable].kinds) if variable in nodes else []
        if labels is not None:
            more, test = kinds_and_test(variable, labels)
            kinds += more
            conditions += [test] if test is not None else []
        nodes[variable] = NodePattern(variable, tuple(dict.fromkeys(kinds)))
        conditions += self._equalities(variable, properties)
        if where is not None:
            conditions.append(self.expression(where.children[0]))
        return variable

    def _relationship(self, tree: Any, left: str, right: str, conditions: list[Expression]) -> RelationshipPattern:
        if tree.data == "bare_relationship":
            opening, name, types, hops, properties, closing = str(tree.children[0]), None, None, None, None, ""
            is_left, is_right = opening.startswith("<"), opening.endswith(">")
        else:
            opening, name, types, hops, properties, closing = tree.children
            is_left, is_right = opening.startswith("<"), closing.endswith(">")
        variable = name_of(name) if name is not None else None
        if properties is not None and properties.children[0] is not None:
            variable = variable or self.new_name("relationship")
            conditions += self._equalities(variable, properties)
        source, target = (right, left) if is_left and not is_right else (left, right)
        names = tuple(name_of(one) for one in types.children if one is not None) if types is not None else ()
        link = RelationshipPattern(source, target, names, "out" if is_left != is_right else "both", variable)
        return link if hops is None else chain(link, hops, properties is not None)

    def _equalities(self, variable: str, properties: Any) -> list[Expression]:
        entries = [entry for entry in properties.children if entry is not None] if properties is not None else []
        return [
            Comparison("=", Property(variable, name_of(key), as_stored=True), self.expression(value))
            for key, value in (entry.children for entry in entries)
        ]

    def _predicate(self, first: Any, rest: Sequence[Any]) -> Expression:
        nodes: dict[str, NodePattern] = {}
        relationships: list[RelationshipPattern] = []
        conditions: list[Expression] = []
        self._pattern([first, *rest], nodes, relationships, conditions)
        match = Match(tuple(nodes.values()), tuple(relationships), conjunction(conditions))
        return any_exists(of_each_length(match, self.new_name))

    def _pattern_predicate(self, children: list[Any]) -> Expression:
        return self._predicate(_as_node(children[0], None), children[1:])

    def _named_predicate(self, children: list[Any]) -> Expression:
        return self._predicate(_as_node(*children[:2]), children[2:])

    def _anonymous_predicate(self, children: list[Any]) -> Expression:
        return self._predicate(Tree("node", [None, *children[:2], None]), children[2:])

    def _subquery(self, children: list[Any]) -> Expression:
        keyword, *patterns, where, returned = children
        kind = str(keyword).rstrip("{ \n\t").lower()
        if kind == "collect" or returned is not None:
            raise UnsupportedCypherError(f"{kind} subqueries with RETURN are not supported")
        matches = self.matches([pattern for pattern in patterns if pattern is not None], where)
        return any_exists(matches) if kind == "exists" else total_count(matches)

    def counted(self, comprehension: Tree[Token]) -> Expression:
        """Read the size of a pattern comprehension, which has an item for each match."""
        pattern, where, _ = comprehension.children
        return CountMatches(self.match_of(pattern, where))

    def match_of(self, pattern: Any, where: Any) -> Match:
        """Read the pattern and the condition of a pattern comprehension."""
        found = self.expression(pattern)
        if not isinstance(found, Exists):
            raise UnsupportedCypherError("a list with | must begin with x IN list, or with a pattern of fixed length")
        conditions = [found.match.where] if found.match.where is not None else []
        conditions += [self.expression(where)] if where is not None else []
        return replace(found.match, where=conjunction(conditions))


def _as_node(start: Tree[Token], properties: Any) -> Tree[Any]:
    """Return the node at the start of a pattern that was read as an expression: `p`, `p:Person`, or a name."""
    labels = None
    if start.data == "has_label":
        start, labels = start.children  # type: ignore[assignment]
    if start.data not in ("variable", "name"):
        raise UnsupportedCypherError("a pattern must start at a node")
    name = start.children[0] if start.data == "variable" else start
    return Tree("node", [name, labels, properties, None])
