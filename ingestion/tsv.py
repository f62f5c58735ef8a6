"""Tab-separated rows: subject, relation, object. A first line that names the three columns is a header."""

import numpy as np

from ingestion.lines import Blocks, lines_of
from ingestion.problems import LONGEST_FIELD, Problems
from ingestion.rows import ALIAS, add_row, column
from ingestion.sqlite_writer import GraphWriter

_TAB, _NEWLINE, _BLANK, _CARET = b"\t\n ^"


def read_tsv(blocks: Blocks, where: str, writer: GraphWriter, problems: Problems) -> None:
    """Add the rows of one file; blank lines are passed over."""
    for first, block in blocks:
        fields = _plain_fields(block)
        if fields is None or (first == 1 and _is_header(fields[:3])):
            _add_lines(first, block, where, writer, problems)
        elif ALIAS in fields[1::3]:
            for number, row in enumerate(zip(fields[::3], fields[1::3], fields[2::3], strict=True), first):
                add_row(row, writer, problems, where, number)
        else:
            writer.facts(fields)


def _add_lines(first: int, block: bytes, where: str, writer: GraphWriter, problems: Problems) -> None:
    """Look at each line by itself, to say what is wrong with it."""
    for number, line in lines_of([(first, block)], where, problems):
        fields = line.rstrip("\r\n").split("\t")
        if len(fields) == 3:
            if number > 1 or not _is_header(fields):
                add_row(fields, writer, problems, where, number)
        elif line.strip():
            problems.add(
                where, number, f"expected 3 tab-separated fields (subject, relation, object), found {len(fields)}"
            )


def _plain_fields(block: bytes) -> list[str] | None:
    """All fields of a block of rows if none needs mending or may be wrong, else None.

    Nearly all blocks of a large file are so, and to look at them as a whole is several times faster.
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
        or (edges == _BLANK).any()
        or (signs[starts[1::3]] == _CARET).any()
        or (ends[2::3] - starts[::3]).max() > LONGEST_FIELD
    ):
        return None
    try:
        fields = block.decode().replace("\n", "\t").split("\t")
    except UnicodeDecodeError:
        return None
    fields.pop()
    return fields if "".join(fields).isprintable() else None


def _is_header(fields: list[str]) -> bool:
    return [column(field) for field in fields] == [0, 1, 2]
