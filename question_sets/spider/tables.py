"""Read relational schemas: tables, columns, and keys, and what each becomes in a graph.

A table is a kind, and a foreign key is a relationship type. A table that only links two others is a relationship type
with properties.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from graph.plan.content_types import words_of
from question_sets.spider.keys import KeyFinder, Pair, Place
from question_sets.spider.names import NamingStyle

_NAME_WORDS = {"name", "title"}
_MAX_LINK_COLUMNS, _MAX_COLUMNS_WITHOUT_KEY = 3, 6


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Describe a column that refers to the key of a row, and the type of the relationships that it becomes."""

    column: str
    target: str
    target_column: str
    type: str


@dataclass(frozen=True, slots=True)
class Column:
    """Describe a column: the key of its property, and its type as published, such as `number`."""

    key: str
    type: str


@dataclass(slots=True)
class Table:
    """Describe a table; all names but `kind` and `type` are in lower case.

    Attributes:
        kind: The kind that the rows are, unless the table links two others.
        type: The relationship type that the rows are if the table links two others; otherwise empty.
    """

    name: str
    kind: str
    columns: dict[str, Column] = field(default_factory=dict)
    primary_key: str = ""
    foreign_keys: list[ForeignKey] = field(default_factory=list)
    type: str = ""

    @property
    def plain_columns(self) -> list[str]:
        """List the columns that are properties: all but foreign keys, and the primary key in any case."""
        references = {key.column for key in self.foreign_keys}
        return [name for name in self.columns if name not in references or (name == self.primary_key and not self.type)]


@dataclass(frozen=True)
class Database:
    """Hold the tables of a database by name in lower case."""

    name: str
    tables: Mapping[str, Table]

    def is_key(self, place: Place) -> bool:
        """Return whether the values of a column identify rows: a primary key, or the target of foreign keys."""
        table, column = place
        return self.tables[table].primary_key == column or place in self._targets

    @property
    def _targets(self) -> set[Place]:
        return {(key.target, key.target_column) for one in self.tables.values() for key in one.foreign_keys}


def read_tables(row: Mapping[str, Any], joins: Iterable[Pair] = (), measures: Collection[Place] = ()) -> Database:
    """Read a row of `tables.jsonl`.

    Args:
        row: The tables, columns, and keys of a database, as published.
        joins: Pairs of columns that queries join. The published schemas lack some foreign keys; a column that queries
            join with a primary key is one.
        measures: Columns that queries sum or average, so that they hold numbers.
    """
    style = NamingStyle(row["db_id"])
    names = [name.lower() for name in row["table_names_original"]]
    tables = {
        name: Table(name, style.kind(original, readable))
        for name, original, readable in zip(names, row["table_names_original"], row["table_names"], strict=True)
    }
    _use_distinct_kinds(tables, row["table_names_original"])
    places = _read_columns(row, tables, style, measures)
    published = {places[number][0]: places[number][1] for number in reversed(row["primary_keys"])}
    keys = KeyFinder(published, [(places[source], places[target]) for source, target in row["foreign_keys"]], joins)
    for table in tables.values():
        table.primary_key = keys.primary.get(table.name, "")
        # In the order of the columns, so that a link leads from its first column to its second.
        table.foreign_keys = [
            ForeignKey(column, *target, style.foreign_key(column, table.kind, tables[target[0]].kind))
            for column in table.columns
            for target in keys.foreign.get((table.name, column), ())
        ]
    referred = {key.target for table in tables.values() for key in table.foreign_keys}
    for table in tables.values():
        if table.name not in referred and _is_link(table):
            table.type = style.link(table.name)
    _use_distinct_types(tables)
    return Database(row["db_id"], tables)


def _read_columns(
    row: Mapping[str, Any], tables: Mapping[str, Table], style: NamingStyle, measures: Collection[Place]
) -> list[Place]:
    """Add the columns to their tables, and return the places of all columns in the order of the published schema."""
    names = list(tables)
    places = []
    for (number, original), (_, readable), type_ in zip(
        row["column_names_original"], row["column_names"], row["column_types"], strict=True
    ):
        place = (names[number] if number >= 0 else "", original.lower())
        places.append(place)
        if number >= 0:
            column_type = "number" if place in measures else type_
            tables[names[number]].columns[place[1]] = Column(style.key(original, readable), column_type)
    return places


def _is_link(table: Table) -> bool:
    """Return whether the rows of a table link two others and are nothing of their own."""
    columns = {key.column for key in table.foreign_keys}
    plain = table.columns.keys() - columns
    if len(columns) != 2 or len(table.foreign_keys) != 2:
        return False
    if any(_NAME_WORDS & set(words_of(column)) for column in plain):
        return False
    # A table with a key of its own is a thing of its own, unless it says hardly anything else.
    return len(plain) <= (_MAX_LINK_COLUMNS if table.primary_key else _MAX_COLUMNS_WITHOUT_KEY)


def _use_distinct_kinds(tables: Mapping[str, Table], originals: Iterable[str]) -> None:
    kinds = [table.kind for table in tables.values()]
    if len(set(kinds)) < len(kinds):
        for table, original in zip(tables.values(), originals, strict=True):
            table.kind = original


def _use_distinct_types(tables: Mapping[str, Table]) -> None:
    """Name different relationships between the same kinds differently."""
    used: set[tuple[str, str, str]] = set()
    for table in tables.values():
        if table.type:
            first, second = table.foreign_keys
            ends = tables[first.target].kind, tables[second.target].kind
            while (ends[0], table.type, ends[1]) in used:
                table.type += "_2"
            used.add((ends[0], table.type, ends[1]))
            continue
        for number, key in enumerate(table.foreign_keys):
            type_ = key.type
            if (table.kind, type_, tables[key.target].kind) in used:
                type_ = f"{type_}_{key.column}".upper() if type_.isupper() else f"{type_}{key.column.capitalize()}"
                table.foreign_keys[number] = ForeignKey(key.column, key.target, key.target_column, type_)
            used.add((table.kind, type_, tables[key.target].kind))
