"""Comma-separated rows with quotes as in RFC 4180, below a header that names the three columns in any order."""

import csv
from collections.abc import Iterable, Iterator

from ingestion.lines import Blocks, lines_of
from ingestion.problems import Problems
from ingestion.rows import COLUMNS, add_row, column
from ingestion.sqlite_writer import GraphWriter


def read_csv(blocks: Blocks, where: str, writer: GraphWriter, problems: Problems) -> None:
    """Add the rows of one file; blank lines are passed over."""
    rows = _rows(lines_of(blocks, where, problems), where, problems)
    first = next(rows, None)
    if first is None:
        return
    order = _order(first[1], where, first[0], problems)
    if order is None:
        return
    for number, fields in rows:
        if len(fields) != len(COLUMNS):
            problems.add(
                where, number, f"expected 3 comma-separated fields ({', '.join(first[1])}), found {len(fields)}"
            )
        else:
            add_row([fields[place] for place in order], writer, problems, where, number)


def _rows(lines: Iterable[tuple[int, str]], where: str, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, with the number of the line on which each begins."""
    number = 0

    def texts() -> Iterator[str]:
        nonlocal number
        for number, line in lines:  # noqa: B007 (read below)
            yield line

    reader = csv.reader(texts(), strict=True)
    begins = 1
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                yield begins, fields
            begins = number + 1
    except csv.Error as error:
        what = "a field without end" if "limit" in str(error) else f"broken quotes ({error})"
        problems.add(where, begins, f"{what}; close each quote and double those inside a field")


def _order(header: list[str], where: str, line: int, problems: Problems) -> list[int] | None:
    """Where the header puts subject, relation and object; None if it does not name exactly these."""
    columns = [column(name) for name in header]
    extra = [name for name, place in zip(header, columns, strict=True) if place is None]
    if columns.count(None) == len(columns):
        problems.add(where, line, f"expected a header naming the columns {', '.join(COLUMNS)}, found {header}; add it")
    elif extra:
        problems.add(where, line, f"unknown columns {', '.join(extra)}; keep only {', '.join(COLUMNS)}")
    elif sorted(place for place in columns if place is not None) != [0, 1, 2]:
        problems.add(where, line, f"expected {', '.join(COLUMNS)} once each in the header, found {', '.join(header)}")
    else:
        return [columns.index(place) for place in range(len(COLUMNS))]
    return None
