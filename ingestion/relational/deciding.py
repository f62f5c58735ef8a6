"""Decide what tables become in a graph."""

from collections.abc import Sequence

from ingestion.relational.keys import find_keys
from ingestion.relational.mapping import Found, GraphMapping, Key, MappedTable, Reference
from ingestion.relational.names import is_title, kinds_of, link_type, name_parts, reference_type
from ingestion.relational.overrides import Overrides
from ingestion.relational.references import ReferenceFinder
from ingestion.relational.staged_tables import StagedTables
from ingestion.relational.tables import Table

_MAX_COLUMNS_OF_LINK = 3


def decide(
    tables: Sequence[Table], staged: StagedTables, overrides: Overrides, ignored: Sequence[str] = ()
) -> GraphMapping:
    """Decide by what is declared, what the user says, and the names and values of columns."""
    keys = find_keys(tables, staged, overrides)
    finder = ReferenceFinder(tables, keys, staged, overrides)
    references = {table.name: finder.of_table(table) for table in tables}
    referred = {one.target for found in references.values() for one in found}
    kinds = kinds_of([table.name for table in tables])
    mapped = {}
    for table in tables:
        found, key = references[table.name], keys[table.name]
        is_link = table.name not in referred and _is_link(table, key, found, staged)
        parts = name_parts([column.name for column in table.columns])
        type_ = link_type(table.name) if is_link else ""
        mapped[table.name] = MappedTable(
            table,
            staged.count(table.name),
            kinds[table.name],
            key,
            found,
            type_,
            None if is_link else parts,
            finder.misses(table.name, found),
        )
    return GraphMapping(mapped, tuple(ignored))


def _is_link(table: Table, key: Key, references: Sequence[Reference], staged: StagedTables) -> bool:
    """Return whether the rows of a table only connect two others, as far as no other table refers to them.

    They do if they have exactly two references, both of them always, and no name. A row with a key of its own, such as
    an order by a customer from a shop, is a thing of its own, unless its two references identify it together, but not
    alone as in a payment for an order, are called no more than what they refer to, and say nearly all of it.
    """
    if len(references) != 2:
        return False
    referring = tuple(column for one in references for column in one.columns)
    others = [column.name for column in table.columns if column.name not in referring]
    if any(is_title(column, table.name) for column in others) or not staged.count(table.name):
        return False
    if any(staged.missing(table.name, one.columns) for one in references):
        return False
    if set(key.columns) <= set(referring):
        return True
    if key.found is Found.GIVEN or len(others) > _MAX_COLUMNS_OF_LINK:
        return False
    if any(one.type != reference_type((), one.target) for one in references):
        return False
    identifying = [staged.is_key(table.name, columns) for columns in (referring, *(one.columns for one in references))]
    return identifying == [True, False, False]
