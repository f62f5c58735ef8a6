"""Read rows from the lines of a table.

Fields in double quotes follow RFC 4180. Fields in another quote may contain it undoubled, because the programs that
write single quotes rarely double the apostrophes in names: a quote ends a field only before a delimiter or a line end.
"""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ingestion.rejections import NOT_UTF8, Problems
from ingestion.source_lines import encoding_problem
from shared.text import shown

_MAX_FIELD_LENGTH = 1 << 17  # characters; the limit of the csv module


@dataclass(frozen=True, slots=True)
class RowFormat:
    """Say how rows are divided into fields; an empty quote means that quotes are ordinary characters."""

    delimiter: str = ","
    quote: str = '"'
    skips_spaces: bool = False


def csv_rows(
    lines: Iterable[tuple[int, str]], problems: Problems, row_format: RowFormat
) -> Iterator[tuple[int, list[str]]]:
    """Yield the non-blank rows, each with the number of its first line.

    Reject rows that are not UTF-8, and stop at quotes that make no sense.
    """
    problem: str | None = None

    def checked() -> Iterator[tuple[int, str]]:
        nonlocal problem
        for number, line in lines:
            problem = problem or encoding_problem(line)
            yield number, line

    read = _rfc_4180_rows if row_format.quote == '"' else _lenient_rows
    try:
        for number, fields in read(checked(), row_format):
            if problem:
                problems.reject_line(number, NOT_UTF8, problem)
            elif any(field.strip() for field in fields):
                yield number, fields
            problem = None
    except _QuoteError as error:
        problems.add(error.line, f"invalid quotes: {error}; close each quote and double the quotes inside a field")


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


class _QuoteError(Exception):
    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


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
        elif len(pending) > _MAX_FIELD_LENGTH:
            break
    if pending:
        raise _quote_error(pending, first, row_format)


def _rfc_4180_rows(lines: Iterable[tuple[int, str]], row_format: RowFormat) -> Iterator[tuple[int, list[str]]]:
    number = 0
    record: list[str] = []

    def texts() -> Iterator[str]:
        nonlocal number
        for number, line in lines:  # noqa: B007 (read below)
            record.append(line)
            yield line

    first = 1
    rows = csv.reader(texts(), delimiter=row_format.delimiter, strict=True, skipinitialspace=row_format.skips_spaces)
    try:
        for fields in rows:
            yield first, fields
            first = number + 1
            record.clear()
    except csv.Error:
        raise _quote_error("".join(record), first, row_format) from None


def _quote_error(record: str, first: int, row_format: RowFormat) -> _QuoteError:
    """Find the place in a record that breaks the rules for quotes."""
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
            return _QuoteError(first, f"the quote {quote} at {_place(record, start, first)} is never closed")
        after = record[end + 1 : end + 2]
        if after not in (delimiter, "\r", "\n", ""):
            code = f"{shown(after)} (U+{ord(after):04X})"
            return _QuoteError(first, f"{code} follows a closing quote at {_place(record, end + 1, first)}")
        start = end + 2
    return _QuoteError(first, "a carriage return (U+000D) is inside a line")


def _place(record: str, position: int, first: int) -> str:
    before = record[:position]
    return f"line {first + before.count(chr(10))}, column {position - before.rfind(chr(10))}"
