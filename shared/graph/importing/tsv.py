"""Tab-separated rows: subject, relation, object. A first line that names the three columns is a header."""

from collections.abc import Iterable

from shared.graph.importing.problems import Problems
from shared.graph.importing.rows import add_row, column
from shared.graph.importing.writer import GraphWriter


def read_tsv(lines: Iterable[tuple[int, str]], where: str, writer: GraphWriter, problems: Problems) -> None:
    """Add the rows of one file; blank lines are passed over."""
    for number, line in lines:
        fields = line.rstrip("\r\n").split("\t")
        if len(fields) == 3:
            if number > 1 or [column(field) for field in fields] != [0, 1, 2]:
                add_row(fields, writer, problems, where, number)
        elif line.strip():
            problems.add(
                where, number, f"expected 3 tab-separated fields (subject, relation, object), found {len(fields)}"
            )
