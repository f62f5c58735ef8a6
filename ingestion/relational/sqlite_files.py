"""Read the tables of an SQLite database, with the keys that it declares."""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ingestion.rejections import Problems
from ingestion.relational.cell_values import CellReader
from ingestion.relational.tables import ADVICE, Column, ForeignKey, Row, Table, TextTyping
from shared.errors import InvalidInputError

SIGNATURE = b"SQLite format 3\x00"
_BOOLEAN = re.compile(r"\s*BOOL", re.IGNORECASE)


class SqliteDatabase:
    """Read a database file, which stays as it is."""

    def __init__(self, file: Path, problems: Problems) -> None:
        """Open the file; raise InvalidInputError if it cannot be read."""
        self._file = file
        self._problems = problems
        try:
            self._connection = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)
            self._types: dict[tuple[str, str], str] = {}
            self.tables: Sequence[Table] = [self._table(name) for name in self._names()]
            self._connection.text_factory = _text  # of values; names must be texts
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self._unreadable(error) from error

    def rows(self, table: Table) -> Iterator[Row]:
        """Yield the rows of a table in their order."""
        cells = CellReader(table.name, table.place, self._problems)
        names = [column.name for column in table.columns]
        readers = [_reader(self._types[table.name, name]) for name in names]
        listed = ", ".join(map(_quoted, names))
        self._problems.file, self._problems.unit = table.place, table.unit
        try:
            rows = self._connection.execute(f"SELECT {listed} FROM {_quoted(table.name)}")  # noqa: S608
            for number, row in enumerate(rows, 1):
                values = zip(names, readers, row, strict=True)
                yield number, [cells.value(name, read(value), number) for name, read, value in values]
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self._unreadable(error) from error

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _names(self) -> list[str]:
        """Return the names of the ordinary tables, without views and the tables that SQLite keeps for itself."""
        found = self._connection.execute("PRAGMA table_list").fetchall()
        names = [row[1] for row in found if row[0] == "main" and row[2] == "table"]
        return sorted(name for name in names if not name.lower().startswith("sqlite_"))

    def _table(self, name: str) -> Table:
        # Hidden columns belong to virtual tables; generated ones are columns like others.
        rows = self._connection.execute("SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)", (name,)).fetchall()
        columns = [row for row in rows if row[3] != 1]
        for column, type_, *_ in columns:
            self._types[name, column] = type_ or ""
        key = sorted((place, column) for column, _, place, _ in columns if place)
        return Table(
            name,
            f"{self._file.name}, table {name}",
            tuple(Column(column, TextTyping.DATES) for column, *_ in columns),
            tuple(column for _, column in key),
            tuple(self._foreign_keys(name, [column for column, *_ in columns])),
        )

    def _foreign_keys(self, name: str, columns: Sequence[str]) -> Iterator[ForeignKey]:
        """Yield the declared foreign keys; names in them may differ in case from those of the columns and tables."""
        query = 'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq'
        found: dict[int, list[tuple[str, str, str | None]]] = {}
        for number, target, source, column in self._connection.execute(query, (name,)):
            found.setdefault(number, []).append((target, source, column))
        tables = {one.lower(): one for one in self._names()}
        for parts in found.values():
            target = tables.get(parts[0][0].lower())
            if target is None:
                continue
            sources = tuple(_in_case(source, columns) for _, source, _ in parts)
            known = [row[1] for row in self._connection.execute(f"PRAGMA table_info({_quoted(target)})")]
            targets = tuple(_in_case(column, known) for _, _, column in parts if column)
            yield ForeignKey(sources, target, targets if len(targets) == len(sources) else ())

    def _unreadable(self, error: Exception) -> InvalidInputError:
        return InvalidInputError(f"{self._file.name} cannot be read as an SQLite database: {error}; {ADVICE}")


def _text(stored: bytes) -> Any:
    """Decode a text; bytes that are none are left out as binary data."""
    try:
        return stored.decode()
    except UnicodeDecodeError:
        return stored


def _reader(type_: str) -> Any:
    """Return what converts a value to the declared type, which SQLite does not enforce."""
    if _BOOLEAN.match(type_):
        return lambda value: bool(value) if value in (0, 1) and not isinstance(value, str) else value
    return lambda value: value


def _in_case(name: str, names: Sequence[str]) -> str:
    return next((one for one in names if one.lower() == name.lower()), name)


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
