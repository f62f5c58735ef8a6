"""Find the columns that identify the rows of a table: given, declared, or by their name and values."""

from collections.abc import Iterator, Mapping, Sequence

from ingestion.relational.mapping import Found, Key
from ingestion.relational.names import (
    is_any_key_name,
    is_key_name,
    is_plain_title,
    named_tables,
)
from ingestion.relational.overrides import Overrides
from ingestion.relational.staged_tables import Columns, StagedTables
from ingestion.relational.tables import Table
from shared.errors import InvalidInputError
from shared.text import shown


def find_keys(tables: Sequence[Table], staged: StagedTables, overrides: Overrides) -> dict[str, Key]:
    """Return the key of each table; raise InvalidInputError if several rows have a key that the user gives."""
    names = [table.name for table in tables]
    return {table.name: _key(table, names, staged, overrides.keys) for table in tables}


def _key(table: Table, tables: Sequence[str], staged: StagedTables, given: Mapping[str, Columns]) -> Key:
    if columns := given.get(table.name):
        if repeated := staged.repeated(table.name, columns):
            key, number = repeated
            raise InvalidInputError(
                f"--key {table.name}={','.join(columns)}: {number:,} rows of {table.place} have the value "
                f"{shown(key)}; correct them, or give columns that identify each row"
            )
        return Key(columns, Found.GIVEN)
    if table.key:
        return Key(table.key, Found.DECLARED)
    for column in _candidates(table, tables):
        if staged.is_key(table.name, (column,)):
            return Key((column,), Found.BY_NAME_AND_VALUES)
    return Key(())


def _candidates(table: Table, tables: Sequence[str]) -> Iterator[str]:
    """Yield the columns that may be the key by their name, the best first.

    These are those named after the table, or just `id`; a first column that is named like any key, such as `emp_no`,
    unless it is named after another table; and last a name, by which tables that people write refer to others.
    """
    names = [column.name for column in table.columns]
    yield from (name for name in names if is_key_name(name, table.name))
    first = names[0] if names else ""
    others = [one for one in tables if one != table.name]
    if is_any_key_name(first) and not named_tables(first, table.name, others):
        yield first
    yield from (name for name in names if is_plain_title(name, table.name))
