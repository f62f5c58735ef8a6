"""Read the sheets of a workbook of Excel or LibreOffice, whose first rows name their columns."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ingestion.rejections import Problems
from ingestion.relational.cell_values import CellReader
from ingestion.relational.tables import Column, Row, Table, TextTyping, titled_columns
from shared.errors import InvalidInputError

EXTENSIONS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_MAX_EXACT = 2**53


class Workbook:
    """Read a workbook, whose visible sheets are tables."""

    def __init__(self, file: Path, problems: Problems) -> None:
        """Open the file; raise InvalidInputError if it cannot be read."""
        self._file = file
        self._problems = problems
        try:
            from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum
        except ImportError as error:
            raise InvalidInputError(
                f"{file.name} needs the package python-calamine; install it with pip install 'kgqa[tables]', or export "
                "CSV"
            ) from error
        try:
            self._book = CalamineWorkbook.from_path(str(file))
        except (CalamineError, OSError) as error:
            raise self._unreadable(error) from error
        self._error = CalamineError
        shown = [
            sheet.name
            for sheet in self._book.sheets_metadata
            if sheet.typ == SheetTypeEnum.WorkSheet and sheet.visible == SheetVisibleEnum.Visible
        ]
        filled = [sheet for sheet in shown if next(self._filled(sheet), None)]
        self._is_open = True
        self._titles: dict[str, tuple[str, list[str]]] = {}
        # The only sheet of a workbook is often called as the program names it.
        self.tables: Sequence[Table] = [
            self._table(sheet, file.stem if len(filled) == 1 else sheet) for sheet in filled
        ]

    def rows(self, table: Table) -> Iterator[Row]:
        """Yield the rows below the titles."""
        cells = CellReader(table.name, table.place, self._problems)
        self._problems.file, self._problems.unit = table.place, table.unit
        sheet, titles = self._titles[table.name]
        rows = self._filled(sheet)
        next(rows)
        for number, row in rows:
            values = zip(titles, row, strict=False)
            yield number, [cells.value(title, _whole(value), number) for title, value in values if title]

    def close(self) -> None:
        """Close the file, if it is open."""
        if self._is_open:
            self._is_open = False
            self._book.close()

    def _table(self, sheet: str, name: str) -> Table:
        """Return the table on a sheet."""
        place = f"{self._file.name}, sheet {sheet}"
        number, first = next(self._filled(sheet))
        titles, left_out = titled_columns([str(_whole(cell)) for cell in first], f"{place}, row {number}")
        self._titles[name] = sheet, titles
        columns = tuple(Column(title, TextTyping.ANY) for title in titles if title)
        return Table(name, place, columns, left_out=left_out)

    def _filled(self, sheet: str) -> Iterator[tuple[int, list[Any]]]:
        """Yield the number and the cells of each row that is not empty."""
        try:
            for number, row in enumerate(self._book.get_sheet_by_name(sheet).iter_rows(), 1):
                if any(cell != "" for cell in row):
                    yield number, row
        except self._error as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: Exception) -> InvalidInputError:
        return InvalidInputError(
            f"{self._file.name} cannot be read as a workbook: {error}; remove its password, or save it again"
        )


def _whole(value: Any) -> Any:
    """Return whole numbers as integers, since workbooks hold all numbers as floats."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < _MAX_EXACT
    return int(value) if is_whole else value
