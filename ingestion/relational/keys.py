"""Find the columns that identify the rows of a table: given, declared, or by their name and values."""

from collections.abc import Iterator, Sequence

from ingestion.relational.mapping import Found, Key
from ingestion.relational.names import (
    is_any_key_name,
    is_key_name,
    is_plain_title,
    named_tables,
)
from ingestion.relational.overrides import Overrides
from ingestion.relational.references import MIN_SHARE
from ingestion.relational.staged_tables import Columns, StagedTables
from ingestion.relational.tables import Table
from shared.errors import InvalidInputError
from shared.text import shown

_MAX_FAULTY_SHARE = 0.05


def find_keys(tables: Sequence[Table], staged: StagedTables, overrides: Overrides) -> dict[str, Key]:
    """Return the key of each table; raise InvalidInputError if several rows have a key that the user gives."""
    finder = _KeyFinder(tables, staged, overrides)
    return {table.name: finder.of_table(table) for table in tables}


class _KeyFinder:
    """Find the keys of all tables."""

    def __init__(self, tables: Sequence[Table], staged: StagedTables, overrides: Overrides) -> None:
        self._tables = tables
        self._names = [table.name for table in tables]
        self._staged = staged
        self._overrides = overrides

    def of_table(self, table: Table) -> Key:
        """Return the key of one table."""
        if columns := self._overrides.keys.get(table.name):
            return self._given(table, columns)
        if table.key:
            return Key(table.key, Found.DECLARED)
        named = list(self._named_like_keys(table))
        exact = self._first_exact(table, named)
        faulty = [column for column in named if not self._staged.is_key(table.name, (column,))]
        if exact is None or (faulty and not self._references_to(table, exact)):
            for column in faulty:
                if self._has_few_faults(table, column) and self._references_to(table, column):
                    return Key((column,), Found.BY_NAME_AND_VALUES)
        if exact is not None:
            return Key((exact,), Found.BY_NAME_AND_VALUES)
        return self._of_titles(table, faulty)

    def _given(self, table: Table, columns: Columns) -> Key:
        if repeated := self._staged.repeated(table.name, columns):
            key, number = repeated
            raise InvalidInputError(
                f"--key {table.name}={','.join(columns)}: {number:,} rows of {table.place} have the value "
                f"{shown(key)}; correct them, or give columns that identify each row"
            )
        return Key(columns, Found.GIVEN)

    def _named_like_keys(self, table: Table) -> Iterator[str]:
        """Yield the columns that are named like the key of a table, the best first.

        These are those named after the table, or just `id`, and a first column that is named like any key, such as
        `emp_no`, unless it is named after another table.
        """
        names = [column.name for column in table.columns]
        found = [name for name in names if is_key_name(name, table.name)]
        yield from found
        first = names[0] if names else ""
        others = [one for one in self._names if one != table.name]
        if first not in found and is_any_key_name(first) and not named_tables(first, table.name, others):
            yield first

    def _of_titles(self, table: Table, faulty: Sequence[str]) -> Key:
        """Return a name as the key, by which tables that people write refer to others; otherwise, no columns."""
        suspect = self._first_suspect(table, faulty)
        lost = self._references_to(table, suspect[0]) if suspect else 0
        titles = [column.name for column in table.columns if is_plain_title(column.name, table.name)]
        exact = self._first_exact(table, titles)
        if exact is not None:
            return Key((exact,), Found.BY_NAME_AND_VALUES, suspect, lost)
        for column in titles:
            if self._has_few_faults(table, column) and self._references_to(table, column):
                return Key((column,), Found.BY_NAME_AND_VALUES, suspect, lost)
        return Key((), None, suspect, lost)

    def _first_exact(self, table: Table, columns: Sequence[str]) -> str | None:
        return next((column for column in columns if self._staged.is_key(table.name, (column,))), None)

    def _first_suspect(self, table: Table, columns: Sequence[str]) -> Columns:
        """Return a column that looks like the key except for its values, which is worth a warning."""
        suspects = (one for one in columns if self._has_few_faults(table, one) or self._references_to(table, one))
        return next(((column,) for column in suspects), ())

    def _has_few_faults(self, table: Table, column: str) -> bool:
        """Return whether a column identifies all rows but one, or nearly all, and most rows in any case."""
        rows = self._staged.count(table.name)
        faults = self._staged.unidentified(table.name, (column,))
        return faults <= max(1, int(rows * _MAX_FAULTY_SHARE)) and 2 * faults < rows - faults

    def _references_to(self, table: Table, column: str) -> int:
        """Count the references of columns that are named after a table, and nearly all of whose values occur in one."""
        if not self._staged.count(table.name):
            return 0
        shares = [
            self._staged.share(source, (referring,), table.name, (column,))
            for source, referring in self._referring(table.name)
            if (source, referring) != (table.name, column)
        ]
        return sum(share.found for share in shares if share.of_all >= MIN_SHARE)

    def _referring(self, target: str) -> Iterator[tuple[str, str]]:
        """Yield the columns that refer to a table by what the user says, or by their names."""
        for table in self._tables:
            for column in table.columns:
                place = table.name, (column.name,)
                if place in self._overrides.references:
                    said = self._overrides.references[place]
                    is_named = said is not None and said.table == target
                else:
                    is_named = target in named_tables(column.name, table.name, self._names)
                if is_named:
                    yield table.name, column.name
