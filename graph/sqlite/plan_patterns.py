"""Compile the patterns of a query plan to the tables and conditions of an SQL query."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from graph.plan.algebra import (
    And,
    Comparison,
    Constant,
    Expression,
    IsMissing,
    Match,
    NodePattern,
    Not,
    Property,
    RelationshipPattern,
)
from graph.plan.required_properties import PropertyName, required_properties
from graph.plan.scope import Scope
from graph.plan.values import ValueType
from graph.sqlite.plan_context import Columns, PropertyColumns, QueryContext, bounds, is_native, where_clause
from graph.sqlite.plan_expressions import ExpressionCompiler
from graph.sqlite.plan_text_tests import TextTest
from graph.sqlite.values import encode
from shared.text import normalise

# SQLite joins up to 64 tables.
_MAX_PROPERTIES = 16
_MIN_SHARE = 1e-6
# The index of keys is smaller than the table, but looking up properties is slow in its order.
_BY_ROW = " NOT INDEXED"


@dataclass(frozen=True, slots=True)
class Rows(ExpressionCompiler):
    """Compile expressions, including those that contain patterns."""

    def matches(self, match: Match, selected: str) -> list[str]:
        """Return queries over the matches of a pattern, one per combination of directions."""
        return [f"SELECT {selected} {rest}" for _, rest in self._sources(match)]

    def values_of(self, match: Match, value: Expression) -> list[str]:
        """Return queries over the matches of a pattern, whose column `v` is the value as an item of a list."""
        return [f"SELECT {rows.list_item(value, grouped=False)} AS v {rest}" for rows, rest in self._sources(match)]

    def _sources(self, match: Match) -> Iterator[tuple["Rows", str]]:
        """Yield a compiler for each combination of directions, and the query without its columns."""
        scope = self.scope.within(match)
        for links in directions(match.relationships):
            source = Source(self.context, self.columns, self.properties)
            conditions = source.add(match, links, scope)
            rows = Rows(self.context, scope, source.columns, source.properties)
            yield rows, f"{source.text or 'FROM (SELECT 1)'}{where_clause(conditions)}"


class Source:
    """Collect the tables and conditions of a pattern, and the columns of its variables and of some properties.

    A property without which the pattern cannot match becomes a table, so that SQLite can start from its index.
    """

    def __init__(self, context: QueryContext, columns: Columns, properties: PropertyColumns, text: str = "") -> None:
        """Start from rows with these columns; `text` is their FROM clause."""
        self._context = context
        self._separator = ", "
        self.columns = dict(columns)
        self.properties = dict(properties)
        self.text = text

    def add(self, match: Match, links: Sequence[RelationshipPattern], scope: Scope) -> list[str]:
        """Add a pattern, whose relationships `links` have directions, and return its conditions."""
        conditions = [f"{self.columns[name][0]} IS NOT NULL" for name in _variables(match) if name in self.columns]
        conditions += self._relationships(match, links)
        joined = []
        for name in self._required(match.where, scope):
            conditions += self.join_property(name)
            joined.append(name)
        for node in match.nodes:
            conditions += self._node(node, scope, joined)
        if match.where is not None:
            conditions += self._conditions(match.where, Rows(self._context, scope, self.columns, self.properties))
        return conditions

    def add_in_order(self, first: PropertyName, match: Match, scope: Scope) -> list[str] | None:
        """Add a pattern that SQLite matches in the order of a property's values.

        Returns None if the pattern is not connected.
        """
        self._separator = " CROSS JOIN "
        links = _connected(first[0], match.relationships)
        if links is None or not {node.variable for node in match.nodes} <= {first[0], *_ends(links)}:
            return None
        conditions = self.join_property(first, " INDEXED BY nodes_by_value")
        return conditions + self.add(replace(match, relationships=tuple(links)), links, scope)

    def join_property(self, name: PropertyName, hint: str = "") -> list[str]:
        """Join the table that holds a property of a node, and return the conditions."""
        variable, key = name
        if self._context.catalogue.is_entity_name(key):
            alias = self._join("entities", "e", _BY_ROW)
            self.properties[name] = f"+{alias}.name"
            return self._same(variable, f"{alias}.id")
        alias = self._join("node_properties", "q", hint)
        self.properties[name] = f"{alias}.value"
        catalogue = self._context.catalogue
        has_key = f"{alias}.key = {catalogue.keys.get(key, -1)}"
        return [_likely(has_key, catalogue.share_with(key)), *self._same(variable, f"{alias}.entity")]

    def _join(self, table: str, prefix: str, hint: str = "") -> str:
        alias = self._context.new_name(prefix)
        self.text += f"{self._separator if self.text else 'FROM '}{table} AS {alias}{hint}"
        return alias

    def _required(self, where: Expression | None, scope: Scope) -> list[PropertyName]:
        """Return the properties of nodes without which the condition is not true, and that have no column yet."""
        found = sorted(required_properties(where) - self.properties.keys())
        of_nodes = [(name, key) for name, key in found if scope.variables[name].only(ValueType.NODE)]
        return of_nodes[:_MAX_PROPERTIES]

    def _relationships(self, match: Match, links: Sequence[RelationshipPattern]) -> list[str]:
        conditions, aliases = [], []
        for link, original in zip(links, match.relationships, strict=True):
            aliases.append(self._join("triples", "r"))
            conditions += self._relationship(link, aliases[-1])
            if link.source != original.source:
                conditions.append(f"{aliases[-1]}.s <> {aliases[-1]}.o")  # a self-loop matches in one direction only
        return conditions + _all_different(aliases, links)

    def _relationship(self, link: RelationshipPattern, alias: str) -> list[str]:
        relations = self._context.catalogue.relations
        conditions = []
        if link.types:
            known = [str(relations[name]) for name in link.types if name in relations]
            conditions.append(f"{alias}.r IN ({', '.join(known)})")
        for end, variable in (("s", link.source), ("o", link.target)):
            if variable in self.columns:
                conditions.append(f"{alias}.{end} = {self.columns[variable][0]}")
            else:
                self.columns[variable] = (f"{alias}.{end}",)
        if link.variable:
            self.columns[link.variable] = (f"{alias}.id", f"{alias}.r")
        return conditions

    def _node(self, node: NodePattern, scope: Scope, joined: Sequence[PropertyName]) -> list[str]:
        conditions = []
        for kind in node.kinds:
            if any(name == node.variable and self._implies(key, kind, scope) for name, key in joined):
                continue
            alias = self._join("node_labels", "k")
            catalogue = self._context.catalogue
            has_kind = f"{alias}.label = {catalogue.kinds.get(kind, -1)}"
            conditions.append(_likely(has_kind, catalogue.share_of(kind)))
            conditions += self._same(node.variable, f"{alias}.entity")
        if node.ids is not None or node.variable not in self.columns:
            alias = self._join("entities", "e", _BY_ROW if node.ids is None else "")
            conditions += self._same(node.variable, f"{alias}.id")
            if node.ids is not None:
                # One parameter, because SQLite takes quadratic time to read many of them.
                keys = self._context.parameter(json.dumps(node.ids))
                conditions.append(f"{alias}.key IN (SELECT value FROM json_each({keys}))")
        return conditions

    def _implies(self, key: str, kind: str, scope: Scope) -> bool:
        """Return whether all nodes that have a property are of a kind."""
        described = scope.schema.kinds.get(kind) if scope.schema else None
        if described is None or key not in described.properties:
            return False
        return described.properties[key].count == self._context.catalogue.owners.get(key)

    def _same(self, variable: str, column: str) -> list[str]:
        if variable in self.columns:
            return [f"{column} = {self.columns[variable][0]}"]
        self.columns[variable] = (column,)
        return []

    def _conditions(self, where: Expression, rows: Rows) -> list[str]:
        """Return the conjuncts; comparisons of a node's property with a constant can use the index."""
        match where:
            case And():
                return [condition for one in where.conditions for condition in self._conditions(one, rows)]
            case Not(condition=IsMissing(value=Property() as value)) if (value.variable, value.key) in self.properties:
                return []  # the join requires it
            case Comparison():
                return self._compared(where, rows) or self._tested(where, rows) or [rows.condition(where)]
        return [rows.condition(where)]

    def _compared(self, where: Comparison, rows: Rows) -> list[str] | None:
        """Compare a property with a constant, within the bounds of the constant's type."""
        target, constant = where.left, where.right
        if where.ignore_case or where.operator not in {"=", "<", "<=", ">", ">="}:
            return None
        if not isinstance(target, Property) or not isinstance(constant, Constant):
            return None
        column = self.properties.get((target.variable, target.key))
        stored = encode(constant.value)
        if column is None or (limits := bounds(stored)) is None:
            return None
        parameter = self._context.parameter(stored)
        conditions = [f"{column} {where.operator} {parameter}"]
        if self._context.catalogue.is_entity_name(target.key) and where.operator == "=" and isinstance(stored, str):
            conditions += self._in_name_index(target.variable, stored)
        if is_native(rows.scope.types(target), rows.scope.types(constant)):
            return conditions
        low, high = limits
        if where.operator in {">", ">="}:
            conditions.append(f"{column} < {high}")
        if where.operator in {"<", "<="} and low:
            conditions.append(f"{column} >= {low}")
        return conditions

    def _tested(self, where: Comparison, rows: Rows) -> list[str] | None:
        """Test the text of a property."""
        test = TextTest.of(where)
        if test is None or not isinstance(test.value, Property):
            return None
        variable, key = test.value.variable, test.value.key
        column = self.properties.get((variable, key))
        if column is None:
            return None
        # Tests of text are worth doing early.
        conditions = [f"unlikely({test.sql(self._context, column, self.columns[variable][0], key)})"]
        if not rows.scope.types(test.value).only(ValueType.STRING):
            conditions += [f"{column} >= ''", f"{column} < x''"]
        if self._context.catalogue.is_entity_name(key) and test.operator == "=" and test.text.isascii():
            conditions += self._in_name_index(variable, test.text)
        return conditions

    def _in_name_index(self, variable: str, name: str) -> list[str]:
        """Find the entities that may have a name in the index of names, which is by normalised name.

        Names that differ only in the case of ASCII letters have the same normalised form.
        """
        alias = self._join("names", "q")
        letters = self._context.parameter(normalise(name).replace(" ", ""))
        node = self.columns[variable][0]
        return [f"{alias}.letters = {letters} AND {alias}.alias IS NULL AND {alias}.entity = {node}"]


def directions(links: Sequence[RelationshipPattern]) -> Iterator[list[RelationshipPattern]]:
    """Yield the relationships with each combination of directions; those of direction `both` are also turned round."""
    turned = [replace(link, source=link.target, target=link.source) for link in links]
    is_open = [link.direction == "both" and link.source != link.target for link in links]
    choices = [(a, b) if both else (a,) for a, b, both in zip(links, turned, is_open, strict=True)]
    yield from map(list, product(*choices))


def _all_different(aliases: Sequence[str], links: Sequence[RelationshipPattern]) -> list[str]:
    return [
        f"{aliases[a]}.id <> {aliases[b]}.id"
        for a in range(len(links))
        for b in range(a)
        if not links[a].types or not links[b].types or set(links[a].types) & set(links[b].types)
    ]


def _likely(condition: str, share: float) -> str:
    """Tell SQLite the share of the rows of a table that meet a condition; it would assume the average."""
    return f"likelihood({condition}, {max(share, _MIN_SHARE):.6f})"


def _variables(match: Match) -> Iterator[str]:
    yield from (node.variable for node in match.nodes)
    yield from _ends(match.relationships)


def _ends(links: Sequence[RelationshipPattern]) -> Iterator[str]:
    for link in links:
        yield from (link.source, link.target)


def _connected(start: str, links: Sequence[RelationshipPattern]) -> list[RelationshipPattern] | None:
    """Sort relationships so that each one touches an earlier one or the start; None if that is impossible."""
    rest, found, reached = list(links), [], {start}
    while rest:
        link = next((one for one in rest if {one.source, one.target} & reached), None)
        if link is None:
            return None
        rest.remove(link)
        found.append(link)
        reached |= {link.source, link.target}
    return found
