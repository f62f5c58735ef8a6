"""Open what holds tables: a folder of files, one file, or a database."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from ingestion.file_signatures import LENGTH
from ingestion.rejections import Problems
from ingestion.relational import duckdb_files, sqlite_files, workbooks
from ingestion.relational.delimited_files import EXTENSIONS, DelimitedFile
from ingestion.relational.duckdb_files import DuckdbDatabase, ParquetFile
from ingestion.relational.sqlite_files import SqliteDatabase
from ingestion.relational.tables import Row, Table, TableSource
from ingestion.relational.workbooks import Workbook
from ingestion.source_lines import DECOMPRESSORS
from ingestion.table_options import TableOptions
from ingestion.tabular import Tables
from shared.errors import InvalidInputError, NotFoundError
from shared.text import shown

_PARQUET = (".parquet", ".pq")
_KNOWN = "a folder of CSV, TSV, Parquet, or Excel files, one such file, or a database of SQLite or DuckDB"


class _File(Protocol):
    def rows(self) -> Iterator[Row]: ...

    def close(self) -> None: ...


class _Delimited:
    """Read one CSV or TSV file."""

    def __init__(self, file: DelimitedFile, table: Table, problems: Problems) -> None:
        self._file, self._table, self._problems = file, table, problems

    def rows(self) -> Iterator[Row]:
        return self._file.rows(self._table, self._problems)

    def close(self) -> None:
        """Do nothing, because the file is open only while it is read."""


class _Sheet:
    """Read one sheet of a workbook."""

    def __init__(self, book: Workbook, table: Table) -> None:
        self._book, self._table = book, table

    def rows(self) -> Iterator[Row]:
        return self._book.rows(self._table)

    def close(self) -> None:
        """Close the workbook."""
        self._book.close()


class TableFiles:
    """Read files that hold one table each, and workbooks, which hold several."""

    def __init__(self, files: Sequence[Path], options: TableOptions, dialects: Tables, problems: Problems) -> None:
        """Open the files; raise InvalidInputError if one cannot be read, or if two have the same name."""
        self._files: dict[str, _File] = {}
        self.tables: list[Table] = []
        self.ignored: list[str] = []
        for file in files:
            if _is_parquet(file):
                parquet = ParquetFile(file, problems)
                self._add(parquet.table, parquet)
            elif _is_workbook(file):
                book = Workbook(file, problems)
                for table in book.tables:
                    self._add(table, _Sheet(book, table))
            else:
                self._add_delimited(file, DelimitedFile(file, options, dialects), problems)

    def rows(self, table: Table) -> Iterator[Row]:
        """Yield the rows of a table in their order."""
        return self._files[table.name].rows()

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            file.close()

    def _add_delimited(self, file: Path, delimited: DelimitedFile, problems: Problems) -> None:
        table = delimited.table()
        if table is None:
            self.ignored.append(f"{file.name} (it is empty)")
        else:
            self._add(table, _Delimited(delimited, table, problems))

    def _add(self, table: Table, file: _File) -> None:
        if table.name in self._files:
            raise InvalidInputError(
                f"{table.place}: another file also holds a table called {shown(table.name)}; rename one of them"
            )
        self.tables.append(table)
        self._files[table.name] = file


def open_tables(
    path: Path, options: TableOptions, dialects: Tables, problems: Problems
) -> tuple[TableSource, list[str]]:
    """Open tables, and return their source with the files of a folder that are none.

    Raises NotFoundError if the path does not exist, and InvalidInputError if it holds no tables or cannot be read.
    """
    if not path.exists():
        raise NotFoundError(f"{path}: no such file or folder; --tables takes {_KNOWN}")
    source, ignored = _opened(path, options, dialects, problems)
    if not source.tables:
        source.close()
        raise InvalidInputError(f"{path} holds no tables; --tables takes {_KNOWN}")
    return source, ignored


def _opened(path: Path, options: TableOptions, dialects: Tables, problems: Problems) -> tuple[TableSource, list[str]]:
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
        tables = [file for file in files if _is_table(file)]
        source = TableFiles(tables, options, dialects, problems)
        return source, [file.name for file in files if file not in tables] + source.ignored
    begin = _begin(path)
    if begin.startswith(sqlite_files.SIGNATURE):
        return SqliteDatabase(path, problems), []
    if begin[duckdb_files.SIGNATURE_PLACE :].startswith(duckdb_files.SIGNATURE):
        return DuckdbDatabase(path, problems), []
    if not _is_table(path):
        raise InvalidInputError(f"{path.name} is none of the files that --tables takes: {_KNOWN}")
    source = TableFiles([path], options, dialects, problems)
    return source, source.ignored


def _begin(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(LENGTH)
    except OSError as error:
        raise InvalidInputError(f"cannot read {path.name}: {error.strerror or error}") from error


def _is_table(file: Path) -> bool:
    return _is_delimited(file) or _is_parquet(file) or _is_workbook(file)


def _is_workbook(file: Path) -> bool:
    # Programs keep a file with such a beginning beside an open workbook.
    return file.name.lower().endswith(workbooks.EXTENSIONS) and not file.name.startswith("~$")


def _is_delimited(file: Path) -> bool:
    name = file.name.lower()
    for compression in DECOMPRESSORS:
        name = name.removesuffix(compression)
    return name.endswith(EXTENSIONS)


def _is_parquet(file: Path) -> bool:
    return file.name.lower().endswith(_PARQUET)
