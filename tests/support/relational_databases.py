"""Fill relational databases with invented rows, and run queries and plans on the same rows.

A plan is right if it returns on the graph of the rows what its query returns on the rows.
"""

import math
import random
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlglot import expressions as sql

from graph.plan.algebra import Plan, Slice
from graph.plan.content_types import words_of
from graph.plan.schema import PropertySchema
from graph.plan.values import ValueType
from question_sets.spider.keys import Place
from question_sets.spider.parsing import Tree, parse_sql
from question_sets.spider.questions import SpiderDatabase
from question_sets.spider.schema import NAME_WORDS
from question_sets.spider.tables import Table
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship, evaluate

Row = dict[str, Any]


class Verdict(StrEnum):
    """Compare the results of a query and its plan."""

    EQUAL = "equal"
    EMPTY = "equal, without rows"
    ORDER = "equal but for the order"
    DIFFERENT = "different"
    INCOMPARABLE = "incomparable"


@dataclass(frozen=True)
class FilledDatabase:
    """Hold the rows of each table; names are in lower case."""

    database: SpiderDatabase
    rows: Mapping[str, Sequence[Row]]

    def graph(self) -> PropertyGraph:
        """Return the graph that the rows form; a node's position is that of its row."""
        nodes: list[Node] = []
        ids: dict[tuple[str, int], int] = {}
        for name, rows in self.rows.items():
            table = self.database.tables.tables[name]
            for number, row in enumerate(rows if not table.type else ()):
                ids[name, number] = len(nodes)
                nodes.append(Node(len(nodes), frozenset((table.kind,)), _properties(table, row)))
        links: list[Relationship] = []
        for name, rows in self.rows.items():
            table = self.database.tables.tables[name]
            for number, row in enumerate(rows):
                ends = [(key, ids[key.target, self._row_of(key.target, key.target_column, row[key.column])])
                        for key in table.foreign_keys if row[key.column] is not None]  # fmt: skip
                if table.type:
                    (_, source), (_, target) = ends
                    links.append(Relationship(len(links), table.type, source, target, _properties(table, row)))
                else:
                    links += [
                        Relationship(len(links) + n, key.type, ids[name, number], end)
                        for n, (key, end) in enumerate(ends)
                    ]
        return PropertyGraph(tuple(nodes), tuple(links))

    def connection(self) -> sqlite3.Connection:
        """Return a database with the rows; the caller closes it."""
        connection = sqlite3.connect(":memory:")
        for name, rows in self.rows.items():
            table = self.database.tables.tables[name]
            columns = ", ".join(f'"{column}" {self._declared(table, column)}' for column in table.columns)
            connection.execute(f'CREATE TABLE "{name}" ({columns})')
            places = ", ".join("?" * len(table.columns))
            values = [[_as_sql(row[column]) for column in table.columns] for row in rows]
            connection.executemany(f'INSERT INTO "{name}" VALUES ({places})', values)
        return connection

    def node_row(self, node: Node) -> int:
        """Return the number of a node's row, from 1 as SQLite counts."""
        before = 0
        for name, rows in self.rows.items():
            table = self.database.tables.tables[name]
            if table.type:
                continue
            if table.kind in node.kinds:
                return node.id - before + 1
            before += len(rows)
        raise AssertionError(node)

    def _row_of(self, table: str, column: str, value: Any) -> int:
        return next(number for number, row in enumerate(self.rows[table]) if row[column] == value)

    def _declared(self, table: Table, column: str) -> str:
        described = property_of(self.database, (table.name, column))
        content = described.content if described is not None else ValueType.STRING
        return {ValueType.INTEGER: "INTEGER", ValueType.FLOAT: "REAL"}.get(content or ValueType.STRING, "TEXT")


def property_of(database: SpiderDatabase, place: Place) -> PropertySchema | None:
    """Return the property that holds the values of a column, of the table that a foreign key leads to if need be."""
    table = database.tables.tables[place[0]]
    if place[1] in table.plain_columns:
        found = database.schema.relationships[table.type] if table.type else database.schema.kinds[table.kind]
        return found.properties[table.columns[place[1]].key]
    key = next(key for key in table.foreign_keys if key.column == place[1])
    return property_of(database, (key.target, key.target_column))


class RowMaker:
    """Invent rows: keys are unique, foreign keys refer to rows, and other values are often those of a query."""

    def __init__(
        self, database: SpiderDatabase, literals: Mapping[Place, Sequence[Any]], rng: random.Random, count: int = 7
    ) -> None:
        self._database, self._literals, self._rng, self._count = database, literals, rng, count
        self._tables = database.tables.tables
        self._keys: dict[Place, list[Any]] = {}

    def fill(self, tables: Collection[str]) -> FilledDatabase:
        """Fill these tables and those that their foreign keys refer to."""
        needed = set(tables)
        while more := {key.target for name in needed for key in self._tables[name].foreign_keys} - needed:
            needed |= more
        return FilledDatabase(self._database, {name: self._table(self._tables[name]) for name in sorted(needed)})

    def _table(self, table: Table) -> list[Row]:
        rows: list[Row] = [{} for _ in range(self._size(table))]
        for column in table.columns:
            place = (table.name, column)
            values = self._key(place) if self._database.tables.is_key(place) else self._plain(place, len(rows))
            for row, value in zip(rows, values, strict=True):
                row[column] = value
        return rows

    def _size(self, table: Table) -> int:
        return self._count + (4 if table.foreign_keys and not table.primary_key else 0)

    def _key(self, place: Place) -> list[Any]:
        """Return the values of a key, which are all different."""
        if place not in self._keys:
            size = self._size(self._tables[place[0]])
            targets = self._targets(place)
            self._keys[place] = []  # a cycle of keys ends here
            common = self._common(targets) if targets else []
            if len(common) >= size:
                self._keys[place] = self._rng.sample(common, size)
            else:
                self._keys[place] = self._unique(place, size)
        return self._keys[place]

    def _targets(self, place: Place) -> list[Place]:
        return [
            (key.target, key.target_column) for key in self._tables[place[0]].foreign_keys if key.column == place[1]
        ]

    def _common(self, targets: Iterable[Place]) -> list[Any]:
        lists = [self._key(target) for target in targets]
        return [value for value in lists[0] if all(value in other for other in lists[1:])]

    def _plain(self, place: Place, size: int) -> list[Any]:
        targets = self._targets(place)
        if targets:
            common = self._common(targets)
            return [self._rng.choice(common) for _ in range(size)]
        if NAME_WORDS & set(words_of(place[1])) or self._names_kind(place):
            return self._unique(place, size)
        return [self._value(place) for _ in range(size)]

    def _names_kind(self, place: Place) -> bool:
        table = self._tables[place[0]]
        kind = self._database.schema.kinds.get(table.kind)
        return kind is not None and kind.name_property == table.columns[place[1]].key

    def _unique(self, place: Place, size: int) -> list[Any]:
        described = property_of(self._database, place)
        content = described.content if described is not None else None
        known = list(dict.fromkeys(self._literals.get(place, ())))
        root = place
        while targets := self._targets(root):  # keys that refer to each other share their values
            root = targets[0]
            known = list(dict.fromkeys((*known, *self._literals.get(root, ()))))
        wide: list[Any] = [place_value(root[1], n, content) for n in range(1, 3 * size)]
        values = list(dict.fromkeys((*known, *wide)))[: max(size, len(known))]
        return self._rng.sample(values[:size], size)

    def _value(self, place: Place) -> Any:
        described = property_of(self._database, place)
        content = described.content if described is not None else None
        known = self._literals.get(place, ())
        if known and self._rng.random() < 0.75:
            value = self._rng.choice(known)
            return value if self._rng.random() < 0.6 else self._near(value)
        return place_value(place[1], self._rng.randint(1, 4), content)

    def _near(self, value: Any) -> Any:
        change = self._rng.choice((-1, 1))
        match value:
            case str():
                return self._rng.choice((f"{value} x", f"x {value}", f"x{value}y", value.upper()))
            case int() | float():
                return value + change
            case datetime() | date():
                return value + timedelta(days=change)
        return value


def place_value(column: str, number: int, content: ValueType | None) -> Any:
    """Return one of a column's possible values; equal columns of several tables share their values."""
    match content:
        case ValueType.INTEGER:
            return number
        case ValueType.FLOAT:
            return number + 0.5
        case ValueType.DATE:
            return date(2010, 1, 1) + timedelta(days=number)
        case ValueType.DATETIME:
            return datetime(2010, 1, 1) + timedelta(days=number)
    return f"{column} {number}"


def compare(query: str, plan: Plan, filled: FilledDatabase) -> Verdict:
    """Run a query on the rows, and its plan on the graph of the rows.

    Which of several rows with equal sort keys come first is not defined, and neither is the order of unsorted rows.
    """
    tree = parse_sql(query).transform(_sum_of_nothing)
    if not _with_row_numbers(tree, filled.database):
        return Verdict.INCOMPARABLE
    whole = Plan(tuple(step for n, step in enumerate(plan.steps) if n != _last_slice(plan, tree)))
    with closing(filled.connection()) as connection:
        sizes = [len(_rows(connection, tree)), len(_found(plan, filled))]
        tree.set("limit", None)
        tree.set("offset", None)
        expected, found = _rows(connection, tree), _found(whole, filled)
        if sizes[0] != sizes[1] or Counter(expected) != Counter(found):
            return Verdict.DIFFERENT
        if tree.args.get("order") is not None and not _is_sorted(connection, tree, found):
            return Verdict.ORDER
    return Verdict.EQUAL if found else Verdict.EMPTY


def _sum_of_nothing(part: Tree) -> Tree:
    """Make the sum of no values 0, as in plans; in SQL it is NULL."""
    return sql.Coalesce(this=part, expressions=[sql.Literal.number(0)]) if isinstance(part, sql.Sum) else part


def _last_slice(plan: Plan, tree: Tree) -> int:
    if tree.args.get("limit") is None:
        return -1
    return max(n for n, step in enumerate(plan.steps) if isinstance(step, Slice))


def _rows(connection: sqlite3.Connection, tree: Tree) -> list[tuple[Any, ...]]:
    return [tuple(map(_comparable, row)) for row in connection.execute(tree.sql(dialect="sqlite"))]


def _found(plan: Plan, filled: FilledDatabase) -> list[tuple[Any, ...]]:
    rows = evaluate(plan, filled.graph()).rows
    return [tuple(filled.node_row(v) if isinstance(v, Node) else _comparable(v) for v in row) for row in rows]


def _is_sorted(connection: sqlite3.Connection, tree: Tree, found: Sequence[tuple[Any, ...]]) -> bool:
    """Return whether rows are sorted as a query sorts them; a DISTINCT query has no other columns to sort by."""
    if not isinstance(tree, sql.Select) or tree.args.get("distinct"):
        return True
    tree = tree.copy()
    width = len(tree.expressions)
    tree.set("expressions", [*tree.expressions, *(one.this.copy() for one in tree.args["order"].expressions)])
    sorted_rows = _rows(connection, tree)
    keys = Counter(sorted_rows)
    for row, expected in zip(found, sorted_rows, strict=True):
        if not keys[(*row, *expected[width:])]:
            return False
        keys[(*row, *expected[width:])] -= 1
    return True


def _with_row_numbers(tree: Tree, database: SpiderDatabase) -> bool:
    """Select the numbers of rows instead of all of their columns; return False where relationships have none."""
    for select in [tree] if isinstance(tree, sql.Select) else list(tree.find_all(sql.Select)):
        items: list[Tree] = []
        sources = [select.args["from_"], *(select.args.get("joins") or [])]
        tables = [one.this for one in sources]
        for item in select.expressions:
            is_star = isinstance(item, sql.Star) or (isinstance(item, sql.Column) and isinstance(item.this, sql.Star))
            if not is_star:
                items.append(item)
                continue
            alias = item.table.lower() if isinstance(item, sql.Column) else ""
            for table in tables:
                if not isinstance(table, sql.Table) or select.args.get("group"):
                    return False
                if alias in ("", table.alias_or_name.lower()):
                    if database.tables.tables[table.name.lower()].type:
                        return False
                    items.append(sql.column("rowid", table=table.alias_or_name))
        select.set("expressions", items)
    return True


def _comparable(value: Any) -> Any:
    match value:
        case bool():
            return value
        case int() | float():
            return 0.0 if value == 0 else round(value, 9 - math.ceil(math.log10(abs(value))))
        case datetime():
            return value.isoformat(" ")
        case date():
            return value.isoformat()
    return value


def _as_sql(value: Any) -> Any:
    return _comparable(value) if isinstance(value, date) else value


def _properties(table: Table, row: Row) -> dict[str, Any]:
    return {table.columns[name].key: row[name] for name in table.plain_columns if row[name] is not None}
