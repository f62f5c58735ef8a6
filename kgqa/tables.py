"""Tables for people."""

from collections.abc import Iterable

from rich.table import Table

from kgqa.console import out


def print_table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """A plain table on stdout; what does not fit is folded, never cut."""
    table = Table(*head, box=None, pad_edge=False)
    for column in table.columns:
        column.overflow = "fold"
    for row in rows:
        table.add_row(*row)
    out.print(table)
