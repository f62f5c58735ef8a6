"""Read the cells of the CSV files of `neo4j-admin database import` by the types of their columns."""

from collections.abc import Iterable, Sequence

from graph.plan.values import Value
from ingestion.admin_header import FLOATS, LABEL, PARSERS, UNSTORABLE, VERBATIM, Column
from ingestion.csv_values import DecimalReader, ListReader
from ingestion.typed_values import parse_datetime


class CellReader:
    """Read the cells of one file by the types of their columns."""

    def __init__(
        self, columns: Sequence[Column], array_delimiter: str | None, surveyed: Iterable[Sequence[str]]
    ) -> None:
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
        return self.decimals.number(text) if column.type_ in FLOATS else PARSERS[column.type_](text)
