"""Read rows from the lines of a table.

Fields in double quotes follow RFC 4180. Fields in another quote may contain it undoubled, because the programs that
write single quotes rarely double the apostrophes in names: a quote ends a field only before a delimiter or a line end.
"""

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from ingestion.rejections import NOT_UTF8, Problems
from ingestion.source_lines import encoding_problem
from shared.text import shown

_ESCAPED = re.compile(r'\\(["\\])')
# In characters. Outlines of countries are long; a quote that is never closed takes the rest of the file.
_MAX_FIELD_LENGTH = 1 << 26
_MAX_LENIENT_ROW_LENGTH = 1 << 17  # each further line of such a row is read from its beginning again

# A quote that is never closed takes the rest of the file, which is then read again.
_MAX_QUOTE_ERRORS, _MAX_READ_AGAIN = 100, 1 << 27


@dataclass(frozen=True, slots=True)
class RowFormat:
    """Say how rows are divided into fields; an empty quote means that quotes are ordinary characters.

    If it `has_backslashes`, a backslash stands before each quote and each backslash inside a field.
    """

    delimiter: str = ","
    quote: str = '"'
    skips_spaces: bool = False
    has_backslashes: bool = False


def csv_rows(
    lines: Iterable[tuple[int, str]], problems: Problems, row_format: RowFormat
) -> Iterator[tuple[int, list[str]]]:
    """Yield the non-blank rows, each with the number of its first line.

    Reject rows that are not UTF-8, and lines whose quotes make no sense; reading goes on with the next line. If these
    are more than a few or the most, or if the import is strict, the file is refused.
    """
    problem: str | None = None
    source = _Lines(lines)

    def checked() -> Iterator[tuple[int, str]]:
        nonlocal problem
        for number, line in source:
            problem = problem or encoding_problem(line)
            yield number, doubled_quotes(line) if row_format.has_backslashes else line

    read = _rfc_4180_rows if row_format.quote == '"' else _lenient_rows
    good, first_bad = 0, ""
    for errors in count(1):
        try:
            for number, fields in read(checked(), row_format):
                source.forget()
                if problem:
                    problems.reject_line(number, NOT_UTF8, problem)
                elif any(field.strip() for field in fields):
                    good += 1
                    yield number, fields
                problem = None
            if first_bad and errors - 1 > good:
                problems.add(source.first_bad, first_bad)
            return
        except _RowError as error:
            text = str(error)
            first_bad, problem = first_bad or text, None
            if problems.is_strict or errors > _MAX_QUOTE_ERRORS or not source.skip_line():
                problems.add(error.line, text)
                return
            problems.reject_line(error.line, error.reason, text)


def doubled_quotes(line: str) -> str:
    """Replace a quote behind a backslash by two quotes, as RFC 4180 has them, and two backslashes by one."""
    return _ESCAPED.sub(lambda found: '""' if found[1] == '"' else "\\", line)


class _Lines:
    """Yield lines, and return to the second line of a row whose quotes make no sense."""

    def __init__(self, lines: Iterable[tuple[int, str]]) -> None:
        self._lines = iter(lines)
        self._row: deque[tuple[int, str]] = deque()
        self._again: deque[tuple[int, str]] = deque()
        self._spent = 0
        self.first_bad = 0

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return self

    def __next__(self) -> tuple[int, str]:
        line = self._again.popleft() if self._again else next(self._lines)
        self._row.append(line)
        return line

    def forget(self) -> None:
        """Forget the lines of a complete row."""
        self._row.clear()

    def skip_line(self) -> bool:
        """Go on with the second line of the row; return False if too much has been read again."""
        if not self._row:
            return False
        number, _ = self._row.popleft()
        self.first_bad = self.first_bad or number
        self._spent += sum(len(text) for _, text in self._row)
        self._again.extendleft(reversed(self._row))
        self._row.clear()
        return self._spent <= _MAX_READ_AGAIN


def split_row(text: str, row_format: RowFormat, keeps_quotes: bool = False) -> list[str] | None:
    """Return the fields of a row without its line end, or None if it does not close a quote."""
    delimiter, quote = row_format.delimiter, row_format.quote
    if not quote or quote not in text:
        return text.split(delimiter)
    fields: list[str] = []
    start = 0
    while start <= len(text):
        if not text.startswith(quote, start):
            end = text.find(delimiter, start)
            end = len(text) if end < 0 else end
            fields.append(text[start:end])
        else:
            closing = _closing_quote(text, start, row_format)
            if closing is None:
                return None
            end = closing + 1
            inner = text[start + 1 : closing].replace(quote * 2, quote)
            fields.append(text[start:end] if keeps_quotes else inner)
        start = end + 1
    return fields


class _RowError(Exception):
    """Raised for a line that is no row; `reason` names such lines in the plural."""

    reason = "lines with invalid quotes"

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


class _QuoteError(_RowError):
    def __init__(self, line: int, problem: str, record: str = "") -> None:
        advice = "; a backslash does not escape them" if '\\"' in record else ""
        super().__init__(
            line, f"invalid quotes: {problem}; close each quote and double the quotes inside a field{advice}"
        )


class _CarriageReturnError(_RowError):
    reason = "lines with a carriage return inside, which may hold several rows"

    def __init__(self, line: int) -> None:
        super().__init__(line, "a carriage return (U+000D) is inside a line; end all rows with the same characters")


def _closing_quote(text: str, start: int, row_format: RowFormat) -> int | None:
    """Return the position of the quote that closes the one at `start`, or None."""
    delimiter, quote = row_format.delimiter, row_format.quote
    possible = None
    place = text.find(quote, start + 1)
    while place >= 0:
        is_doubled = text.startswith(quote, place + 1)
        after = place + 1 + is_doubled
        is_end = after >= len(text) or text.startswith(delimiter, after)
        if is_end and not is_doubled:
            return place
        if is_end and possible is None:
            possible = place + 1
        place = text.find(quote, after)
    return possible


def _lenient_rows(lines: Iterable[tuple[int, str]], row_format: RowFormat) -> Iterator[tuple[int, list[str]]]:
    first, pending = 1, ""
    for number, line in lines:
        first = first if pending else number
        pending += line
        fields = split_row(pending.rstrip("\r\n"), row_format)
        if fields is not None:
            yield first, fields
            pending = ""
        elif len(pending) > _MAX_LENIENT_ROW_LENGTH:
            break
    if pending:
        raise _row_error(pending, first, row_format)


def _rfc_4180_rows(lines: Iterable[tuple[int, str]], row_format: RowFormat) -> Iterator[tuple[int, list[str]]]:
    first = 1
    record: list[str] = []

    def texts() -> Iterator[str]:
        nonlocal first
        for number, line in lines:
            if not record:
                first = number
            record.append(line)
            yield line

    csv.field_size_limit(_MAX_FIELD_LENGTH)
    rows = csv.reader(texts(), delimiter=row_format.delimiter, strict=True, skipinitialspace=row_format.skips_spaces)
    try:
        for fields in rows:
            yield first, fields
            record.clear()
    except csv.Error:
        raise _row_error("".join(record), first, row_format) from None


def _row_error(record: str, first: int, row_format: RowFormat) -> _RowError:
    """Find the place in a record that breaks the rules for quotes, or else for the ends of lines."""
    delimiter, quote = row_format.delimiter, row_format.quote
    start = 0
    while start < len(record):
        if row_format.skips_spaces:
            start += len(record[start:]) - len(record[start:].lstrip(" "))
        if not record.startswith(quote, start):
            end = record.find(delimiter, start)
            if end < 0:
                break
            start = end + 1
            continue
        end = record.find(quote, start + 1)
        while end >= 0 and record.startswith(quote, end + 1):
            end = record.find(quote, end + 2)
        if end < 0:
            return _QuoteError(first, f"the quote {quote} at {_place(record, start, first)} is never closed", record)
        after = record[end + 1 : end + 2]
        if after not in (delimiter, "\r", "\n", ""):
            code = f"{shown(after)} (U+{ord(after):04X})"
            return _QuoteError(first, f"{code} follows a closing quote at {_place(record, end + 1, first)}", record)
        start = end + 2
    return _CarriageReturnError(first)


def _place(record: str, position: int, first: int) -> str:
    before = record[:position]
    return f"line {first + before.count(chr(10))}, column {position - before.rfind(chr(10))}"
