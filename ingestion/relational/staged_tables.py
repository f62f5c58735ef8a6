"""Hold the rows of all tables in a temporary database, which says which columns identify rows or refer to others.

Each source is read once. SQLite keeps the rows in memory if they are few, and otherwise in a file that it deletes.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from graph.plan.values import Value
from graph.sqlite.values import Stored, decode, encode
from ingestion.rejections import Problems
from ingestion.relational.tables import Table, TableSource
from shared.errors import InvalidInputError

_BATCH = 5_000
_WHOLE = re.compile(r"(-?[0-9]+)\.0+")
_SEPARATOR = " / "

Columns = tuple[str, ...]


class Share(NamedTuple):
    """Count the rows that refer to another table, and those whose reference is a row there."""

    referring: int
    found: int

    @property
    def of_all(self) -> float:
        """Return the share of references that are rows."""
        return self.found / self.referring if self.referring else 0.0


class Repeat(NamedTuple):
    """Describe a row that its key does not identify: where it is, its key, and the first row with this key."""

    place: int
    key: str | None
    first: int


def key_text(*values: Value | None) -> str | None:
    """Return how values are compared as keys: as text, so that 7 is "7" and "7.0"; None if one is missing.

    Programs write whole numbers as 7.0 if some others are missing.

    Example:
        >>> key_text(7), key_text("7.0"), key_text("007"), key_text(1, "b"), key_text(1, None)
        ('7', '7', '007', '1 / b', None)
    """
    texts = []
    for value in values:
        text = "" if value is None else str(value).strip()
        if not text:
            return None
        whole = _WHOLE.fullmatch(text) if text.endswith("0") else None
        text = whole[1] if whole else text
        texts.append(text.replace("/", "//") if len(values) > 1 else text)  # so that different keys stay different
    return _SEPARATOR.join(texts)


def _stored_key(*stored: Stored) -> str | None:
    return key_text(*map(decode, stored))


class StagedTables:
    """Keep rows, and answer which values columns have. Names in its queries are its own; they count the tables."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect("", isolation_level=None)
        for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -65536", "temp_store = FILE"):
            self._connection.execute(f"PRAGMA {setting}")
        self._connection.create_function("key_text", -1, _stored_key, deterministic=True)
        self._places: dict[str, tuple[int, dict[str, int]]] = {}
        self._indexed: set[tuple[str, Columns]] = set()
        self._counts: dict[str, int] = {}

    def add(self, source: TableSource, table: Table, problems: Problems) -> None:
        """Read all rows of a table; raise InvalidInputError if there is no room for them."""
        try:
            self._add(source, table, problems)
        except sqlite3.Error as error:
            raise InvalidInputError(
                f"{table.place} cannot be copied to a temporary file: {error}; make room on the disk, or split "
                "the table"
            ) from error

    def _add(self, source: TableSource, table: Table, problems: Problems) -> None:
        number = len(self._places)
        columns = {column.name: place for place, column in enumerate(table.columns)}
        self._places[table.name] = number, columns
        listed = ", ".join(["place INTEGER", *(f"c{place}" for place in columns.values())])
        self._connection.execute(f"CREATE TABLE t{number} ({listed})")
        rows = ((place, *map(encode, values)) for place, values in source.rows(table))
        self._connection.execute("BEGIN")
        self._insert(number, len(columns), rows, problems)
        self._connection.execute("COMMIT")
        self._counts[table.name] = self._one(f"SELECT count(*) FROM t{number}")  # noqa: S608

    def _insert(self, number: int, width: int, rows: Iterator[tuple[Stored, ...]], problems: Problems) -> None:
        marks = ", ".join("?" * (width + 1))
        while batch := list(islice(rows, _BATCH)):
            self._connection.executemany(f"INSERT INTO t{number} VALUES ({marks})", batch)  # noqa: S608
            problems.lines += len(batch)

    def count(self, table: str) -> int:
        """Return the number of rows."""
        return self._counts[table]

    def rows(self, table: str) -> Iterator[tuple[int, dict[str, Value]]]:
        """Yield the place of each row and the values that it has."""
        number, columns = self._places[table]
        for place, *values in self._connection.execute(f"SELECT * FROM t{number} ORDER BY rowid"):  # noqa: S608
            yield place, {name: decode(values[at]) for name, at in columns.items() if values[at] is not None}

    def values(self, table: str, column: str) -> Iterator[Value]:
        """Yield the distinct values of a column."""
        number, columns = self._places[table]
        name = f"c{columns[column]}"
        query = f"SELECT DISTINCT {name} FROM t{number} WHERE {name} IS NOT NULL"  # noqa: S608
        for (stored,) in self._connection.execute(query):
            yield decode(stored)

    def missing(self, table: str, columns: Columns) -> int:
        """Return the number of rows that lack a value of one of these columns."""
        key = self._key(table, columns)
        return self._one(f"SELECT count(*) FROM {self._table(table)} WHERE {key} IS NULL")  # noqa: S608

    def repeated(self, table: str, columns: Columns) -> tuple[str, int] | None:
        """Return the first key that several rows have, and their number; None if it identifies rows."""
        key = self._key(table, columns)
        query = (
            f"SELECT {key}, count(*) FROM {self._table(table)} WHERE {key} IS NOT NULL GROUP BY 1 "  # noqa: S608
            "HAVING count(*) > 1 ORDER BY min(rowid) LIMIT 1"
        )
        found: tuple[str, int] | None = self._connection.execute(query).fetchone()
        return found

    def unidentified(self, table: str, columns: Columns) -> int:
        """Return the number of rows whose key is missing, or occurred in an earlier row."""
        key = self._key(table, columns)
        return self._one(f"SELECT count(*) - count(DISTINCT {key}) FROM {self._table(table)}")  # noqa: S608

    def repeats(self, table: str, columns: Columns) -> Iterator[Repeat]:
        """Yield the rows whose key is missing, or occurred in an earlier row."""
        key = self._key(table, columns)
        query = (
            "SELECT place, key, first FROM (SELECT place, key, first_value(place) OVER same AS first, "  # noqa: S608
            f"row_number() OVER same AS number FROM (SELECT rowid AS row, place, {key} AS key "
            f"FROM {self._table(table)}) WINDOW same AS (PARTITION BY key ORDER BY row)) "
            "WHERE key IS NULL OR number > 1 ORDER BY place"
        )
        for place, text, first in self._connection.execute(query):
            yield Repeat(place, text, first)

    def referring(self, table: str, columns: Columns, keys: Collection[str]) -> Counter[str]:
        """Count the rows that refer to each of these keys by their columns."""
        key = self._key(table, columns)
        query = f"SELECT {key}, count(*) FROM {self._table(table)} WHERE {key} IS NOT NULL GROUP BY 1"  # noqa: S608
        return Counter({found: number for found, number in self._connection.execute(query) if found in keys})

    def is_key(self, table: str, columns: Columns) -> bool:
        """Return whether columns identify the rows of a table, and none is empty; a table without rows has no key."""
        return bool(self.count(table)) and not self.missing(table, columns) and self.repeated(table, columns) is None

    def share(self, table: str, columns: Columns, target: str, target_columns: Columns) -> Share:
        """Return how many rows refer to rows of another table, or of the same one."""
        self._index(target, target_columns)
        key, other = self._key(table, columns), self._key(target, target_columns)
        query = (
            f"SELECT count(*), sum(EXISTS (SELECT 1 FROM {self._table(target)} WHERE {other} = referring.key)) "  # noqa: S608
            f"FROM (SELECT {key} AS key FROM {self._table(table)} WHERE {key} IS NOT NULL) AS referring"
        )
        referring, found = self._connection.execute(query).fetchone()
        return Share(referring, found or 0)

    def keys_by(self, table: str, columns: Columns, key: Columns) -> dict[str, str]:
        """Return the keys of rows, or their places if they have none, by other columns that identify them."""
        by, key_ = self._key(table, columns), self._key(table, key)
        query = f"SELECT {by}, {key_} FROM {self._table(table)} WHERE {by} IS NOT NULL"  # noqa: S608
        return {other: own for other, own in self._connection.execute(query) if own is not None}

    def close(self) -> None:
        """Delete the rows."""
        with suppress(sqlite3.Error):
            self._connection.close()

    def _index(self, table: str, columns: Columns) -> None:
        if (table, columns) not in self._indexed:
            name = f"i{len(self._indexed)}"
            self._connection.execute(f"CREATE INDEX {name} ON {self._table(table)} ({self._key(table, columns)})")
            self._indexed.add((table, columns))

    def _table(self, table: str) -> str:
        return f"t{self._places[table][0]}"

    def _key(self, table: str, columns: Sequence[str]) -> str:
        if not columns:
            return "CAST(place AS TEXT)"
        places = self._places[table][1]
        return f"key_text({', '.join(f'c{places[column]}' for column in columns)})"

    def _one(self, query: str) -> int:
        [number] = self._connection.execute(query).fetchone()
        return int(number)
