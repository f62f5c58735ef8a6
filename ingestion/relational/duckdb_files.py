"""Read DuckDB databases, with the keys that they declare, and Parquet files.

DuckDB must not load extensions, or read other files, because of what a database says, so it may do neither.
"""

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingestion.rejections import Problems
from ingestion.relational.cell_values import CellReader
from ingestion.relational.tables import ADVICE, Column, ForeignKey, Row, Table
from shared.errors import InvalidInputError

if TYPE_CHECKING:
    import duckdb

SIGNATURE, SIGNATURE_PLACE = b"DUCK", 8
_BATCH = 2_000
# What the driver raises, beside its own errors, for texts that are not UTF-8, and for dates that Python lacks.
_OF_CONVERSION = (RuntimeError, ValueError, OverflowError)
_SETTINGS = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
_COLUMNS = """
SELECT column_name, data_type FROM duckdb_columns()
WHERE database_name = current_database() AND schema_name = ? AND table_name = ? ORDER BY column_index
"""
_CONSTRAINTS = """
SELECT constraint_type, constraint_column_names, referenced_table, referenced_column_names FROM duckdb_constraints()
WHERE database_name = current_database() AND schema_name = ? AND table_name = ? ORDER BY constraint_index
"""
_WITH_ZONE = "TIMESTAMP WITH TIME ZONE"


class DuckdbDatabase:
    """Read a database file, which stays as it is."""

    def __init__(self, file: Path, problems: Problems) -> None:
        """Open the file; raise InvalidInputError if it cannot be read."""
        self._file = file
        self._problems = problems
        module = _duckdb(file)
        try:
            settings = {**_SETTINGS, "enable_external_access": "false"}
            self._connection = module.connect(str(file), read_only=True, config=settings)
            self._places: dict[str, tuple[str, str]] = {}
            self._types: dict[str, dict[str, str]] = {}
            self.tables: Sequence[Table] = self._read_tables()
        except (module.Error, *_OF_CONVERSION) as error:
            raise _unreadable(file, "a DuckDB database", error) from error

    def rows(self, table: Table) -> Iterator[Row]:
        """Yield the rows of a table in their order."""
        # A schema may have the name of the database.
        place = ".".join(map(_quoted, (self._query("SELECT current_database()")[0][0], *self._places[table.name])))
        yield from _rows(self._connection, place, (), table, self._types[table.name], self._problems, self._file)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _read_tables(self) -> list[Table]:
        found = self._query(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal AND database_name = "
            "current_database() ORDER BY ALL"
        )
        names = {(schema, table): table if schema == "main" else f"{schema}.{table}" for schema, table in found}
        self._places = {name: place for place, name in names.items()}
        return [self._table(name, schema, table, names) for (schema, table), name in names.items()]

    def _table(self, name: str, schema: str, table: str, names: dict[tuple[str, str], str]) -> Table:
        place = [schema, table]
        self._types[name] = dict(self._query(_COLUMNS, place))
        constraints = self._query(_CONSTRAINTS, place)
        keys = [tuple(columns) for type_, columns, _, _ in constraints if type_ == "PRIMARY KEY"]
        foreign = tuple(
            ForeignKey(tuple(columns), names[schema, target], tuple(target_columns or ()))
            for type_, columns, target, target_columns in constraints
            if type_ == "FOREIGN KEY" and (schema, target) in names
        )
        columns = tuple(map(Column, self._types[name]))
        return Table(name, f"{self._file.name}, table {name}", columns, keys[0] if keys else (), foreign)

    def _query(self, query: str, parameters: Sequence[str] = ()) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._connection.execute(query, list(parameters)).fetchall()
        return found


class ParquetFile:
    """Read one Parquet file, which is a table without declared keys."""

    def __init__(self, file: Path, problems: Problems) -> None:
        """Open the file; raise InvalidInputError if it cannot be read."""
        self._file = file
        self._problems = problems
        module = _duckdb(file)
        self._connection = module.connect(config=_SETTINGS)
        self._pattern = glob.escape(str(file))
        try:
            found = self._connection.execute("SELECT * FROM read_parquet(?) LIMIT 0", [self._pattern]).description
        except (module.Error, *_OF_CONVERSION) as error:
            self._connection.close()
            raise _unreadable(file, "a Parquet file", error) from error
        self._types = {name: str(type_) for name, type_, *_ in found or ()}
        self.table = Table(file.stem, file.name, tuple(map(Column, self._types)))

    def rows(self) -> Iterator[Row]:
        """Yield the rows in their order."""
        parameters = (self._pattern,)
        yield from _rows(
            self._connection, "read_parquet(?)", parameters, self.table, self._types, self._problems, self._file
        )

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _rows(
    connection: "duckdb.DuckDBPyConnection",
    source: str,
    parameters: Sequence[str],
    table: Table,
    types: dict[str, str],
    problems: Problems,
    file: Path,
) -> Iterator[Row]:
    """Yield the converted rows of a table or a file."""
    import duckdb

    cells = CellReader(table.name, table.place, problems)
    problems.file, problems.unit = table.place, table.unit
    listed = ", ".join(_selected(name, types[name]) for name in types)
    try:
        found = connection.execute(f"SELECT {listed} FROM {source}", list(parameters))  # noqa: S608
        number = 0
        while rows := found.fetchmany(_BATCH):
            for row in rows:
                number += 1
                yield number, [cells.value(name, value, number) for name, value in zip(types, row, strict=True)]
    except (duckdb.Error, *_OF_CONVERSION) as error:
        raise _unreadable(file, "a DuckDB database or a Parquet file", error) from error


def _selected(name: str, type_: str) -> str:
    """Return what selects a column; drivers of DuckDB need another package for datetimes with a time zone."""
    quoted = _quoted(name)
    return f"make_timestamp(epoch_us({quoted}))" if type_ == _WITH_ZONE else quoted


def _duckdb(file: Path) -> Any:
    """Return the module; raise InvalidInputError if it is not installed."""
    try:
        import duckdb
    except ImportError as error:
        raise InvalidInputError(
            f"{file.name} needs the package duckdb; install it with pip install 'kgqa[tables]', or export CSV"
        ) from error
    return duckdb


def _unreadable(file: Path, what: str, error: Exception) -> InvalidInputError:
    first = str(error).split("\n", 1)[0]
    return InvalidInputError(f"{file.name} cannot be read as {what}: {first}; {ADVICE}")


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
