"""Fill relational databases with invented rows, and turn the rows into a graph."""

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from graph.plan.content_types import words_of
from graph.plan.schema import PropertySchema
from graph.plan.values import ValueType
from ingestion.property_graph import Node, PropertyGraph, Relationship
from question_sets.spider.keys import Place
from question_sets.spider.questions import SpiderDatabase
from question_sets.spider.schema import NAME_WORDS
from question_sets.spider.tables import Table

Row = dict[str, Any]


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

    def _row_of(self, table: str, column: str, value: Any) -> int:
        return next(number for number, row in enumerate(self.rows[table]) if row[column] == value)


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


def _properties(table: Table, row: Row) -> dict[str, Any]:
    return {table.columns[name].key: row[name] for name in table.plain_columns if row[name] is not None}
