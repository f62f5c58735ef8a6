"""Split whole blocks of TSV into fields."""

import numpy as np

from graph.plan.composed_form import composed
from ingestion.source_lines import MAX_FIELD_LENGTH

_TAB, _NEWLINE, _SPACE, _CARET = b"\t\n ^"


def plain_fields(block: bytes) -> list[str] | None:
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
