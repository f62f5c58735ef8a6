"""Read rows from the lines of a CSV file, quoted as in RFC 4180."""

import csv
from collections.abc import Iterable, Iterator

from ingestion.rejections import NOT_UTF8, Problems
from ingestion.source_lines import encoding_problem


def csv_rows(
    lines: Iterable[tuple[int, str]], problems: Problems, delimiter: str = ","
) -> Iterator[tuple[int, list[str]]]:
    """Yield the non-blank rows, each with the number of its first line; reject rows that are not UTF-8."""
    number = 0
    problem: str | None = None

    def texts() -> Iterator[str]:
        nonlocal number, problem
        for number, line in lines:  # noqa: B007 (read below)
            problem = problem or encoding_problem(line)
            yield line

    first = 1
    try:
        for fields in csv.reader(texts(), delimiter=delimiter, strict=True):
            if problem:
                problems.reject_line(first, NOT_UTF8, problem)
            elif any(field.strip() for field in fields):
                yield first, fields
            first, problem = number + 1, None
    except csv.Error as error:
        fault = "a field is not closed" if "limit" in str(error) else f"invalid quotes ({error})"
        problems.add(first, f"{fault}; close each quote and double the quotes inside a field")
