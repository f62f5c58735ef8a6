"""Describe tables as their source declares them, whatever file they are in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from graph.plan.composed_form import composed
from graph.plan.values import Value
from ingestion.source_lines import field_problem
from shared.errors import InvalidInputError
from shared.text import shown, without_invisible

ADVICE = "end the programs that write to it, or copy it again"
"""What to do if a database cannot be read."""


class TextTyping(StrEnum):
    """Say which types the texts of a column may have: any, as in CSV; those that SQLite lacks; or none but text."""

    ANY = "any"
    DATES = "dates"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Column:
    """Name a column, and say how its texts are read."""

    name: str
    typing: TextTyping = TextTyping.NONE


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Name columns that refer to a table; without `target_columns`, they refer to its key."""

    columns: tuple[str, ...]
    target: str
    target_columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """Describe a table.

    Attributes:
        name: Its name in its source.
        place: What reports call it, such as `orders.csv` or `shop.db, table orders`.
        columns: Its columns that can be imported.
        key: The columns of the declared primary key, if there is one.
        foreign_keys: The declared foreign keys.
        unit: What reports count in it: lines of a text, or rows.
        left_out: Its columns that cannot be imported, each with the reason.
    """

    name: str
    place: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    unit: str = "row"
    left_out: tuple[tuple[str, str], ...] = ()


Row = tuple[int, Sequence[Value | None]]
"""The number of a row or line, and its values in the order of the columns; None for missing ones."""


class TableSource(Protocol):
    """Read the tables of a folder or a database. Sources record values that they leave out."""

    @property
    def tables(self) -> Sequence[Table]:
        """Return the tables in the order of their names."""

    def rows(self, table: Table) -> Iterator[Row]:
        """Yield the rows of a table in their order."""

    def close(self) -> None:
        """Close the files."""


def clean_title(title: str) -> str:
    """Return the title of a column without invisible characters, in one Unicode form."""
    return composed(without_invisible(title.strip()))


def titled_columns(titles: Sequence[str], place: str) -> tuple[list[str], tuple[tuple[str, str], ...]]:
    """Return the titles that a first row gives, and the columns without one, which are left out, with the reason.

    Raises InvalidInputError if a title is not valid, or occurs twice; `place` names the row.
    """
    cleaned = [clean_title(title) for title in titles]
    for title in filter(None, cleaned):
        if cleaned.count(title) > 1:
            raise InvalidInputError(f"{place}: several columns are called {shown(title)}; rename one")
        if problem := field_problem("name of a column", title):
            raise InvalidInputError(f"{place}: {problem}")
    unnamed = [place for place, title in enumerate(cleaned, 1) if not title]
    return cleaned, tuple((f"column {place}", "it has no name in the first row") for place in unnamed)
