"""Read the CSV files of `neo4j-admin database import`: one file per kind of node or type of relationship.

A header describes the columns. It is the first line of the file, or of the first of several files. An empty cell is a
missing property.
"""

from collections.abc import Iterable, Sequence
from itertools import chain, islice

from graph.plan.values import Value
from ingestion.admin_cells import CellReader
from ingestion.admin_header import (
    END,
    ENDS,
    ID,
    LABEL,
    START,
    TYPE,
    UNSTORABLE,
    VERBATIM,
    Column,
    is_marked,
    read_header,
)
from ingestion.csv_dialect import (
    DialectOptions,
    Lines,
    QuotedColumns,
    TableDialect,
    describe,
    detect_quote,
    has_spaces_before_quotes,
    sampled,
    split_header,
    with_backslashes,
    wrong_delimiter,
)
from ingestion.csv_rows import RowFormat, csv_rows
from ingestion.csv_values import MixedDelimitersError
from ingestion.node_aliases import ALIASES, add_node_aliases
from ingestion.node_definitions import Origin
from ingestion.node_ids import NodeIds, Place
from ingestion.points import parts_of_cell
from ingestion.rejections import Problems
from ingestion.row_widths import RowWidths
from ingestion.source_lines import encoding_problem, field_problem
from ingestion.sqlite_writer import GraphWriter
from ingestion.typed_values import NO_VALUE, BadValueError, left_out_reason, lost_digits, means_no_value
from shared.text import shortened, shown

_SURVEYED_ROWS = 2_000

_INVALID = "rows that are not valid"

_Row = tuple[int, list[str]]


class AdminReader:
    """Read a header and the rows below it, from one file or from several."""

    def __init__(
        self,
        writer: GraphWriter,
        problems: Problems,
        options: DialectOptions,
        names: Sequence[str] = (),
        given: str = "",
    ) -> None:
        """Read with these options; `names` are labels of all nodes, or the type of all relationships.

        `given` says what the header must describe, as in `read_header`.
        """
        self._writer = writer
        self._problems = problems
        self._options = options
        self._names = names
        self._given = given
        self._columns: Sequence[Column] = ()
        self._titles: list[str] = []
        self._delimiter = ","
        self._is_refused = False
        self.rows = 0

    @property
    def width(self) -> int:
        """Return the number of columns."""
        return len(self._titles)

    @property
    def has_nodes(self) -> bool:
        """Return whether the header describes nodes."""
        return self._given == ID or any(column.role == ID for column in self._columns)

    def read(self, lines: Lines) -> TableDialect | None:
        """Add the rows of one file, the first of which has the header; return its dialect, if the file is valid."""
        head, lines = sampled(lines)
        if self._is_refused or not any(line.strip() for _, line in head):
            return None
        if not self._columns and self._refuses_encoding(head):
            return None
        body = head if self._columns else self._below_header(head)
        if not self._columns and self._refuses_delimiter(head):
            return None
        width = len(self._titles)
        quote = self._options.quote
        if quote is None:
            quote = detect_quote(body or head, self._delimiter, width)
        spaced = has_spaces_before_quotes((line for _, line in head), self._delimiter, quote)
        row_format = with_backslashes(RowFormat(self._delimiter, quote, spaced), head)
        rows = csv_rows(lines, self._problems, row_format)
        dialect = describe(head, row_format)
        if not self._columns and not self._read_header(*next(rows, (1, []))):
            return None
        self._read_rows(rows, row_format, dialect)
        return dialect

    def _refuses_encoding(self, head: Sequence[tuple[int, str]]) -> bool:
        """Return whether the header is not UTF-8, which no file below it can mend."""
        number, header = next((number, line) for number, line in head if line.strip())
        if problem := encoding_problem(header):
            self._refuse(number, problem)
        return self._is_refused

    def _refuses_delimiter(self, head: Sequence[tuple[int, str]]) -> bool:
        """Return whether another delimiter than the one that the user gave divides the rows."""
        if problem := wrong_delimiter(self._delimiter, [line for _, line in head]):
            self._refuse(next(number for number, line in head if line.strip()), problem)
        return self._is_refused

    def _refuse(self, line: int, *problems: str) -> None:
        for problem in problems:
            self._problems.add(line, problem)
        self._is_refused = True
        self._writer.ids.skip_file()

    def _below_header(self, head: Sequence[tuple[int, str]]) -> Sequence[tuple[int, str]]:
        """Find the delimiter and the titles of the header, and return the lines below it."""
        place = next(place for place, (_, line) in enumerate(head) if line.strip())
        self._delimiter, self._titles = split_header(head[place][1], is_marked, self._options.delimiter)
        return head[place + 1 :]

    def _read_header(self, line: int, titles: Sequence[str]) -> bool:
        """Read the columns; return whether they are valid."""
        self._titles = [self._writer.clean(title.strip()) for title in titles]
        columns, problems = read_header(self._titles, self._given) if titles else ([], [])
        if problems or not columns:
            self._refuse(line, *problems)
            return False
        self._columns = columns
        self._writer.untyped_columns.update(column.name for column in columns if column.is_untyped)
        for column in columns:
            if column.role == ID:
                self._writer.ids.define_group(column.group)
            elif column.role in ENDS and column.group:
                self._writer.ids.expect_group(column.group, (self._problems.file, line))
        return True

    def _read_rows(self, rows: Iterable[_Row], row_format: RowFormat, dialect: TableDialect) -> None:
        rows = iter(rows)
        surveyed = list(islice(rows, _SURVEYED_ROWS))
        if surveyed and [title.strip() for title in surveyed[0][1]] == self._titles:
            del surveyed[0]  # each file of a group may repeat the header
        cells = CellReader(
            self._columns, self._options.array_delimiter, (fields for _, fields in surveyed), self._writer.dates
        )
        file = _AdminFile(self._columns, self._names, cells, self._writer, self._problems, self.has_nodes)
        quotes = self._unseen_quotes(surveyed, row_format)
        widths = RowWidths(self._titles, row_format, self._problems, _INVALID)
        for number, fields in chain(surveyed, rows):
            self.rows += 1
            quotes.add(fields, number)
            try:
                if widths.fits(fields, number):
                    file.add(fields, number)
                else:
                    file.skip(fields, number)
            except BadValueError as error:
                self._problems.reject_line(number, _INVALID, str(error))
            except MixedDelimitersError as error:
                self._problems.add(number, str(error))
                return
        widths.check()
        if found := quotes.found():
            title = self._columns[found[0]].title
            self._problems.add(found[1], f"all values of {title} are enclosed in '; set --quote to \"'\" or none")
        dialect.array_delimiter, dialect.decimal_sign = cells.lists.delimiter, cells.decimals.sign
        dialect.label_delimiter = cells.lists.label_delimiter

    def _unseen_quotes(self, surveyed: Sequence[_Row], row_format: RowFormat) -> QuotedColumns:
        """Watch for single quotes in the columns that are empty in the first rows, which show nothing of the quote."""
        unseen = set(range(len(self._columns)))
        if self._options.quote is not None or row_format.quote == "'":
            unseen = set()
        for _, fields in surveyed:
            unseen = {place for place in unseen if place >= len(fields) or not fields[place].strip()}
        return QuotedColumns("'", unseen)


class _AdminFile:
    """Add the rows of one file."""

    def __init__(
        self,
        columns: Sequence[Column],
        names: Sequence[str],
        cells: CellReader,
        writer: GraphWriter,
        problems: Problems,
        are_nodes: bool,
    ) -> None:
        self._columns = columns
        self._names = names
        self._are_nodes = are_nodes
        self._cells = cells
        self._writer = writer
        self._ids: NodeIds = writer.ids
        self._file = problems.file
        self._problems = problems
        roles = [column.role for column in columns]
        self._titles = tuple(column.title for column in columns)
        self._places = {role: roles.index(role) for role in roles}
        self._properties = [(place, column) for place, column in enumerate(columns) if column.name]

    def add(self, fields: Sequence[str], line: int) -> None:
        """Add one row; raise BadValueError if it is not valid."""
        place = self._file, line
        if self._are_nodes:
            self._add_node(fields, place)
        else:
            self._add_relationship(fields, place)

    def skip(self, fields: Sequence[str], line: int) -> None:
        """Keep the node of an invalid row in a strict import, so that its relationships are not reported as well."""
        if self._problems.is_strict and ID in self._places and self._places[ID] < len(fields):
            self._writer.add_node(self._key(ID, fields, (self._file, line)), (), {})

    def _add_node(self, fields: Sequence[str], place: Place) -> None:
        key = self._key(ID, fields, place) if ID in self._places else self._row_key(place)
        try:
            kinds = self._labels(fields)
            if ID in self._places and self._is_repeated(key, fields, kinds, place[1]):
                return
            values = self._values(fields, kinds or ("",), place[1])
            self._writer.add_node(key, kinds, values)
            add_node_aliases(self._writer, key, values.get(ALIASES))
        except BadValueError:
            if self._problems.is_strict:
                self._writer.add_node(key, (), {})  # so that its relationships are not reported as well
            raise

    def _is_repeated(self, key: str, fields: Sequence[str], kinds: tuple[str, ...], line: int) -> bool:
        """Record that a row defines a node, and return whether an earlier row did, which is reported."""
        position = self._places[ID]
        origin = Origin(self._file, kinds, self._columns[position].group, self._titles)
        earlier = self._writer.define(key, origin, line)
        if earlier is None or not earlier.origin.columns:
            return False
        if not earlier.is_other_kind:  # other kinds are reported once for each two
            problem = (
                f"the ID {shown(fields[position].strip())} occurred before ({earlier.origin.file}, line "
                f"{earlier.line}), and only that row is imported; remove this one, or, if it is another node, give it "
                "another ID"
            )
            self._problems.reject_value(line, "rows whose ID occurred before", problem)
        return True

    def _add_relationship(self, fields: Sequence[str], place: Place) -> None:
        source, target = (self._key(role, fields, place) for role in (START, END))
        type_ = self._type(fields)
        self._writer.connect(source, type_, target, self._values(fields, (type_,), place[1]), place)

    def _key(self, role: str, fields: Sequence[str], place: Place) -> str:
        """Return the key of the node that a row defines or mentions."""
        position = self._places[role]
        column = self._columns[position]
        id_ = self._name(f"{column.title} field", fields[position])
        key = self._ids.key(id_, column.group, place)
        if role in ENDS and not self._writer.has_node(key):
            self._ids.expect(key, id_, column.group)
        return key

    def _row_key(self, place: Place) -> str:
        """Return the key of the node that a row without an ID defines; files in two folders may have the same name."""
        key = f"{place[0]}:{place[1]}"
        return self._writer.new_blank_node() if self._writer.has_node(key) else key

    def _labels(self, fields: Sequence[str]) -> tuple[str, ...]:
        cell = fields[self._places[LABEL]] if LABEL in self._places else ""
        labels = [*self._names, *(label.strip() for label in self._cells.lists.labels(cell))]
        return tuple(dict.fromkeys(self._name("label", label) for label in labels if label))

    def _type(self, fields: Sequence[str]) -> str:
        """Return the type in the row, or else the type that was given for all rows."""
        cell = fields[self._places[TYPE]] if TYPE in self._places else ""
        return self._name("relation", cell if cell.strip() or not self._names else self._names[0])

    def _name(self, role: str, field: str) -> str:
        name = self._writer.clean(field.strip())
        if problem := field_problem(role, name):
            raise BadValueError(problem)
        return name

    def _values(self, fields: Sequence[str], owners: Sequence[str], line: int) -> dict[str, Value]:
        """Read the properties in a row, and reject cells that do not fit their columns."""
        values: dict[str, Value] = {}
        for place, column in self._properties:
            cell = fields[place]
            parts = parts_of_cell(column.name, cell) if column.type_ == "point" and not column.is_array else None
            if parts is not None:
                values |= parts
            elif cell.strip() and column.type_ in UNSTORABLE:
                what = UNSTORABLE[column.type_]
                problem = f"{shortened(column.name)}: no property can hold {what}; store numbers or strings"
                self._problems.note(line, f"{shortened(':'.join(owners))}.{shortened(column.name)}: {what}", problem)
                self._writer.leave_out(owners, column.name)
            elif column.type_ in VERBATIM and cell.strip() in NO_VALUE:
                problem = f"{shortened(column.name)}: {shown(cell.strip())} means no value; leave the cell empty"
                reason = left_out_reason(owners, column.name, BadValueError(""), cell)
                self._problems.note(line, reason, problem)
            elif cell.strip():
                try:
                    values[column.name] = self._cells.value(column, cell)
                    self._note_lost_digits(column, cell, values[column.name], owners, line)
                except BadValueError as error:
                    problem = f"{shortened(column.name)}: {error}"
                    reason = left_out_reason(owners, column.name, error, cell)
                    self._problems.reject_value(line, reason, problem)
                    if not means_no_value(cell):
                        self._writer.leave_out(owners, column.name)
        return values

    def _note_lost_digits(self, column: Column, cell: str, value: Value, owners: Sequence[str], line: int) -> None:
        """Report a number or datetime that the graph file holds with fewer digits than the cell."""
        if column.type_ in VERBATIM:
            return
        texts = self._cells.lists.items(cell) if column.is_array else [cell]
        items = value if isinstance(value, tuple) else (value,)
        for text, item in zip(texts, items, strict=True):
            if lost := lost_digits(text.strip(), item):
                problem = f"{shortened(column.name)}: {shown(text.strip())} is stored as {item}"
                self._problems.note(line, f"{shortened(':'.join(owners))}.{shortened(column.name)}: {lost}", problem)
