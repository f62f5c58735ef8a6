"""Recognise tables with a row for each thing and a column for each property, and say how to import them."""

import re
from collections.abc import Sequence

from ingestion.csv_rows import RowFormat, split_row
from ingestion.fact_columns import COLUMNS, header_order
from shared.text import shortened


def other_table(lines: Sequence[tuple[int, str]], row_format: RowFormat, file: str) -> str | None:
    """Say what a table is whose first lines all have the same number of fields, which is not three; else None."""
    rows = [split_row(line.rstrip("\r\n"), row_format) or [] for _, line in lines if line.strip()]
    widths = {len(fields) for fields in rows}
    if len(rows) < 2 or len(widths) > 1 or widths <= {1, len(COLUMNS)} or header_order(rows[0]):
        return None
    if not any(any(field.strip() for field in fields[len(COLUMNS) :]) for fields in rows):
        return None
    return f"expected 3 fields ({', '.join(COLUMNS)}), found {len(rows[0])} on each line; {row_advice(file)}"


def row_advice(file: str) -> str:
    """Say how to import a table that has a row for each thing, such as `books.csv`."""
    kind = re.sub(r"\W+", "", file.partition(".")[0].title()) or "Thing"
    return f"if each row is a thing, import the file with --nodes {shortened(kind)}={shortened(file)}"
