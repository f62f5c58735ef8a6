"""Read the CSV files of `neo4j-admin database import`: one file per kind of node or type of relationship.

The header describes the columns: `personId:ID(Person)`, `name`, `born:int`, and `:LABEL` for nodes;
`:START_ID(Person)`, `:END_ID(Film)`, `:TYPE`, and properties for relationships. An empty cell is a missing property.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingestion.csv_rows import csv_rows
from ingestion.node_ids import NodeIds, Place
from ingestion.rejections import Problems
from ingestion.source_lines import field_problem
from ingestion.sqlite_writer import GraphWriter
from ingestion.typed_values import (
    BadValueError,
    Parser,
    left_out_reason,
    listed,
    parse_boolean,
    parse_character,
    parse_date,
    parse_datetime,
    parse_float,
    parse_integer,
    parse_text,
)
from shared.plan.values import Value
from shared.text import shortened, shown

_DELIMITERS = ",\t;"
_ARRAY_DELIMITER = ";"
_ID, _START, _END, _LABEL, _TYPE, _IGNORE = "ID", "START_ID", "END_ID", "LABEL", "TYPE", "IGNORE"
_PROPERTY = "property"
_ENDS = (_START, _END)
_MARKED = re.compile(
    r"(?P<name>[^:]*):(?P<role>ID|START_ID|END_ID|LABEL|TYPE|IGNORE)(?:\((?P<group>[^()]*)\))?", re.IGNORECASE
)
_ROLE = re.compile(r":\s*(?:ID|START_ID|END_ID|LABEL|TYPE|IGNORE)\b", re.IGNORECASE)
_PARSERS: dict[str, Parser] = {
    **dict.fromkeys(("int", "long", "short", "byte"), parse_integer),
    **dict.fromkeys(("float", "double"), parse_float),
    "boolean": parse_boolean,
    "char": parse_character,
    "string": parse_text,
    "date": parse_date,
    **dict.fromkeys(("datetime", "localdatetime"), parse_datetime),
}
_VERBATIM = ("string", "char")  # spaces around other values mean nothing


@dataclass(frozen=True, slots=True)
class _Column:
    """Describe one column; `name` is the name of its property, and empty if it has none."""

    title: str
    role: str
    name: str = ""
    group: str = ""
    type_: str = "string"
    is_array: bool = False

    def value(self, cell: str) -> Value:
        """Read a cell that is not empty; raise BadValueError if its text does not have the type of the column."""
        if self.is_array:
            return tuple(map(self._item, cell.split(_ARRAY_DELIMITER)))
        return self._item(cell)

    def _item(self, text: str) -> Value:
        return _PARSERS[self.type_](text if self.type_ in _VERBATIM else text.strip())


def is_admin_header(line: str) -> bool:
    """Return whether the first line of a CSV file is a header of `neo4j-admin`, which may be malformed."""
    return _ROLE.search(line) is not None


def read_admin_csv(lines: Iterable[tuple[int, str]], header: str, writer: GraphWriter, problems: Problems) -> None:
    """Add the nodes or relationships in one file, which begins with the line `header`."""
    rows = csv_rows(lines, problems, _split(header)[0])
    line, titles = next(rows, (1, []))
    columns = titles and _columns([writer.clean(title.strip()) for title in titles], line, problems)
    if not columns:
        writer.ids.skip_file()
        return
    file = _AdminFile(columns, writer, problems)
    file.declare_groups(line)
    for number, fields in rows:
        try:
            file.add(fields, number)
        except BadValueError as error:
            problems.reject_line(number, "rows that are not valid", str(error))


class _AdminFile:
    """Add the rows of one file."""

    def __init__(self, columns: Sequence[_Column], writer: GraphWriter, problems: Problems) -> None:
        self._columns = columns
        self._writer = writer
        self._ids: NodeIds = writer.ids
        self._file = problems.file
        self._problems = problems
        roles = [column.role for column in columns]
        self._places = {role: roles.index(role) for role in roles}
        self._properties = [(place, column) for place, column in enumerate(columns) if column.name]

    def declare_groups(self, line: int) -> None:
        """Record the groups in the header."""
        for column in self._columns:
            if column.role == _ID:
                self._ids.define_group(column.group)
            elif column.role in _ENDS and column.group:
                self._ids.expect_group(column.group, (self._file, line))

    def add(self, fields: Sequence[str], line: int) -> None:
        """Add one row; raise BadValueError if it is not valid."""
        place = self._file, line
        if _ID in self._places:
            self._add_node(fields, place)
        else:
            self._add_relationship(fields, place)

    def _add_node(self, fields: Sequence[str], place: Place) -> None:
        key = self._key(_ID, fields, place)
        try:
            self._check_length(fields)
            kinds = self._labels(fields)
            self._writer.add_node(key, kinds, self._values(fields, kinds or ("",), place[1]))
        except BadValueError:
            if self._problems.is_strict:
                self._writer.add_node(key, (), {})  # so that its relationships are not reported as well
            raise

    def _add_relationship(self, fields: Sequence[str], place: Place) -> None:
        self._check_length(fields)
        source, target = (self._key(role, fields, place) for role in _ENDS)
        type_ = self._name("relation", fields[self._places[_TYPE]])
        self._writer.connect(source, type_, target, self._values(fields, (type_,), place[1]), place)

    def _check_length(self, fields: Sequence[str]) -> None:
        if len(fields) != len(self._columns):
            titles = listed(column.title for column in self._columns)
            raise BadValueError(f"expected {len(self._columns)} fields ({titles}), found {len(fields)}")

    def _key(self, role: str, fields: Sequence[str], place: Place) -> str:
        """Return the key of the node that a row defines or mentions."""
        position = self._places[role]
        column = self._columns[position]
        if position >= len(fields):
            self._check_length(fields)
        id_ = self._name(f"{column.title} field", fields[position])
        key = self._ids.key(id_, column.group, place)
        if role in _ENDS and not self._writer.has_node(key):
            self._ids.expect(key, id_, column.group)
        return key

    def _labels(self, fields: Sequence[str]) -> tuple[str, ...]:
        if _LABEL not in self._places:
            return ()
        labels = (label.strip() for label in fields[self._places[_LABEL]].split(_ARRAY_DELIMITER))
        return tuple(dict.fromkeys(self._name("label", label) for label in labels if label))

    def _name(self, role: str, field: str) -> str:
        name = self._writer.clean(field.strip())
        if problem := field_problem(role, name):
            raise BadValueError(problem)
        return name

    def _values(self, fields: Sequence[str], owners: Sequence[str], line: int) -> dict[str, Value]:
        """Read the properties in a row, and reject cells that do not fit their columns."""
        values = {}
        for place, column in self._properties:
            cell = fields[place]
            if cell.strip():
                try:
                    values[column.name] = column.value(cell)
                except BadValueError as error:
                    problem = f"{shortened(column.name)}: {error}"
                    self._problems.reject_value(line, left_out_reason(owners, column.name, error, cell), problem)
        return values


def _split(header: str) -> tuple[str, list[str]]:
    """Return the delimiter of a header and its fields: the one that finds the most marked columns and fields."""
    found = [(delimiter, _fields(header, delimiter)) for delimiter in _DELIMITERS]
    return max(found, key=lambda one: (sum(map(_is_marked, one[1])), len(one[1])))


def _is_marked(title: str) -> bool:
    return _MARKED.fullmatch(title.strip()) is not None


def _fields(header: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([header.rstrip("\r\n")], delimiter=delimiter), [])
    except csv.Error:
        return []


def _columns(titles: Sequence[str], line: int, problems: Problems) -> list[_Column] | None:
    """Read a header, or record what is wrong with it and return None."""
    columns, found = [], []
    for number, title in enumerate(titles, 1):
        try:
            columns.append(_column(title, number))
        except BadValueError as error:
            found.append(str(error))
    found = found or _role_problems(columns)
    for problem in found:
        problems.add(line, problem)
    return None if found else columns


def _column(title: str, number: int) -> _Column:
    if not title:
        raise BadValueError(f"field {number} of the header is empty; name the column or mark it :IGNORE")
    if marked := _MARKED.fullmatch(title):
        return _marked_column(title, **marked.groupdict())
    if _ROLE.search(title):
        raise BadValueError(
            f"the column {shown(title)} is not valid; write one of :ID, :ID(Group), :START_ID, :END_ID, :LABEL, :TYPE, "
            "and :IGNORE, and separate columns by commas, tabs, or semicolons"
        )
    name, colon, type_ = title.rpartition(":")
    if not colon:
        name, type_ = title, "string"
    element = type_.strip().lower().removesuffix("[]")
    if element not in _PARSERS:
        known = ", ".join(_PARSERS)
        raise BadValueError(
            f"unknown type {shown(type_)} of the column {shown(title)}; expected {known}, or one of these with []"
        )
    if problem := field_problem(f"name of the column {shown(title)}", name):
        raise BadValueError(problem)
    return _Column(title, _PROPERTY, name, type_=element, is_array=type_.strip().endswith("[]"))


def _marked_column(title: str, name: str, role: str, group: str | None) -> _Column:
    if group is not None and role.upper() not in (_ID, *_ENDS):
        raise BadValueError(f"the column {shown(title)} cannot have a group; remove it")
    if group is not None and (not group or ":" in group):
        raise BadValueError(f"the group of the column {shown(title)} is empty or contains a colon; rename it")
    return _Column(title, role.upper(), name if role.upper() == _ID else "", group or "")


def _role_problems(columns: Sequence[_Column]) -> list[str]:
    """Describe which columns of a header are repeated, missing, or in the wrong kind of file."""
    roles = Counter(column.role for column in columns)
    names = Counter(column.name for column in columns if column.name)
    repeated = [f":{role}" for role in roles if roles[role] > 1 and role not in (_PROPERTY, _IGNORE)]
    repeated += [f"for the property {shown(name)}" for name in names if names[name] > 1]
    found = [f"the header has several columns {what}; keep one" for what in repeated]
    if roles[_ID]:
        found += [f"a header with :ID describes nodes; remove :{role}" for role in (*_ENDS, _TYPE) if roles[role]]
    elif not any(roles[role] for role in _ENDS):
        found.append("the header has neither :ID, for nodes, nor :START_ID and :END_ID, for relationships; add them")
    else:
        missing = [role for role in (*_ENDS, _TYPE) if not roles[role]]
        found += [f"the header of a relationship file has no column :{role}; add it" for role in missing]
        found += ["relationships have no :LABEL; remove it, or use :TYPE"] * bool(roles[_LABEL])
    return found
