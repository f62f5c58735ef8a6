"""Read rows from the lines of a CSV file, quoted as in RFC 4180."""

import csv
from collections.abc import Iterable, Iterator

from ingestion.source_lines import Problems


def csv_rows(
    lines: Iterable[tuple[int, str]], problems: Problems, delimiter: str = ","
) -> Iterator[tuple[int, list[str]]]:
    """Yield the non-blank rows, each with the number of its first line."""
    number = 0

    def texts() -> Iterator[str]:
        nonlocal number
        for number, line in lines:  # noqa: B007 (read below)
            yield line

    first = 1
    try:
        for fields in csv.reader(texts(), delimiter=delimiter, strict=True):
            if any(field.strip() for field in fields):
                yield first, fields
            first = number + 1
    except csv.Error as error:
        problem = "a field is not closed" if "limit" in str(error) else f"invalid quotes ({error})"
        problems.add(first, f"{problem}; close each quote and double the quotes inside a field")
