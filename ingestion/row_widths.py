"""Check that the rows of a table have as many fields as its header."""

from collections.abc import Sequence

from ingestion.csv_dialect import row_problem
from ingestion.csv_rows import RowFormat
from ingestion.rejections import Problems


class RowWidths:
    """Reject rows with a wrong number of fields; refuse the file if they are the most, because then it is misread."""

    def __init__(self, titles: Sequence[str], row_format: RowFormat, problems: Problems, reason: str) -> None:
        """Compare rows with the titles of columns; `reason` names the rows that are rejected."""
        self._titles = titles
        self._format = row_format
        self._problems = problems
        self._reason = reason
        self._rows = self._wrong = 0
        self._first: tuple[int, str] | None = None

    def fits(self, fields: Sequence[str], line: int) -> bool:
        """Return whether a row has the right number of fields, and reject it otherwise; empty ones may follow."""
        self._rows += 1
        width = len(self._titles)
        if len(fields) == width or (len(fields) > width and not any(field.strip() for field in fields[width:])):
            return True
        problem = row_problem(fields, self._titles, self._format)
        self._wrong += 1
        self._first = self._first or (line, problem)
        self._problems.reject_line(line, self._reason, problem)
        return False

    def check(self) -> None:
        """Record a fault if most rows were rejected."""
        if self._first and not self._problems.is_strict and self._wrong * 2 > self._rows:
            self._problems.add(*self._first)
