"""Describe what tables become in a graph: kinds, relationships, and link tables, and how that was found."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ingestion.relational.names import is_description, is_name
from ingestion.relational.staged_tables import Columns, Share
from ingestion.relational.tables import Table


class Found(StrEnum):
    """Ways in which keys and references are known."""

    GIVEN = "given"
    DECLARED = "declared"
    BY_NAME_AND_VALUES = "by name and values"


@dataclass(frozen=True, slots=True)
class Key:
    """Name the columns that identify the rows of a table; without columns, the number of a row does.

    Attributes:
        columns: The columns.
        found: How they are known.
        suspect: A column that is named like the key, but whose values do not identify the rows.
        lost_references: The number of references to the suspect, which are not imported.
    """

    columns: Columns
    found: Found | None = None
    suspect: Columns = ()
    lost_references: int = 0


@dataclass(frozen=True, slots=True)
class Reference:
    """Describe columns that refer to the rows of a table by `target_columns`, and what this is called."""

    columns: Columns
    target: str
    target_columns: Columns
    type: str
    found: Found
    share: Share

    @property
    def is_complete(self) -> bool:
        """Return whether all rows that refer to one find it."""
        return self.share.found == self.share.referring


@dataclass(frozen=True, slots=True)
class MappedTable:
    """Describe what a table becomes.

    Attributes:
        table: The table.
        rows: The number of its rows.
        kind: The kind of its rows, unless it is a link table.
        key: What identifies its rows.
        references: The columns that become relationships.
        link_type: The type of the relationships that its rows are if it is a link table; otherwise empty.
        name_parts: The columns with the first and the last name of a person, which name the row together.
        misses: Columns that are named like references, but whose values are not those of the key.
    """

    table: Table
    rows: int
    kind: str
    key: Key
    references: tuple[Reference, ...] = ()
    link_type: str = ""
    name_parts: tuple[str, str] | None = None
    misses: tuple[Reference, ...] = ()

    @property
    def properties(self) -> tuple[str, ...]:
        """Return the columns that become properties: all but references."""
        referring = {column for reference in self.references for column in reference.columns}
        return tuple(one.name for one in self.table.columns if one.name not in referring)

    @property
    def has_name(self) -> bool:
        """Return whether columns name the rows, by what they are called."""
        return self.name_parts is not None or any(is_name(one, self.table.name) for one in self.properties)

    @property
    def name_without_name(self) -> str | None:
        """Return what names rows without a name: a description, or the key; None if this has several columns."""
        described = (one for one in self.properties if is_description(one, self.table.name))
        return next(described, self.key.columns[0] if len(self.key.columns) == 1 else None)


@dataclass(frozen=True, slots=True)
class GraphMapping:
    """Hold what each table becomes, by its name; `ignored` lists the files of a folder that are no tables."""

    tables: Mapping[str, MappedTable]
    ignored: tuple[str, ...] = ()

    @property
    def name_properties(self) -> dict[str, str | None]:
        """Return the properties that name the rows of tables without a name; None if their keys do.

        Rows that are counted are named as in other property graphs.
        """
        unnamed = [one for one in self.tables.values() if one.key.columns and not one.has_name]
        return {one.kind: one.name_without_name for one in unnamed}
