"""Turn the tables of one SELECT into a pattern of nodes and relationships."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import expressions as sql

from graph.plan.algebra import (
    Comparison,
    Expression,
    Match,
    NodePattern,
    Property,
    RelationshipPattern,
)
from graph.plan.content_types import words_of
from graph.plan.traversal import conjunction
from question_sets.spider.keys import Place
from question_sets.spider.parsing import UnsupportedSqlError
from question_sets.spider.tables import ForeignKey, Table
from question_sets.spider.variables import Names

_MAX_KEYS = 3


@dataclass(frozen=True, slots=True)
class NodeKey:
    """Stand for the value of a key column, which identifies a node, and for the property that holds it."""

    node: str
    value: Property


@dataclass(frozen=True, slots=True)
class _Row:
    """Stand for a table in FROM: a node, or a relationship between the nodes that its foreign keys refer to."""

    table: Table
    node: str = ""
    link: str = ""
    ends: Mapping[ForeignKey, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Reference:
    """Say that a column holds the value of another: that of a row which foreign keys lead to."""

    start: str
    keys: tuple[ForeignKey, ...]
    place: Place


class Pattern:
    """Collect the nodes, relationships, and conditions of one SELECT."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.conditions: list[Expression] = []
        self._rows: dict[str, _Row] = {}
        self._nodes: list[str] = []
        self._walks: dict[tuple[str, ForeignKey], str] = {}

    # Tables and columns

    def add_table(self, table: sql.Table) -> None:
        """Add a table of the FROM clause."""
        found = self.names.database.tables.get(table.name.lower())
        alias = table.alias_or_name.lower()
        if found is None or alias in self._rows:
            raise UnsupportedSqlError("an unknown or ambiguous table")
        if not found.type:
            self._rows[alias] = _Row(found, node=self._new_node(found.name))
            return
        link = self.names.fresh("_".join(words_of(found.name)) or "link")
        self.names.link_types[link] = found.type
        self._rows[alias] = _Row(found, link=link, ends={key: self._new_node(key.target) for key in found.foreign_keys})

    def whole_rows(self, alias: str = "") -> list[str | Property]:
        """Return what `*` selects: nodes, and the properties of relationships."""
        rows = [self._rows[alias]] if alias in self._rows else list(self._rows.values())
        found: list[str | Property] = []
        for row in rows:
            found += [row.node] if row.node else row.ends.values()
            if row.link:
                found += [Property(row.link, row.table.columns[name].key) for name in row.table.plain_columns]
        return list(dict.fromkeys(found))

    def key(self, column: sql.Column) -> NodeKey | None:
        """Return the node that a column identifies, if it is a key."""
        for reference in self._references(column):
            if self.names.database.is_key(reference.place):
                node = self._follow(reference)
                value = self._property(node, reference.place)
                return NodeKey(node, value if value is not None else self.value(column))
        return None

    def value(self, column: sql.Column) -> Property:
        """Return the property that holds the value of a column, of the node that a foreign key refers to if need be."""
        row, name = self._resolve(column)
        if row.link and name in row.table.plain_columns:
            return Property(row.link, row.table.columns[name].key)
        for reference in self._references(column):
            table, name = reference.place
            if name in self.names.database.tables[table].plain_columns:
                found = self._property(self._follow(reference), reference.place)
                if found is not None:
                    return found
        raise UnsupportedSqlError("a column that no property holds")

    def equate(self, left: sql.Column, right: sql.Column) -> bool:
        """Unify the nodes that two columns identify, if both identify nodes of one table; return whether they do."""
        pairs = [
            (first, second)
            for first in self._references(left)
            for second in self._references(right)
            if first.place == second.place and self.names.database.is_key(first.place)
        ]
        if not pairs:
            return False
        first, second = min(pairs, key=lambda pair: len(pair[0].keys) + len(pair[1].keys))
        if len(first.keys) > len(second.keys):
            first, second = second, first
        self.names.unify(self._follow(first), self._follow(second))
        return True

    def nodes_given(self, node: str) -> set[str]:
        """Return the nodes of the pattern that a node determines, by foreign keys: the team of a player."""
        self._merge()
        found = {self.names.find(node)}
        while more := {
            self.names.find(target)
            for (source, _), target in self._walks.items()
            if self.names.find(source) in found and self.names.find(target) not in found
        }:
            found |= more
        return found

    def _resolve(self, column: sql.Column) -> tuple[_Row, str]:
        name, alias = column.name.lower(), column.table.lower()
        for known, row in self._rows.items():
            if (not alias or alias == known) and name in row.table.columns:
                return row, name
        raise UnsupportedSqlError("an unknown column, or one of an outer query")

    def _references(self, column: sql.Column) -> list[_Reference]:
        row, name = self._resolve(column)
        if row.node:
            return list(self._reachable(_Reference(row.node, (), (row.table.name, name))))
        return [
            reference
            for key, end in row.ends.items()
            if key.column == name
            for reference in self._reachable(_Reference(end, (), (key.target, key.target_column)))
        ]

    def _reachable(self, reference: _Reference) -> Iterator[_Reference]:
        yield reference
        table, column = reference.place
        for key in self.names.database.tables[table].foreign_keys:
            if key.column == column and len(reference.keys) < _MAX_KEYS:
                following = _Reference(reference.start, (*reference.keys, key), (key.target, key.target_column))
                yield from self._reachable(following)

    def _follow(self, reference: _Reference) -> str:
        node = reference.start
        for key in reference.keys:
            self._merge()
            known = self._walks.get((self.names.find(node), key))
            if known is None:
                known = self._walks[self.names.find(node), key] = self._new_node(key.target)
            node = known
        return node

    def _property(self, node: str, place: Place) -> Property | None:
        table = self.names.database.tables[place[0]]
        return Property(node, table.columns[place[1]].key) if place[1] in table.plain_columns else None

    def _new_node(self, table: str) -> str:
        self._nodes.append(node := self.names.node(table))
        return node

    # Patterns

    def match(self) -> Match:
        """Return the pattern with its conditions."""
        self._merge()
        find, tables = self.names.find, self.names.database.tables
        nodes = tuple(
            NodePattern(name, (tables[self.names.tables[name]].kind,)) for name in dict.fromkeys(map(find, self._nodes))
        )
        links = [
            RelationshipPattern(find(first), find(second), (row.table.type,), variable=row.link)
            for row in self._rows.values()
            if row.link
            for first, second in [row.ends.values()]
        ]
        links += [
            RelationshipPattern(find(source), find(target), (key.type,))
            for (source, key), target in self._walks.items()
        ]
        return Match(nodes, tuple(links), conjunction(self.conditions))

    def is_only(self, node: str) -> bool:
        """Return whether the pattern is nothing but this node."""
        self._merge()
        return {self.names.find(one) for one in self._nodes} == {self.names.find(node)} and not (
            self._walks or any(row.link for row in self._rows.values())
        )

    def may_repeat_links(self) -> bool:
        """Return whether two parts of the pattern may match one relationship, which the parts of a pattern cannot."""
        links = self.match().relationships
        tables, different = self.names.tables, self._different_nodes()
        return any(
            one.types == other.types
            and tables[one.source] == tables[other.source]
            and not {frozenset((one.source, other.source)), frozenset((one.target, other.target))} & different
            for place, one in enumerate(links)
            for other in links[:place]
        )

    def _different_nodes(self) -> set[frozenset[str]]:
        """Return the pairs of nodes that conditions make different."""
        found = set()
        for one in self.conditions:
            if isinstance(one, Comparison) and one.operator in ("!=", "<", ">"):
                sides = [getattr(side, "variable", getattr(side, "name", "")) for side in (one.left, one.right)]
                found.add(frozenset(map(self.names.find, sides)))
        return found

    def _merge(self) -> None:
        """Unify what the same foreign key of the same node leads to."""
        merged: dict[tuple[str, ForeignKey], str] = {}
        for (source, key), target in self._walks.items():
            place = (self.names.find(source), key)
            if place in merged:
                self.names.unify(merged[place], target)
            merged.setdefault(place, target)
        is_stable = merged.keys() == self._walks.keys()
        self._walks = merged
        if not is_stable:
            self._merge()
