"""Read CSV and TSV files whose first line names their columns, in any dialect that the import detects."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ingestion.admin_header import is_admin_header
from ingestion.csv_dialect import (
    Lines,
    describe,
    detect_quote,
    excel_separator,
    has_byte_order_mark,
    has_spaces_before_quotes,
    sampled,
    split_header,
    with_backslashes,
    wrong_delimiter,
)
from ingestion.csv_rows import RowFormat, csv_rows
from ingestion.rejections import Problems
from ingestion.relational.cell_values import CellReader
from ingestion.relational.tables import Column, Row, Table, TextTyping, clean_title, titled_columns
from ingestion.row_widths import RowWidths
from ingestion.source_lines import (
    DECOMPRESSORS,
    MAX_LONG_LINE_LENGTH,
    decode_all_lines,
    encoding_problem,
    read_blocks,
)
from ingestion.table_options import TableOptions
from ingestion.tabular import Tables
from ingestion.typed_values import BadValueError
from shared.errors import InvalidInputError

EXTENSIONS = (".csv", ".tsv")
_INVALID = "rows that are not valid"


class _Begin(NamedTuple):
    """Describe the beginning of a file: the format of its rows, the titles of its columns, and all lines below them."""

    row_format: RowFormat
    titles: list[str]
    head: Sequence[tuple[int, str]]
    rows: Iterator[tuple[int, list[str]]]


def table_name(file: Path) -> str:
    """Return the name of a file without its extensions."""
    name = file.name
    for compression in DECOMPRESSORS:
        name = name.removesuffix(compression)
    return Path(name).stem


class DelimitedFile:
    """Read one file."""

    def __init__(self, file: Path, options: TableOptions, dialects: Tables) -> None:
        """Record the dialect in `dialects`."""
        self._file = file
        self._options = options
        self._dialects = dialects

    def table(self) -> Table | None:
        """Read the header; None if the file has no line. Raises InvalidInputError if it cannot be read."""
        begin = self._begin(Problems())
        if begin is None:
            return None
        titles, left_out = titled_columns(begin.titles, f"{self._file.name}, line {begin.head[0][0]}")
        columns = tuple(Column(title, TextTyping.ANY) for title in titles if title)
        return Table(table_name(self._file), self._file.name, columns, unit="line", left_out=left_out)

    def rows(self, table: Table, problems: Problems) -> Iterator[Row]:
        """Yield the rows; record those that are not valid."""
        problems.file, problems.unit = table.place, table.unit
        begin = self._begin(problems)
        if begin is None:
            return
        cells = CellReader(table.name, table.place, problems)
        places = [(place, title) for place, title in enumerate(begin.titles) if title]
        widths = RowWidths(begin.titles, begin.row_format, problems, _INVALID)
        for line, fields in begin.rows:
            if widths.fits(fields, line):
                yield line, [cells.value(title, fields[place], line) for place, title in places]
        widths.check()
        dialect = describe(begin.head, begin.row_format)
        self._dialects.has_mark = has_byte_order_mark(self._file)
        self._dialects.add(dialect, self._file.name)

    def _begin(self, problems: Problems) -> _Begin | None:
        """Find the dialect and the header."""
        lines: Lines = decode_all_lines(
            self._dialects.with_line_feeds(read_blocks(self._file, max_length=MAX_LONG_LINE_LENGTH))
        )
        head, lines = sampled(lines)
        options = self._options.dialect
        separator = excel_separator(head[0][1]) if head else None
        skipped = 1 if separator else 0
        skipped += next((n for n, (_, line) in enumerate(head[skipped:]) if line.strip()), len(head))
        head, lines = head[skipped:], islice(lines, skipped, None)
        if not head:
            return None
        number, header = head[0]
        self._check_header(number, header)
        delimiter, titles = split_header(header, lambda title: False, options.delimiter or separator)
        if problem := wrong_delimiter(delimiter, [line for _, line in head]):
            raise InvalidInputError(f"{self._file.name}, line {number}: {problem}")
        try:
            quote = options.quote if options.quote is not None else detect_quote(head[1:], delimiter, len(titles))
        except BadValueError as error:
            raise InvalidInputError(f"{self._file.name}: {error}") from error
        spaced = has_spaces_before_quotes((line for _, line in head), delimiter, quote)
        row_format = with_backslashes(RowFormat(delimiter, quote, spaced), head)
        rows = csv_rows(lines, problems, row_format)
        titles = [clean_title(title) for title in next(rows, (number, titles))[1]]
        return _Begin(row_format, titles, head, rows)

    def _check_header(self, number: int, header: str) -> None:
        """Raise InvalidInputError if a first line is not text, or belongs to another format."""
        if problem := encoding_problem(header):
            raise InvalidInputError(f"{self._file.name}, line {number}: {problem}")
        if is_admin_header(header):
            raise InvalidInputError(
                f"{self._file.name} describes a property graph as neo4j-admin does; import its files without --tables"
            )
