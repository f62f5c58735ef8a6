"""Detect the dialect of a table: its delimiter, its quote character, its byte order mark, and its line ends."""

import csv
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import chain
from lzma import LZMAError
from pathlib import Path

from ingestion.csv_rows import RowFormat, doubled_quotes, split_row
from ingestion.source_lines import DECOMPRESSORS
from ingestion.typed_values import BadValueError, listed
from shared.text import shown

DELIMITERS = ",\t;|"
_QUOTES = "\"'"
_NAMES = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
# Enough to see what the rows have in common; the rest of the file is checked while it is read.
_SAMPLED_LINES, _SAMPLED_CHARACTERS = 2_000, 1 << 20
_SEPARATOR_LINE = re.compile(r'"?sep=([^\r\n"])"?[,;|\t]*', re.IGNORECASE)

Lines = Iterable[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class DialectOptions:
    """Set parts of the dialect instead of detecting them; an empty quote means that quotes are ordinary characters."""

    delimiter: str | None = None
    quote: str | None = None
    array_delimiter: str | None = None


@dataclass(slots=True)
class TableDialect:
    """Describe how a table was read; an empty quote means that no field is quoted."""

    delimiter: str
    quote: str
    line_end: str
    has_mark: bool = False
    array_delimiter: str | None = None
    decimal_sign: str | None = None
    label_delimiter: str | None = None
    has_backslashes: bool = False

    def __str__(self) -> str:
        parts = [f"separated by {delimiter_name(self.delimiter)}"]
        parts += [f"quoted by {self.quote}" if self.quote else "not quoted"]
        parts += ["backslashes before quotes"] * self.has_backslashes
        parts += [f"lists divided by {self.array_delimiter}"] * bool(self.array_delimiter)
        parts += [f"labels divided by {self.label_delimiter}"] * bool(self.label_delimiter)
        parts += ["decimal commas"] * (self.decimal_sign == ",")
        parts += ["byte order mark"] * self.has_mark
        return ", ".join([*parts, f"line ends {self.line_end}"])


def describe(lines: Sequence[tuple[int, str]], row_format: RowFormat) -> TableDialect:
    """Describe what the first lines show."""
    texts = [line for _, line in lines]
    quote, delimiter = row_format.quote, row_format.delimiter
    is_quoted = bool(quote) and any(line.startswith(quote) or f"{delimiter}{quote}" in line for line in texts)
    ends = {"CRLF" if line.endswith("\r\n") else "LF" for line in texts if line.endswith("\n")}
    return TableDialect(
        delimiter,
        quote if is_quoted or row_format.skips_spaces else "",
        " and ".join(sorted(ends)) or "LF",
        has_backslashes=row_format.has_backslashes,
    )


def has_byte_order_mark(file: Path) -> bool:
    """Return whether a plain or compressed file begins with the byte order mark of UTF-8."""
    try:
        with file.open("rb") as raw, DECOMPRESSORS.get(file.suffix.lower(), nullcontext)(raw) as stream:
            return bool(stream.read(len(BOM_UTF8)) == BOM_UTF8)
    except (OSError, EOFError, LZMAError, zlib.error):
        return False  # reading the file reports what is wrong with it


def delimiter_name(delimiter: str) -> str:
    """Return the name of a delimiter in the plural: `semicolons`."""
    return _NAMES.get(delimiter, shown(delimiter))


def split_header(header: str, is_known: Callable[[str], bool], delimiter: str | None = None) -> tuple[str, list[str]]:
    """Return the delimiter of a header and its titles: the one that finds the most known titles, then the most titles.

    A `delimiter` that is not None is not questioned.
    """
    found = [(one, _titles(header, one)) for one in (delimiter or DELIMITERS)]
    return max(found, key=lambda one: (sum(map(is_known, one[1])), len(one[1])))


def _titles(header: str, delimiter: str) -> list[str]:
    header = header.rstrip("\r\n")
    try:
        titles = next(csv.reader([header], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return []
    if titles and all(map(_is_wrapped, titles)):
        return split_row(header, RowFormat(delimiter, "'")) or titles
    return [title.strip() for title in titles]


def _is_wrapped(cell: str, quote: str = "'") -> bool:
    return len(cell) > 1 and cell.startswith(quote) and cell.endswith(quote)


def excel_separator(line: str) -> str | None:
    """Return the delimiter that a first line such as `sep=;` tells Excel, or None if it is another line."""
    found = _SEPARATOR_LINE.fullmatch(line.strip("\ufeff\r\n"))
    return found[1] if found else None


def sampled(lines: Lines) -> tuple[list[tuple[int, str]], Lines]:
    """Return the first lines, and an iterator over all lines that includes them."""
    rest = iter(lines)
    head: list[tuple[int, str]] = []
    characters = 0
    for line in rest:
        head.append(line)
        characters += len(line[1])
        if len(head) >= _SAMPLED_LINES or characters >= _SAMPLED_CHARACTERS:
            break
    return head, chain(head, rest)


def constant_delimiter(lines: Sequence[str], width: int | None = None) -> str | None:
    """Return the delimiter that divides all lines into the same number of fields, `width` if it is not None."""
    for delimiter in DELIMITERS:
        widths = {len(split_row(line.rstrip("\r\n"), RowFormat(delimiter)) or ()) for line in lines if line.strip()}
        if len(widths) == 1 and (widths == {width} if width else widths.pop() > 1):
            return delimiter
    return None


def wrong_delimiter(delimiter: str, lines: Sequence[str]) -> str | None:
    """Say what is wrong with a delimiter that finds one column where another one divides the header and most rows.

    Returns None if the delimiter may be right. The first of the `lines` is the header.
    """
    header, *rows = [line.rstrip("\r\n") for line in lines if line.strip()]
    if len(_titles(header, delimiter)) != 1:
        return None
    for other in DELIMITERS:
        width = len(_titles(header, other))
        fitting = sum(len(split_row(row, RowFormat(other)) or ()) == width for row in rows)
        if other != delimiter and width > 1 and (2 * fitting > len(rows) or not rows):
            option = "TAB" if other == "\t" else f"'{other}'"
            return (
                f"{shown(header)} is one column if {delimiter_name(delimiter)} separate fields, but "
                f"{delimiter_name(other)} divide it and most rows; set --delimiter {option}, or rename the column if "
                "it is only one"
            )
    return None


class QuotedColumns:
    """Find the columns whose cells are all enclosed in a quote, which shows that it is the quote of the file."""

    def __init__(self, quote: str, columns: set[int] | None = None) -> None:
        """Look for this quote in some columns, or in all if `columns` is None."""
        self.quote = quote
        self._open = columns
        self._first: dict[int, int] = {}

    def add(self, cells: Sequence[str], line: int) -> None:
        """Regard one row; `cells` still have their quotes."""
        if self._open is None:
            self._open = set(range(len(cells)))
        for place in [place for place in self._open if place < len(cells)]:
            cell = cells[place].strip()
            if _is_wrapped(cell, self.quote):
                self._first.setdefault(place, line)
            elif cell:
                self._open.discard(place)

    def found(self) -> tuple[int, int] | None:
        """Return the place of the first such column, counted from 0, and the line of its first quoted cell."""
        return next(((place, line) for place, line in self._first.items() if place in (self._open or ())), None)


def detect_quote(lines: Lines, delimiter: str, width: int, default: str = '"') -> str:
    """Return the quote of rows that should have `width` fields.

    The quote is the one with which more rows have `width` fields, or else the one that encloses all cells of a column.
    If quotes mean nothing by default, they also count where they enclose just the cells that Excel would quote. Raises
    BadValueError if some fields seem to have one quote, and others another.
    """
    rows = [(number, line.rstrip("\r\n")) for number, line in lines if line.strip()]
    if not any(quote in line for _, line in rows for quote in _QUOTES):
        return default
    fitting = {quote: _fitting_rows(rows, RowFormat(delimiter, quote), width) for quote in ("", *_QUOTES)}
    numbers = {quote: len(found) for quote, found in fitting.items()}
    if numbers['"'] != numbers["'"] and numbers[""] < max(numbers.values()):
        return '"' if numbers['"'] > numbers["'"] else "'"
    found = [quote for quote in _QUOTES if numbers[quote] >= numbers[""] and _encloses_a_column(fitting[quote], quote)]
    if len(found) > 1 or (found == ["'"] and any(_quotes_a_field(line, delimiter) for _, line in rows)):
        raise BadValueError("some fields are quoted by \" and others by '; set --quote to the one that is the quote")
    if not found and not default and numbers['"'] == len(rows) and _is_quoted_by_excel(fitting['"']):
        return '"'
    return found[0] if found else default


def _is_quoted_by_excel(rows: Sequence[tuple[int, list[str]]]) -> bool:
    """Return whether quotes enclose the cells with commas or quotes, and no others; `rows` still have their quotes."""
    cells = [cell for _, fields in rows for cell in fields]
    quoted = [cell for cell in cells if _is_wrapped(cell, '"')]
    inner = [cell[1:-1].replace('""', "") for cell in quoted]
    return (
        bool(quoted)
        and not any(sign in cell for cell in cells if not _is_wrapped(cell, '"') for sign in ',"')
        and not any('"' in text for text in inner)
        and all("," in cell or '""' in cell[1:-1] for cell in quoted)
    )


def _fitting_rows(rows: Lines, row_format: RowFormat, width: int) -> list[tuple[int, list[str]]]:
    """Return the rows that have `width` fields, which still have their quotes."""
    cells = ((number, split_row(line, row_format, keeps_quotes=True)) for number, line in rows)
    return [(number, fields) for number, fields in cells if fields is not None and len(fields) == width]


def _encloses_a_column(rows: Iterable[tuple[int, list[str]]], quote: str) -> bool:
    columns = QuotedColumns(quote)
    for number, cells in rows:
        columns.add(cells, number)
    return columns.found() is not None


def _quotes_a_field(line: str, delimiter: str) -> bool:
    return line.startswith('"') or f'{delimiter}"' in line


def row_problem(fields: Sequence[str], titles: Sequence[str], row_format: RowFormat) -> str:
    """Describe a row with a wrong number of fields, and name the delimiter that would give the right number."""
    names = delimiter_name(row_format.delimiter)
    text = row_format.delimiter.join(fields)
    problem = f"expected {len(titles)} fields ({listed(titles)}), found {len(fields)} separated by {names}"
    for other in DELIMITERS:
        if other != row_format.delimiter and len(split_row(text, RowFormat(other)) or ()) == len(titles):
            return f"{problem}; the row seems to be separated by {delimiter_name(other)}, so use one delimiter"
    return f"{problem}; quote fields that contain the delimiter, or correct the row"


def has_spaces_before_quotes(lines: Iterable[str], delimiter: str, quote: str) -> bool:
    """Return whether a quote follows a delimiter and a space, as in `"a", "b"`."""
    return bool(quote) and any(f"{delimiter} {quote}" in line for line in lines)


def with_backslashes(row_format: RowFormat, lines: Sequence[tuple[int, str]]) -> RowFormat:
    """Return the format of rows; backslashes stand before quotes if more of the first rows can then be read."""
    texts = [line for _, line in lines]
    if row_format.quote != '"' or not any('\\"' in line for line in texts):
        return row_format
    plain, doubled = (_readable(read, row_format) for read in (texts, list(map(doubled_quotes, texts))))
    return replace(row_format, has_backslashes=doubled > plain)


def _readable(lines: Sequence[str], row_format: RowFormat) -> int:
    """Count the rows that can be read before the first invalid quote or another number of fields."""
    rows = csv.reader(lines, delimiter=row_format.delimiter, strict=True, skipinitialspace=row_format.skips_spaces)
    widths = []
    try:
        for fields in rows:
            widths += [len(fields)] * bool(fields)
            if widths[-1:] != widths[:1]:
                return len(widths) - 1
    except csv.Error:
        pass
    return len(widths)


def has_carriage_returns_only(first: int, block: bytes) -> bool:
    """Return whether the first block of a file shows that nothing but carriage returns ends its lines."""
    return first == 1 and b"\n" not in block and b"\r" in block.rstrip(b"\r")
