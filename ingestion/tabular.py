"""Read rows of subject, relation, and object from TSV and CSV files.

In TSV, a first line that names the three columns is a header. CSV is quoted as in RFC 4180, and its header names the
three columns in any order; a header with columns such as `:ID` marks a property graph, which `admin_csv` reads. Two
relations are reserved: the object of `alias` is another name for its subject, and the object of `:LABEL` is its kind.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from ingestion.admin_csv import is_admin_header, read_admin_csv
from ingestion.csv_rows import csv_rows
from ingestion.name_cleaning import composed
from ingestion.rejections import Problems
from ingestion.source_lines import (
    MAX_FIELD_LENGTH,
    Blocks,
    decode_all_lines,
    decode_lines,
    encoding_problem,
    field_problem,
)
from ingestion.sqlite_writer import GraphWriter
from ingestion.typed_values import listed
from shared.graph.store import INVERSE

_ALIAS, _KIND = "alias", ":LABEL"
_COLUMNS = ("subject", "relation", "object")
_COLUMN_NAMES = ({"subject", "head", "s", "source"}, {"relation", "predicate", "p"}, {"object", "tail", "o", "target"})
_NOT_THREE, _BAD_FIELD = "lines that do not have three fields", "lines with an invalid field"
_TAB, _NEWLINE, _SPACE, _CARET = b"\t\n ^"


def read_tsv(blocks: Blocks, writer: GraphWriter, problems: Problems) -> None:
    """Add the rows of one TSV file, skipping blank lines."""
    for first, block in blocks:
        fields = _plain_fields(block)
        if fields is None or (first == 1 and _is_header(fields[:3])):
            _add_lines(first, block, writer, problems)
        elif not {_ALIAS, _KIND}.isdisjoint(fields[1::3]):
            for number, row in enumerate(zip(fields[::3], fields[1::3], fields[2::3], strict=True), first):
                _add_row(row, writer, problems, number)
        else:
            writer.add_triples(fields)


def read_csv(blocks: Blocks, writer: GraphWriter, problems: Problems) -> None:
    """Add the rows of one CSV file, skipping blank lines."""
    rest = decode_all_lines(blocks)
    begin = []
    for number, text in rest:
        begin.append((number, text))
        if text.strip():
            break
    if begin and (problem := encoding_problem(begin[-1][1])):
        problems.add(begin[-1][0], problem)
        writer.ids.skip_file()
        return
    lines = chain(begin, rest)
    if begin and is_admin_header(begin[-1][1]):
        read_admin_csv(lines, begin[-1][1], writer, problems)
    else:
        _read_facts(csv_rows(lines, problems), writer, problems)


def _read_facts(rows: Iterator[tuple[int, list[str]]], writer: GraphWriter, problems: Problems) -> None:
    """Add the rows below a header that names the columns subject, relation, and object."""
    line, header = next(rows, (0, []))
    order = _column_order(header, line, problems) if header else None
    if order is None:
        if header:
            writer.ids.skip_file()  # the file may be meant to hold nodes
        return
    for number, fields in rows:
        if len(fields) == len(_COLUMNS):
            _add_row([fields[place] for place in order], writer, problems, number)
        else:
            problem = f"expected 3 comma-separated fields ({listed(header)}), found {len(fields)}"
            problems.reject_line(number, _NOT_THREE, problem)


def _add_row(fields: Sequence[str], writer: GraphWriter, problems: Problems, line: int) -> None:
    """Add a row of subject, relation, and object, or record what is wrong with it."""
    subject, relation, object_ = (writer.clean(field.strip()) for field in fields)
    # Test the whole row at once, which is cheap. Only bad rows need a diagnosis, and they are rare.
    text = "".join((subject, relation, object_))
    is_plain = subject and relation and object_ and text.isprintable() and len(text) <= MAX_FIELD_LENGTH
    if not is_plain or relation.startswith(INVERSE):
        for role, field in zip(_COLUMNS, (subject, relation, object_), strict=True):
            if problem := field_problem(role, field):
                problems.reject_line(line, _BAD_FIELD, problem)
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
        if len(fields) == 3:
            if number > 1 or not _is_header(fields):
                _add_row(fields, writer, problems, number)
        elif line.strip():
            problem = f"expected 3 tab-separated fields (subject, relation, object), found {len(fields)}"
            problems.reject_line(number, _NOT_THREE, problem)


def _plain_fields(block: bytes) -> list[str] | None:
    """Return all fields of a TSV block, or None if a row may be invalid or need cleaning.

    Nearly all blocks of a large file are plain, and parsing a whole block is several times faster than parsing rows.
    """
    block = block.replace(b"\r\n", b"\n")
    if not block.endswith(b"\n"):
        block += b"\n"
    signs = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero((signs == _TAB) | (signs == _NEWLINE))
    if len(ends) % 3 or (signs[ends].reshape(-1, 3) != (_TAB, _TAB, _NEWLINE)).any():
        return None
    starts = np.concatenate(([0], ends[:-1] + 1))
    edges = np.concatenate((signs[starts], signs[ends - 1]))
    if (
        (starts == ends).any()
        or (edges == _SPACE).any()
        or (signs[starts[1::3]] == _CARET).any()
        or (ends[2::3] - starts[::3]).max() > MAX_FIELD_LENGTH
    ):
        return None
    try:
        fields = block.decode().replace("\n", "\t").split("\t")[:-1]
    except UnicodeDecodeError:
        return None
    text = "".join(fields)
    return fields if text.isprintable() and composed(text) == text else None


def _column_order(header: list[str], line: int, problems: Problems) -> list[int] | None:
    """Return the positions of subject, relation, and object, or None if the header does not name exactly these."""
    columns = [_column(name) for name in header]
    unknown = [name for name, column in zip(header, columns, strict=True) if column is None]
    expected, found = ", ".join(_COLUMNS), listed(header)
    if len(unknown) == len(header):
        problems.add(
            line,
            f"expected a header naming the columns {expected}, found {found}; add the header, or for a property graph, "
            "one with :ID or with :START_ID, :END_ID, and :TYPE",
        )
    elif unknown:
        problems.add(line, f"unknown column{'s' * (len(unknown) > 1)} {listed(unknown)}; keep only {expected}")
    elif sorted(column for column in columns if column is not None) != [0, 1, 2]:
        problems.add(line, f"expected {expected} once each in the header, found {found}; correct the header")
    else:
        return [columns.index(column) for column in range(len(_COLUMNS))]
    return None


def _is_header(fields: list[str]) -> bool:
    return [_column(field) for field in fields] == [0, 1, 2]


def _column(name: str) -> int | None:
    return next((column for column, names in enumerate(_COLUMN_NAMES) if name.strip().lower() in names), None)
