"""Read the cells of the CSV files of `neo4j-admin database import` by the types of their columns."""

from collections.abc import Iterable, Sequence
from datetime import date

from graph.plan.text_readings import TextReading, value_in
from graph.plan.values import Value
from ingestion.admin_header import FLOATS, LABEL, PARSERS, UNSTORABLE, VERBATIM, Column
from ingestion.csv_values import DecimalReader, ListReader
from ingestion.typed_values import BadValueError, parse_date, parse_datetime
from shared.text import shown

_ORDERS = (TextReading.DAY_FIRST, TextReading.MONTH_FIRST)


class CellReader:
    """Read the cells of one file by the types of their columns."""

    def __init__(
        self,
        columns: Sequence[Column],
        array_delimiter: str | None,
        surveyed: Iterable[Sequence[str]],
        dates: TextReading | None = None,
    ) -> None:
        """Read cells; `dates` is how dates are written that are not written as in 2021-02-13."""
        self._dates = dates
        self.lists = ListReader(array_delimiter)
        self.decimals = DecimalReader()
        cells = [(column, cell) for fields in surveyed for column, cell in zip(columns, fields, strict=False)]
        labels = (cell for column, cell in cells if column.role == LABEL)
        lists = (cell for column, cell in cells if column.is_array and column.type_ not in UNSTORABLE)
        self.lists.survey(labels, lists)
        numbers = [(column, cell) for column, cell in cells if column.type_ in FLOATS]
        self.decimals.survey(
            item for column, cell in numbers for item in (self.lists.items(cell) if column.is_array else (cell,))
        )

    def value(self, column: Column, cell: str) -> Value:
        """Read a cell that is not empty; raise BadValueError if its text does not have the type of the column."""
        if column.is_array:
            return tuple(self._item(column, item) for item in self.lists.items(cell))
        return self._item(column, cell)

    def _item(self, column: Column, text: str) -> Value:
        text = text if column.type_ in VERBATIM else text.strip()
        if column.zone is not None:
            return parse_datetime(text, column.zone)
        if column.type_ == "date":
            return self._date(text)
        return self.decimals.number(text) if column.type_ in FLOATS else PARSERS[column.type_](text)

    def _date(self, text: str) -> date:
        """Read a date, in the order that the user said if it is not written as in 2021-02-13."""
        found = value_in(text, self._dates) if self._dates else None
        if isinstance(found, date):
            return found
        if self._dates is None and any(value_in(text, one) is not None for one in _ORDERS):
            raise BadValueError(
                f"{shown(text)} is written day or month first; say which with --dates",
                "dates with the day or the month first; --dates day-first or --dates month-first says which",
            )
        return parse_date(text)
