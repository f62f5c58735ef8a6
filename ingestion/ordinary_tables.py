"""Recognise tables with a row for each thing and a column for each property, and say how to import them."""

import re
from collections.abc import Sequence

from ingestion.csv_rows import RowFormat, split_row
from ingestion.fact_columns import COLUMNS, header_order
from ingestion.typed_values import listed
from shared.text import shortened

# Titles of a first column that identifies or names things, in English, German, French, Spanish, and Italian.
_KEY = re.compile(r"(?:.*[ _])?(?:id|name|title|label|code|key|titel|nom|titre|nombre|título|nome|titolo)|.*[a-z]I[Dd]")
_DIGIT = re.compile(r"\d")
_MIN_ROWS = 3


def other_table(lines: Sequence[tuple[int, str]], row_format: RowFormat, file: str) -> str | None:
    """Say what a table is whose first lines all have the same number of fields, which is not three; else None."""
    rows = [split_row(line.rstrip("\r\n"), row_format) or [] for _, line in lines if line.strip()]
    widths = {len(fields) for fields in rows}
    if len(rows) < 2 or len(widths) > 1 or widths <= {1, len(COLUMNS)} or header_order(rows[0]):
        return None
    if not any(any(field.strip() for field in fields[len(COLUMNS) :]) for fields in rows):
        return None
    return f"expected 3 fields ({', '.join(COLUMNS)}), found {len(rows[0])} on each line; {row_advice(file)}"


def likely_header(lines: Sequence[tuple[int, str]], row_format: RowFormat, file: str) -> str | None:
    """Say which first line of three fields is probably the header of a table, and how to import this; else None.

    Its relation and its subject occur on no other line, and the lines below differ from it: their cells in a column all
    have digits, or begin with capitals, or its first title is one such as `name`. Facts may look like this, too.
    """
    split = [(number, split_row(line.rstrip("\r\n"), row_format) or []) for number, line in lines if line.strip()]
    rows = [(number, [field.strip() for field in fields]) for number, fields in split if len(fields) == len(COLUMNS)]
    if len(rows) < _MIN_ROWS or rows[0][0] != split[0][0] or header_order(rows[0][1]):
        return None
    (number, titles), *below = rows
    columns = list(zip(*(fields for _, fields in below), strict=True))
    if titles[0] in columns[0] or titles[1] in columns[1] or not _differs(titles, columns):
        return None
    return (
        f"{file}, line {number}: {listed(titles)} is a fact here, but looks like the header of a table; "
        f"{row_advice(file)}; if each row is a fact, name the columns {', '.join(COLUMNS)}"
    )


def _differs(titles: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Return whether titles are of another form than the cells of their columns."""
    if any(map(_DIGIT.search, titles)):
        return False
    has_digits = any(all(map(_DIGIT.search, cells)) for cells in columns)
    begins_small = all(
        title[:1].islower() and all(cell[:1].isupper() for cell in cells)
        for title, cells in zip(titles[:2], columns[:2], strict=True)
    )
    return has_digits or begins_small or bool(_KEY.fullmatch(titles[0].lower()) or _KEY.fullmatch(titles[0]))


def row_advice(file: str) -> str:
    """Say how to import a table that has a row for each thing, such as `books.csv`."""
    kind = re.sub(r"\W+", "", file.partition(".")[0].title()) or "Thing"
    return f"if each row is a thing, import the file with --nodes {shortened(kind)}={shortened(file)}"
