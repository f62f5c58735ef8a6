"""Compile patterns and expressions of query plans to parts of SQL statements; `plan_query.py` puts them together."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from shared.graph.sqlite.schema import ENTITY_NAME
from shared.graph.sqlite.values import BOOLEAN, DATE, DATETIME, FALSE, TRUE, Stored, encode
from shared.plan.algebra import (
    Aggregate,
    AggregateFunction,
    And,
    Arithmetic,
    Call,
    Comparison,
    Constant,
    CountMatches,
    Exists,
    Expression,
    Function,
    HasKind,
    IsMissing,
    ListOf,
    Match,
    NodePattern,
    Not,
    Or,
    Property,
    RelationshipPattern,
    RelationshipType,
    Variable,
)
from shared.plan.scope import ELEMENTS, NUMBERS, Scope, Types
from shared.plan.values import ValueType
from shared.text import normalise

_FUNCTIONS = {
    "<": "k_lt",
    "<=": "k_le",
    ">": "k_gt",
    ">=": "k_ge",
    "in": "k_in",
    "contains": "k_contains",
    "starts_with": "k_starts",
    "ends_with": "k_ends",
    "+": "k_add",
    "-": "k_subtract",
    "*": "k_multiply",
    "/": "k_divide",
    "%": "k_remainder",
}
# Groups of types within which SQLite compares and sorts stored values as plans do.
NATIVE_TYPES = tuple(
    map(frozenset, (NUMBERS, {ValueType.STRING}, {ValueType.BOOLEAN}, {ValueType.DATE}, {ValueType.DATETIME}))
)
# SQL literals between which the stored values of a type lie; numbers come first.
_BOUNDS: dict[type, tuple[str, str]] = {int: ("", "''"), float: ("", "''"), str: ("''", "x''")}
Columns = Mapping[str, tuple[str, ...]]
"""The SQL columns, or values, of each variable."""
_BLOB_BOUNDS = {tag: (f"x'{tag.hex()}'", f"x'{tag[0] + 1:02x}'") for tag in (BOOLEAN, DATE, DATETIME)}


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Map the names in a graph file to row ids."""

    kinds: Mapping[str, int]
    relations: Mapping[str, int]
    keys: Mapping[str, int]

    def is_entity_name(self, key: str) -> bool:
        """Return whether a property stands for the names of entities, because the graph has no property `name`."""
        return key == ENTITY_NAME and key not in self.keys


@dataclass(slots=True)
class QueryContext:
    """Hold what the parts of one statement share: the catalogue, the parameters, and the names that are taken."""

    catalogue: Catalogue
    parameters: dict[str, Stored] = field(default_factory=dict)
    _names: int = 0

    def new_name(self, prefix: str) -> str:
        """Return a name that no other part of the statement has."""
        self._names += 1
        return f"{prefix}{self._names}"

    def parameter(self, value: Stored) -> str:
        """Add a parameter, and return its placeholder."""
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return f":{name}"


class Source:
    """Collect the tables and conditions of a pattern, and the columns of its variables."""

    def __init__(self, context: QueryContext, columns: Columns, text: str) -> None:
        self._context = context
        self.columns = dict(columns)
        self.text = text

    def add(self, match: Match, links: Sequence[RelationshipPattern], scope: Scope) -> list[str]:
        """Add a pattern, whose relationships `links` have directions, and return its conditions."""
        conditions = [f"{self.columns[name][0]} IS NOT NULL" for name in _variables(match) if name in self.columns]
        aliases = []
        for link, original in zip(links, match.relationships, strict=True):
            aliases.append(self._join("triples", "r"))
            conditions += self._relationship(link, aliases[-1])
            if link.source != original.source:
                conditions.append(f"{aliases[-1]}.s <> {aliases[-1]}.o")  # a self-loop matches in one direction only
        conditions += _all_different(aliases, links)
        for node in match.nodes:
            conditions += self._node(node)
        rows = Rows(self._context, scope, self.columns)
        if match.where is not None:
            conditions += self._conditions(match.where, rows)
        return conditions

    def _join(self, table: str, prefix: str) -> str:
        alias = self._context.new_name(prefix)
        self.text += f"{', ' if self.text else 'FROM '}{table} AS {alias}"
        return alias

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

    def _node(self, node: NodePattern) -> list[str]:
        conditions = []
        kinds = self._context.catalogue.kinds
        for kind in node.kinds:
            alias = self._join("node_labels", "k")
            conditions.append(f"{alias}.label = {kinds.get(kind, -1)}")
            conditions += self._same(node.variable, f"{alias}.entity")
        if node.ids is not None or node.variable not in self.columns:
            alias = self._join("entities", "e")
            conditions += self._same(node.variable, f"{alias}.id")
            if node.ids is not None:
                # One parameter, because SQLite takes quadratic time to read many of them.
                keys = self._context.parameter(json.dumps(node.ids))
                conditions.append(f"{alias}.key IN (SELECT value FROM json_each({keys}))")
        return conditions

    def _same(self, variable: str, column: str) -> list[str]:
        if variable in self.columns:
            return [f"{column} = {self.columns[variable][0]}"]
        self.columns[variable] = (column,)
        return []

    def _conditions(self, where: Expression, rows: "Rows") -> list[str]:
        """Return the conjuncts; comparisons of a node's property with a constant can use the index."""
        if isinstance(where, And):
            return [condition for one in where.conditions for condition in self._conditions(one, rows)]
        if isinstance(where, Comparison) and (indexed := self._indexed(where, rows)):
            return indexed
        return [rows.condition(where)]

    def _indexed(self, where: Comparison, rows: "Rows") -> list[str] | None:
        target, constant = where.left, where.right
        if where.ignore_case or where.operator not in {"=", "<", "<=", ">", ">="}:
            return None
        if not isinstance(target, Property) or not isinstance(constant, Constant):
            return None
        if not rows.scope.variables[target.variable].only(ValueType.NODE):
            return None
        stored = encode(constant.value)
        if self._context.catalogue.is_entity_name(target.key):
            return self._named(target.variable, stored) if where.operator == "=" else None
        bounds = _BLOB_BOUNDS.get(stored[:1]) if isinstance(stored, bytes) else _BOUNDS.get(type(stored))
        if bounds is None:
            return None
        alias = self._join("node_properties", "q")
        key = self._context.catalogue.keys.get(target.key, -1)
        parameter = self._context.parameter
        conditions = [
            f"{alias}.entity = {self.columns[target.variable][0]} AND {alias}.key = {key}",
            f"{alias}.value {where.operator} {parameter(stored)}",
        ]
        low, high = bounds
        if where.operator in {">", ">="}:
            conditions.append(f"{alias}.value < {high}")
        if where.operator in {"<", "<="} and low:
            conditions.append(f"{alias}.value >= {low}")
        return conditions

    def _named(self, variable: str, name: Stored) -> list[str] | None:
        """Find the entities with exactly this name in the index of names, which is by normalised name."""
        if not isinstance(name, str):
            return None
        alias = self._join("names", "q")
        letters = self._context.parameter(normalise(name).replace(" ", ""))
        node = self.columns[variable][0]
        return [
            f"{alias}.letters = {letters} AND {alias}.alias IS NULL AND {alias}.entity = {node}",
            f"(SELECT name FROM entities WHERE id = {node}) = {self._context.parameter(name)}",
        ]


@dataclass(frozen=True, slots=True)
class Rows:
    """Compile expressions over the rows of a table."""

    context: QueryContext
    scope: Scope
    columns: Columns

    def columns_of(self, expression: Expression, grouped: bool) -> tuple[str, ...]:
        """Return the columns that hold a value, a node, or a relationship; `grouped` makes equal values identical."""
        match expression:
            case Variable():
                columns = self.columns[expression.name]
            case Call(function=Function.FIRST | Function.LAST):
                columns = element_columns(self._call(expression), self.scope.types(expression))
            case Call(function=Function.COALESCE) if self._is_element(expression):
                arguments = [self.columns_of(one, grouped) for one in expression.arguments if self._is_element(one)]
                columns = tuple(f"k_coalesce({', '.join(column)})" for column in zip(*arguments, strict=True))
            case _:
                columns = (self.value(expression),)
        if grouped and self.scope.types(expression).may_be(ValueType.LIST):
            return (f"k_grouped({columns[0]})",)
        return columns

    def argument(self, aggregate: Aggregate) -> str:
        """Return the argument of an aggregate; lists hold nodes in their stored form."""
        if aggregate.value is None:
            return "1"
        if aggregate.function is AggregateFunction.COLLECT:
            return self._list_item(aggregate.value, grouped=aggregate.distinct)
        return self.columns_of(aggregate.value, grouped=aggregate.distinct)[0]

    def value(self, expression: Expression) -> str:
        """Compile an expression to its stored value."""
        match expression:
            case Variable():
                return self.columns[expression.name][0]
            case Constant():
                return self.context.parameter(encode(expression.value))
            case Property():
                return self._property(expression)
            case RelationshipType():
                relation = self.columns[expression.variable][1]
                return f"(SELECT name FROM relations WHERE id = {relation})"
            case Call(function=Function.FIRST | Function.LAST | Function.COALESCE) if self._is_element(expression):
                return self.columns_of(expression, grouped=False)[0]
            case Call():
                return self._call(expression)
            case Arithmetic():
                return (
                    f"{_FUNCTIONS[expression.operator]}({self.value(expression.left)}, {self.value(expression.right)})"
                )
            case ListOf():
                return f"k_list({', '.join(self._list_item(item, grouped=False) for item in expression.items)})"
            case CountMatches():
                counts = " UNION ALL ".join(self._matches(expression.match, "count(*) AS n"))
                return f"(SELECT sum(n) FROM ({counts}))"
        return (
            f"CASE {self.condition(expression)} WHEN 1 THEN {blob_literal(TRUE)} WHEN 0 THEN {blob_literal(FALSE)} END"
        )

    def condition(self, expression: Expression) -> str:
        """Compile an expression to 1, 0, or NULL."""
        match expression:
            case Comparison():
                return self._comparison(expression)
            case IsMissing():
                return f"({self.value(expression.value)} IS NULL)"
            case Not():
                return f"(NOT {self.condition(expression.condition)})"
            case And():
                return f"({' AND '.join(map(self.condition, expression.conditions))})"
            case Or():
                return f"({' OR '.join(map(self.condition, expression.conditions))})"
            case HasKind():
                return self._has_kind(expression)
            case Exists():
                return f"({' OR '.join(f'EXISTS ({query})' for query in self._matches(expression.match, '1'))})"
        return f"CASE {self.value(expression)} WHEN {blob_literal(TRUE)} THEN 1 WHEN {blob_literal(FALSE)} THEN 0 END"

    def _is_element(self, expression: Expression) -> bool:
        types = self.scope.types(expression)
        return bool(types.names) and types.only(*ELEMENTS)

    def _list_item(self, expression: Expression, grouped: bool) -> str:
        """Compile an item of a list, in which nodes and relationships have a stored form."""
        columns = ", ".join(self.columns_of(expression, grouped))
        types = self.scope.types(expression)
        if types.names and types.only(ValueType.NODE):
            return f"k_node({columns})"
        return f"k_relationship({columns})" if types.names and types.only(ValueType.RELATIONSHIP) else columns

    def _property(self, expression: Property) -> str:
        element = self.columns[expression.variable][0]
        is_relationship = self.scope.variables[expression.variable].only(ValueType.RELATIONSHIP)
        if self.context.catalogue.is_entity_name(expression.key) and not is_relationship:
            return f"(SELECT name FROM entities WHERE id = {element})"
        key = self.context.catalogue.keys.get(expression.key, -1)
        table, owner = ("relationship_properties", "triple") if is_relationship else ("node_properties", "entity")
        return f"(SELECT value FROM {table} WHERE {owner} = {element} AND key = {key})"

    def _has_kind(self, expression: HasKind) -> str:
        node, kind = self.columns[expression.variable][0], self.context.catalogue.kinds.get(expression.kind, -1)
        exists = f"EXISTS (SELECT 1 FROM node_labels WHERE label = {kind} AND entity = {node})"
        return f"CASE WHEN {node} IS NOT NULL THEN {exists} END"

    def _call(self, call: Call) -> str:
        arguments = ", ".join(map(self.value, call.arguments))
        match call.function:
            case Function.FIRST:
                return f"k_item({arguments}, 0)"
            case Function.LAST:
                return f"k_item({arguments}, -1)"
        return f"k_{call.function}({arguments})"

    def _comparison(self, expression: Comparison) -> str:
        left, right = self.value(expression.left), self.value(expression.right)
        types = self.scope.types(expression.left), self.scope.types(expression.right)
        operator = expression.operator
        if operator == "in":
            left = self._list_item(expression.left, grouped=False)
        if expression.ignore_case:
            left, right = _lower(left, types[0]), _lower(right, types[1])
        if operator in {"=", "!="}:
            if any(one.may_be(ValueType.LIST) for one in types):
                return f"(k_eq({left}, {right}) = {int(operator == '=')})"
            return f"({left} {operator} {right})"
        if operator in {"<", "<=", ">", ">="} and any(all(one.names <= some for one in types) for some in NATIVE_TYPES):
            return f"({left} {operator} {right})"
        return f"{_FUNCTIONS[operator]}({left}, {right})"

    def _matches(self, match: Match, selected: str) -> list[str]:
        """Return queries over the matches of a pattern, one per combination of directions."""
        queries = []
        for links in directions(match.relationships):
            source = Source(self.context, self.columns, "")
            conditions = source.add(match, links, self.scope.within(match))
            queries.append(f"SELECT {selected} {source.text or 'FROM (SELECT 1)'}{where_clause(conditions)}")
        return queries


def directions(links: Sequence[RelationshipPattern]) -> Iterator[list[RelationshipPattern]]:
    """Yield the relationships with each combination of directions; those of direction `both` are also turned round."""
    turned = [replace(link, source=link.target, target=link.source) for link in links]
    is_open = [link.direction == "both" and link.source != link.target for link in links]
    choices = [(a, b) if both else (a,) for a, b, both in zip(links, turned, is_open, strict=True)]
    yield from map(list, product(*choices))


def element_columns(item: str, types: Types) -> tuple[str, ...]:
    """Return the columns of an item of a list, which may be a node or a relationship."""
    if types.names and types.only(ValueType.RELATIONSHIP):
        return (f"k_row({item})", f"k_relation({item})")
    return (f"k_row({item})",) if types.names and types.only(ValueType.NODE) else (item,)


def _lower(value: str, types: Types) -> str:
    return f"k_lower({value})" if types.only(ValueType.STRING) else f"coalesce(k_lower({value}), {value})"


def _all_different(aliases: Sequence[str], links: Sequence[RelationshipPattern]) -> list[str]:
    return [
        f"{aliases[a]}.id <> {aliases[b]}.id"
        for a in range(len(links))
        for b in range(a)
        if not links[a].types or not links[b].types or set(links[a].types) & set(links[b].types)
    ]


def _variables(match: Match) -> Iterator[str]:
    yield from (node.variable for node in match.nodes)
    for link in match.relationships:
        yield from (link.source, link.target)


def where_clause(conditions: Sequence[str]) -> str:
    """Return the WHERE clause of conditions; empty if there are none."""
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def blob_literal(value: bytes) -> str:
    """Write a BLOB as an SQL literal."""
    return f"x'{value.hex()}'"
