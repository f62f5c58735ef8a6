"""Find the columns that refer to the rows of a table: given, declared, or by their name and values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice

from ingestion.relational.mapping import Found, Key, Reference
from ingestion.relational.names import (
    KEY_WORDS,
    is_key_name,
    is_plain_title,
    is_title,
    named_tables,
    reference_type,
    words_in,
)
from ingestion.relational.overrides import Overrides, Target
from ingestion.relational.staged_tables import Columns, StagedTables
from ingestion.relational.tables import Table
from shared.errors import InvalidInputError
from shared.text import shown

MIN_SHARE = 0.95
"""The share of references that must be rows of the table that a column is named after."""


class ReferenceFinder:
    """Find the references of all tables, whose keys are known."""

    def __init__(
        self, tables: Sequence[Table], keys: Mapping[str, Key], staged: StagedTables, overrides: Overrides
    ) -> None:
        self._tables = {table.name: table for table in tables}
        self._keys = keys
        self._staged = staged
        self._overrides = overrides
        self._misses: dict[str, dict[Columns, Reference]] = {}

    def of_table(self, table: Table) -> tuple[Reference, ...]:
        """Return the references of a table in the order of their columns; no column is in two that are found."""
        found = [*self._given(table), *self._declared(table)]
        taken = {column for reference in found for column in reference.columns}
        for reference in (*self._composite(table), *self._single(table)):
            said = (table.name, reference.columns) in self._overrides.references
            if not said and not taken.intersection(reference.columns):
                found.append(reference)
                taken.update(reference.columns)
        places = {column.name: place for place, column in enumerate(table.columns)}
        found.sort(key=lambda one: [places[column] for column in one.columns])
        return _with_distinct_types(found)

    def misses(self, table: str, references: Sequence[Reference]) -> tuple[Reference, ...]:
        """Return what looked like references of a table by its name, unless its columns refer to something else."""
        taken = {column for reference in references for column in reference.columns}
        found = self._misses.get(table, {}).values()
        return tuple(one for one in found if not taken.intersection(one.columns))

    def _given(self, table: Table) -> Iterator[Reference]:
        for (source, columns), target in self._overrides.references.items():
            if source == table.name and target is not None:
                key = target.columns or self._keys[target.table].columns
                if len(key) != len(columns):
                    raise InvalidInputError(_no_such_key(table.name, columns, target.table, key))
                if repeated := self._staged.repeated(target.table, key) if target.columns else None:
                    raise InvalidInputError(_not_unique(table.name, columns, target, repeated))
                yield self._reference(table, columns, target.table, key, Found.GIVEN)

    def _declared(self, table: Table) -> Iterator[Reference]:
        names = {column.name for column in table.columns}
        for foreign in table.foreign_keys:
            said = (table.name, foreign.columns) in self._overrides.references
            if said or self._overrides.are_properties(table.name, foreign.columns):
                continue
            target = self._tables.get(foreign.target)
            columns = foreign.target_columns or self._keys[foreign.target].columns if target else ()
            known = {column.name for column in target.columns} if target else set()
            if names.issuperset(foreign.columns) and len(columns) == len(foreign.columns) and known.issuperset(columns):
                yield self._reference(table, foreign.columns, foreign.target, columns, Found.DECLARED)

    def _composite(self, table: Table) -> Iterator[Reference]:
        """Yield references by all columns of a key of several, if these have the same names in the table."""
        names = {column.name.lower(): column.name for column in table.columns}
        for target, key in self._keys.items():
            columns = tuple(names.get(column.lower(), "") for column in key.columns)
            if target != table.name and len(columns) > 1 and all(columns):
                yield from self._fitting(table, columns, target)

    def _single(self, table: Table) -> Iterator[Reference]:
        own = self._keys[table.name].columns
        for column in table.columns:
            names_row = is_key_name(column.name, table.name) or is_title(column.name, table.name)
            if own == (column.name,) and names_row:
                continue
            fitting = (self._fitting(table, (column.name,), one) for one in self._candidates(column.name, table))
            yield from islice(chain(chain.from_iterable(fitting), self._by_name(table, column.name)), 1)

    def _candidates(self, column: str, table: Table) -> list[str]:
        """Return the tables that a column is named after, or whose key has its name, the best first.

        Of two keys with the same name, neither refers to the other.
        """
        named = named_tables(column, table.name, list(self._tables))
        if self._keys[table.name].columns == (column,):
            return named
        alike = [
            target
            for target, key in self._keys.items()
            if target != table.name and _same_name(column, key.columns) and target not in named
        ]
        return named + alike

    def _by_name(self, table: Table, column: str) -> Iterator[Reference]:
        """Yield references to rows by their names, if these identify them; tables that people write have some."""
        for target in named_tables(column, table.name, list(self._tables)):
            names = [one.name for one in self._tables[target].columns if is_plain_title(one.name, target)]
            for name in names:
                is_other = (name,) != self._keys[target].columns and (table.name, column) != (target, name)
                if is_other and self._staged.is_key(target, (name,)):
                    yield from self._fitting(table, (column,), target, (name,))

    def _fitting(self, table: Table, columns: Columns, target: str, by: Columns = ()) -> Iterator[Reference]:
        """Yield a reference if nearly all values occur in the key, or in other columns."""
        key = by or self._keys[target].columns
        if len(key) != len(columns) or self._overrides.are_properties(table.name, columns):
            return
        reference = self._reference(table, columns, target, key, Found.BY_NAME_AND_VALUES)
        if reference.share.of_all >= MIN_SHARE:
            yield reference
        elif reference.share.referring:
            self._misses.setdefault(table.name, {}).setdefault(columns, reference)

    def _reference(self, table: Table, columns: Columns, target: str, key: Columns, found: Found) -> Reference:
        share = self._staged.share(table.name, columns, target, key)
        return Reference(columns, target, key, reference_type(columns, target), found, share)


def _same_name(column: str, key: Columns) -> bool:
    """Return whether a key is one column of this name, which is more than just `id`, `code`, or `name`."""
    is_general = KEY_WORDS.issuperset(words_in(column)) or is_title(column, "")
    return len(key) == 1 and key[0].lower() == column.lower() and not is_general


def _not_unique(table: str, columns: Columns, target: Target, repeated: tuple[str, int]) -> str:
    option = f"--reference {table}.{','.join(columns)}={target.table}.{','.join(target.columns)}"
    value, number = repeated
    return f"{option}: {number:,} rows of {target.table} have the value {shown(value)}; name columns that identify rows"


def _no_such_key(table: str, columns: Columns, target: str, key: Columns) -> str:
    option = f"--reference {table}.{','.join(columns)}={target}"
    if not key:
        return f"{option}: no column identifies the rows of {target}; say which one does with --key {target}=COLUMN"
    return f"{option}: the key of {target} is {', '.join(key)}; name as many columns, or set --key {target}=COLUMN"


def _with_distinct_types(references: Sequence[Reference]) -> tuple[Reference, ...]:
    """Name references of one table that would be called the same by all words of their columns."""
    types = [one.type for one in references]
    return tuple(
        one if types.count(one.type) == 1 else replace(one, type="_".join(map(_words, one.columns)).upper())
        for one in references
    )


def _words(column: str) -> str:
    return "_".join(words_in(column)) or column
