"""Read rows of subject, relation, and object from TSV and CSV files.

In TSV, a first line that names the three columns is a header. CSV is quoted as in RFC 4180, and its header names the
three columns in any order; a header with columns such as `:ID` marks a property graph, which `admin_csv` reads. Two
relations are reserved: the object of `alias` is another name for its subject, and the object of `:LABEL` is its kind.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from graph.store import INVERSE
from ingestion.admin_csv import AdminReader
from ingestion.admin_header import is_admin_header, is_key
from ingestion.csv_dialect import (
    DialectOptions,
    Lines,
    TableDialect,
    constant_delimiter,
    delimiter_name,
    describe,
    detect_quote,
    excel_separator,
    has_carriage_returns_only,
    has_spaces_before_quotes,
    sampled,
    split_header,
    with_backslashes,
)
from ingestion.csv_rows import RowFormat, csv_rows, split_row
from ingestion.fact_columns import COLUMNS, column, header_order, order_of
from ingestion.ordinary_tables import likely_header, other_table, row_advice
from ingestion.plain_tsv import plain_fields
from ingestion.rejections import Problems
from ingestion.row_widths import RowWidths
from ingestion.source_lines import (
    MAX_FIELD_LENGTH,
    Blocks,
    decode_all_lines,
    decode_lines,
    encoding_problem,
    field_problem,
)
from ingestion.sqlite_writer import GraphWriter
from ingestion.table_options import TableOptions
from ingestion.typed_values import NO_VALUE, BadValueError, listed
from shared.text import shown

_ALIAS, _KIND = "alias", ":LABEL"
_RESERVED = {_ALIAS, _KIND}
_NOT_THREE, _BAD_FIELD = "lines that do not have three fields", "lines with an invalid field"
_PLAIN = RowFormat("\t", "")


@dataclass(slots=True)
class Tables:
    """Hold the options for tables, and collect what their files show."""

    options: TableOptions = field(default_factory=TableOptions)
    # The descriptions of dialects, each with the files that have it.
    dialects: dict[str, list[str]] = field(default_factory=dict)
    # Files that have only a header, with the number of its columns and the option that joins it.
    headers: dict[str, tuple[int, str]] = field(default_factory=dict)
    # First facts that are probably headers of tables with a row for each thing, each with advice.
    likely_headers: list[str] = field(default_factory=list)
    # Whether the current file begins with a byte order mark, which is removed from its blocks.
    has_mark: bool = False
    # Whether only carriage returns end the lines of the current file.
    has_returns: bool = False

    def with_line_feeds(self, blocks: Blocks) -> Iterator[tuple[int, bytes]]:
        """Pass the blocks of a file on, with carriage returns replaced if nothing else ends lines."""
        self.has_returns = False
        for first, block in blocks:
            self.has_returns = self.has_returns or has_carriage_returns_only(first, block)
            yield first, block.replace(b"\r", b"\n") if self.has_returns else block

    def add(self, dialect: TableDialect | None, file: str) -> None:
        """Record the dialect of a file."""
        if dialect is not None:
            dialect.has_mark = self.has_mark
            dialect.line_end = "CR" if self.has_returns else dialect.line_end
            self.dialects.setdefault(str(dialect), []).append(file)


def read_tsv(blocks: Blocks, writer: GraphWriter, problems: Problems, tables: Tables | None = None) -> None:
    """Add the rows of one TSV file, skipping blank lines."""
    with _recorded(writer, problems):
        _read_tsv(blocks, writer, problems, tables or Tables())


def read_csv(blocks: Blocks, writer: GraphWriter, problems: Problems, tables: Tables | None = None) -> None:
    """Add the rows of one CSV file, skipping blank lines."""
    with _recorded(writer, problems):
        _read_csv(blocks, writer, problems, tables or Tables())


def read_joined(reader: AdminReader, blocks: Blocks, writer: GraphWriter, problems: Problems, tables: Tables) -> None:
    """Add the rows of one of several files, the first of which has the header."""
    with _recorded(writer, problems):
        tables.add(reader.read(decode_all_lines(tables.with_line_feeds(blocks))), problems.file)


@contextmanager
def _recorded(writer: GraphWriter, problems: Problems) -> Iterator[None]:
    """Record a fault that concerns a whole file."""
    try:
        yield
    except BadValueError as error:
        problems.add(1, str(error))
        writer.ids.skip_file()  # the file may be meant to hold nodes


def _read_tsv(blocks: Blocks, writer: GraphWriter, problems: Problems, tables: Tables) -> None:
    blocks = iter(tables.with_line_feeds(blocks))
    begin = next(blocks, None)
    if begin is None:
        return
    lines, _ = sampled(decode_lines([begin], Problems()))
    blocks = chain([begin], blocks)
    header = next((line for _, line in lines if line.strip()), "")
    if begin[0] == 1 and any(is_key(title) for title in split_header(header, is_key)[1]):
        _read_admin(decode_all_lines(blocks), writer, problems, tables, tables.options.dialect)
        return
    row_format = _tsv_format(lines, header, tables.options.dialect) if begin[0] == 1 else _PLAIN
    if begin[0] == 1 and (problem := other_table(lines, row_format, problems.file)):
        problems.add(lines[0][0], problem)
        writer.ids.skip_file()
        return
    tables.add(describe(lines, row_format), problems.file)
    if begin[0] == 1 and (advice := likely_header(lines, row_format, problems.file)):
        tables.likely_headers.append(advice)
    titles = split_row(header.rstrip("\r\n"), row_format) or []
    order = header_order(titles) if begin[0] == 1 else None
    if row_format == _PLAIN and (order is None or (order == [0, 1, 2] and len(titles) == len(COLUMNS))):
        _read_plain(blocks, writer, problems)
        return
    rows = csv_rows(decode_all_lines(blocks), problems, row_format)
    if order is None:
        _add_rows(rows, writer, problems, row_format)
    else:
        _leave_out_columns(titles, order, lines[0][0], problems)
        _add_rows(rows, writer, problems, row_format, titles, order)


def _read_plain(blocks: Blocks, writer: GraphWriter, problems: Problems) -> None:
    """Add rows that are separated by tabs and have no quotes."""
    for first, block in blocks:
        fields = plain_fields(block)
        if fields is None or (first == 1 and header_order(fields[:3])):
            _add_lines(first, block, writer, problems)
        elif not (_RESERVED.isdisjoint(fields[1::3]) and NO_VALUE.isdisjoint(fields)):
            for number, row in enumerate(zip(fields[::3], fields[1::3], fields[2::3], strict=True), first):
                add_row(row, writer, problems, number)
        else:
            writer.add_triples(fields)


def _tsv_format(lines: Sequence[tuple[int, str]], header: str, options: DialectOptions) -> RowFormat:
    """Return the format of a TSV file, which may be quoted or not separated by tabs."""
    delimiter = options.delimiter or "\t"
    texts = [line for _, line in lines if line.strip()]
    if options.delimiter is None and "\t" not in header and len(texts) > 1:  # one line shows too little
        delimiter = constant_delimiter(texts, len(COLUMNS)) or "\t"
    quote = options.quote
    if quote is None:
        titles = header.split(delimiter)
        below = [(number, line) for number, line in lines if line is not header or not header_order(titles)]
        quote = detect_quote(below, delimiter, len(titles), "" if delimiter == "\t" else '"')
    return with_backslashes(RowFormat(delimiter, quote), lines)


def _read_csv(blocks: Blocks, writer: GraphWriter, problems: Problems, tables: Tables) -> None:
    head, lines = sampled(decode_all_lines(tables.with_line_feeds(blocks)))
    options = tables.options.dialect
    if head and (sign := excel_separator(head[0][1])):
        head, lines = head[1:], islice(lines, 1, None)
        options = replace(options, delimiter=options.delimiter or sign)
    place = next((place for place, (_, text) in enumerate(head) if text.strip()), None)
    if place is None:
        return
    number, header = head[place]
    if problem := encoding_problem(header):
        problems.add(number, problem)
        writer.ids.skip_file()
    elif is_admin_header(header):
        _read_admin(lines, writer, problems, tables, options)
    else:
        _read_facts(lines, head[place:], writer, problems, tables, options)


def _read_admin(lines: Lines, writer: GraphWriter, problems: Problems, tables: Tables, options: DialectOptions) -> None:
    reader = AdminReader(writer, problems, options)
    dialect = reader.read(lines)
    tables.add(dialect, problems.file)
    if dialect is not None and not reader.rows:
        tables.headers[problems.file] = reader.width, "--nodes" if reader.has_nodes else "--relationships"


def _read_facts(
    lines: Lines,
    head: Sequence[tuple[int, str]],
    writer: GraphWriter,
    problems: Problems,
    tables: Tables,
    options: DialectOptions,
) -> None:
    """Add the rows below a header, the first line of `head`, that names the columns subject, relation, and object."""
    delimiter, titles = split_header(head[0][1], lambda title: column(title) is not None, options.delimiter)
    if not any(column(title) is not None for title in titles):
        delimiter = options.delimiter or constant_delimiter([line for _, line in head]) or delimiter
    quote = options.quote
    if quote is None:
        quote = detect_quote(head[1:], delimiter, len(titles))
    spaced = has_spaces_before_quotes((line for _, line in head), delimiter, quote)
    row_format = with_backslashes(RowFormat(delimiter, quote, spaced), head)
    rows = csv_rows(lines, problems, row_format)
    line, header = next(rows, (0, []))
    order = _column_order(header, line, problems, delimiter, tables) if header else None
    if order is None:
        if header:
            writer.ids.skip_file()  # the file may be meant to hold nodes
        return
    tables.add(describe(head, row_format), problems.file)
    _add_rows(rows, writer, problems, row_format, header, order)


def _add_rows(
    rows: Iterable[tuple[int, list[str]]],
    writer: GraphWriter,
    problems: Problems,
    row_format: RowFormat,
    titles: Sequence[str] = COLUMNS,
    order: Sequence[int] = (0, 1, 2),
) -> None:
    """Add rows whose fields are in the order of `titles`; skip a first row that is a header."""
    widths = RowWidths(titles, row_format, problems, _NOT_THREE)
    for count, (number, fields) in enumerate(rows):
        if not widths.fits(fields, number):
            continue
        if count or not (list(fields) == list(titles) or order_of(fields)):
            add_row([fields[place] for place in order], writer, problems, number)
    widths.check()


def add_row(fields: Sequence[str], writer: GraphWriter, problems: Problems, line: int) -> None:
    """Add a row of subject, relation, and object, or record what is wrong with it."""
    subject, relation, object_ = (writer.clean(field.strip()) for field in fields)
    # Test the whole row at once, which is cheap. Only bad rows need a diagnosis, and they are rare.
    text = "".join((subject, relation, object_))
    is_plain = subject and relation and object_ and text.isprintable() and len(text) <= MAX_FIELD_LENGTH
    if not is_plain or relation.startswith(INVERSE):
        for role, field in zip(COLUMNS, (subject, relation, object_), strict=True):
            if problem := field_problem(role, field):
                problems.reject_line(line, _BAD_FIELD, problem)
                return
    if not NO_VALUE.isdisjoint((subject, relation, object_)):
        found = next(field for field in (subject, relation, object_) if field in NO_VALUE)
        problems.note(line, "facts with a text that means no value", f"{found!r} means no value; remove the line")
        return
    if relation == _KIND:
        writer.add_kind(subject, object_)
    elif relation != _ALIAS:
        writer.add_triple(subject, relation, object_)
    elif subject == object_:
        problem = f"the alias of {subject!r} is the same as its name; remove the line"
        problems.reject_line(line, "aliases that are the same as the name", problem)
    else:
        writer.add_alias(subject, object_)


def _add_lines(first: int, block: bytes, writer: GraphWriter, problems: Problems) -> None:
    """Parse each TSV line separately so that problems can be reported by line."""
    for number, line in decode_lines([(first, block)], problems):
        fields = line.rstrip("\r\n").split("\t")
        if len(fields) == 3 or (len(fields) > 3 and not any(field.strip() for field in fields[3:])):
            fields = fields[:3]
            if number > 1 or not header_order(fields):
                add_row(fields, writer, problems, number)
        elif line.strip():
            problem = f"expected 3 tab-separated fields (subject, relation, object), found {len(fields)}"
            if other := constant_delimiter([line], len(COLUMNS)):
                problem += f"; if they are separated by {delimiter_name(other)}, set --delimiter"
            problems.reject_line(number, _NOT_THREE, problem)


def _column_order(header: list[str], line: int, problems: Problems, delimiter: str, tables: Tables) -> list[int] | None:
    """Return the positions of subject, relation, and object, or None if the header does not name exactly these."""
    expected, found = ", ".join(COLUMNS), f"{listed(header)}, separated by {delimiter_name(delimiter)}"
    order = order_of(header)
    if order is not None:
        _leave_out_columns(header, order, line, problems)
    elif all(column(title) is None for title in header):
        problems.add(
            line,
            f"expected a header naming the columns {expected}, found {found}; {_advice(header, problems.file, tables)}",
        )
    else:
        problem = f"expected {expected} once each in the header, found {found}; correct the header"
        problems.add(line, f"{problem}, or, {row_advice(problems.file)}")
    return order


def _leave_out_columns(titles: Sequence[str], order: Sequence[int], line: int, problems: Problems) -> None:
    """Report the columns that a fact has no place for."""
    for place, title in enumerate(titles):
        if place not in order:
            name = shown(title) if title.strip() else f"number {place + 1}"
            problem = f"the column {name} is neither subject, relation, nor object; remove it"
            problems.reject_value(line, "columns of a table of facts", problem)


def _advice(fields: Sequence[str], file: str, tables: Tables) -> str:
    """Say how to mend a first line that names none of the three columns."""
    for header, (width, option) in tables.headers.items():
        if width == len(fields):
            return f"if {header}, which has only a header, belongs to this file, join them: {option} {header},{file}"
    return (
        f"{row_advice(file)}; else, rename the columns (for a property graph: :ID, or :START_ID, :END_ID, and :TYPE); "
        "if it is data, add a header, or join the file that has it: --nodes HEADER,FILE"
    )
