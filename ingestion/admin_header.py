"""Read the header of a CSV file of `neo4j-admin database import`: what each column holds.

Nodes have `personId:ID(Person)`, `name`, `born:int`, and `:LABEL`; relationships have `:START_ID(Person)`,
`:END_ID(Film)`, `:TYPE`, and properties.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from ingestion.column_zones import column_zone
from ingestion.source_lines import field_problem
from ingestion.typed_values import (
    BadValueError,
    Parser,
    parse_boolean,
    parse_character,
    parse_date,
    parse_datetime,
    parse_duration,
    parse_float,
    parse_integer,
    parse_text,
)
from shared.text import shown

ID, START, END, LABEL, TYPE, IGNORE = "ID", "START_ID", "END_ID", "LABEL", "TYPE", "IGNORE"
PROPERTY = "property"
# A column without a type that holds lists, because most things have several other names or none.
_ALIASES = "aliases"
ENDS = (START, END)
FLOATS = ("float", "double")
UNSTORABLE = {"point": "points", "time": "times", "localtime": "times", "vector": "vectors"}
"""Types of neo4j-admin that no property can hold, and what reports call their values."""
VERBATIM = ("string", "char")
"""Types whose cells keep the spaces around them."""
PARSERS: dict[str, Parser] = {
    **dict.fromkeys(("int", "long", "short", "byte"), parse_integer),
    **dict.fromkeys(FLOATS, parse_float),
    "boolean": parse_boolean,
    "char": parse_character,
    "string": parse_text,
    "date": parse_date,
    **dict.fromkeys(("datetime", "localdatetime"), parse_datetime),
    "duration": parse_duration,
}
_MARK = "ID|START_ID|END_ID|LABEL|TYPE|IGNORE"
# Options of neo4j-admin; only the time zone changes what is stored here.
_OPTIONS = re.compile(
    r"\s*\{\s*(?:id-type|label|crs|timezone|coordinateType|dimensions)\s*:[^{}]*\}\s*$", re.IGNORECASE
)
_MARKED = re.compile(rf"(?P<name>[^:]*):(?P<role>{_MARK})(?:\((?P<group>[^()]*)\))?", re.IGNORECASE)
_ROLE = re.compile(rf":\s*(?:{_MARK})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Column:
    """Describe one column; `name` is the name of its property, and empty if it has none.

    Datetimes that have no time zone are in `zone`, if the header has one.
    """

    title: str
    role: str
    name: str = ""
    group: str = ""
    type_: str = "string"
    is_array: bool = False
    zone: tzinfo | None = None

    @property
    def is_untyped(self) -> bool:
        """Return whether the column holds texts only because the header declares no type."""
        return self.role == PROPERTY and self.title == self.name and not self.is_array


def is_admin_header(line: str) -> bool:
    """Return whether the first line of a table is a header of `neo4j-admin`, which may be malformed."""
    return _ROLE.search(line) is not None


def is_key(title: str) -> bool:
    """Return whether the title of a column marks it as an ID; `:LABEL` is also a relation in tables of facts."""
    marked = _MARKED.fullmatch(_OPTIONS.sub("", title.strip()))
    return marked is not None and marked["role"].upper() in (ID, *ENDS)


def is_marked(title: str) -> bool:
    """Return whether the title of a column is marked with its role, such as `:ID(Person)`."""
    return _MARKED.fullmatch(_OPTIONS.sub("", title.strip())) is not None


def read_header(titles: Sequence[str], given: str = "") -> tuple[list[Column], list[str]]:
    """Return the columns of a header, and what is wrong with it.

    `given` is ID if the header must describe nodes, which need no IDs then, TYPE if it must describe relationships
    whose type is given elsewhere, and START_ID if it must describe relationships.
    """
    columns, problems = [], []
    for number, title in enumerate(titles, 1):
        try:
            columns.append(_column(title, number))
        except BadValueError as error:
            problems.append(str(error))
    return columns, problems or _role_problems(columns, given)


def _column(title: str, number: int) -> Column:
    if not title:
        raise BadValueError(f"field {number} of the header is empty; name the column or mark it :IGNORE")
    plain = _OPTIONS.sub("", title)
    if marked := _MARKED.fullmatch(plain):
        return _marked_column(title, **marked.groupdict())
    if _ROLE.search(title):
        raise BadValueError(
            f"the column {shown(title)} is not valid; write one of :ID, :ID(Group), :START_ID, :END_ID, :LABEL, :TYPE, "
            "and :IGNORE, and separate columns by commas, tabs, semicolons, or bars"
        )
    name, colon, type_ = plain.rpartition(":")
    if not colon:
        name, type_ = plain, "string"
    element = type_.strip().lower().removesuffix("[]")
    if element not in PARSERS and element not in UNSTORABLE:
        known = ", ".join(PARSERS)
        raise BadValueError(
            f"unknown type {shown(type_)} of the column {shown(title)}; expected {known}, or one of these with []"
        )
    if problem := field_problem(f"name of the column {shown(title)}", name):
        raise BadValueError(problem)
    zone = column_zone(title, element)
    is_array = type_.strip().endswith("[]") or (name == _ALIASES and not colon)
    return Column(title, PROPERTY, name, type_=element, is_array=is_array, zone=zone)


def _marked_column(title: str, name: str, role: str, group: str | None) -> Column:
    if group is not None and role.upper() not in (ID, *ENDS):
        raise BadValueError(f"the column {shown(title)} cannot have a group; remove it")
    if group is not None and (not group or ":" in group):
        raise BadValueError(f"the group of the column {shown(title)} is empty or contains a colon; rename it")
    return Column(title, role.upper(), name if role.upper() == ID else "", group or "")


def _role_problems(columns: Sequence[Column], given: str) -> list[str]:
    """Describe which columns of a header are repeated, missing, or in the wrong kind of file."""
    roles = Counter(column.role for column in columns)
    names = Counter(column.name for column in columns if column.name)
    repeated = [f":{role}" for role in roles if roles[role] > 1 and role not in (PROPERTY, IGNORE)]
    repeated += [f"for the property {shown(name)}" for name in names if names[name] > 1]
    found = [f"the header has several columns {what}; keep one" for what in repeated]
    if given and bool(roles[ID]) != (given == ID) and (roles[ID] or any(roles[role] for role in ENDS)):
        what = "nodes" if roles[ID] else "relationships"
        return [*found, f"the header describes {what}; give the file with --{what}"]
    if roles[ID]:
        found += [f"a header with :ID describes nodes; remove :{role}" for role in (*ENDS, TYPE) if roles[role]]
    elif not any(roles[role] for role in ENDS):
        if given == ID:
            return found  # each row is a node of its own
        found.append("the header has neither :ID, for nodes, nor :START_ID and :END_ID, for relationships; add them")
    else:
        found += _relationship_problems(roles, given)
    return found


def _relationship_problems(roles: Counter[str], given: str) -> list[str]:
    missing = [role for role in ENDS if not roles[role]]
    found = [f"the header of a relationship file has no column :{role}; add it" for role in missing]
    if not roles[TYPE] and given != TYPE:
        found.append(
            "the header of a relationship file has no column :TYPE; add it, or give the type on the command line: "
            "--relationships TYPE=FILE"
        )
    if roles[LABEL]:
        found.append("relationships have no :LABEL; remove it, or use :TYPE")
    return found
