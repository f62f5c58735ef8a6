"""Read what the user says about keys and references: `--key` and `--reference`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import NamedTuple

from ingestion.relational.tables import Table
from ingestion.typed_values import listed
from shared.errors import InvalidInputError
from shared.text import shown

NONE = "none"
"""What `--reference` says of columns that refer to nothing."""

Columns = tuple[str, ...]


class Target(NamedTuple):
    """Name a table, and the columns by which its rows are found, unless these are its key."""

    table: str
    columns: Columns = ()


@dataclass(frozen=True, slots=True)
class Overrides:
    """Hold the keys by table, and what columns refer to; None for columns that are properties."""

    keys: dict[str, Columns] = field(default_factory=dict)
    references: dict[tuple[str, Columns], Target | None] = field(default_factory=dict)

    def are_properties(self, table: str, columns: Columns) -> bool:
        """Return whether the user says that these columns, or one of them, refer to nothing."""
        said = self.references
        places = [(table, one) for one in (columns, *((column,) for column in columns))]
        return any(place in said and said[place] is None for place in places)


def read_overrides(keys: Iterable[str], references: Iterable[str], tables: Sequence[Table]) -> Overrides:
    """Read options such as `orders=order_id` and `orders.buyer=customers`.

    Raises InvalidInputError if one is malformed, or names a table or a column that is not there.
    """
    found = Overrides()
    for text in keys:
        option = f"--key {shown(text)}"
        name, _, listed_columns = text.partition("=")
        if not (name.strip() and listed_columns.strip()):
            raise InvalidInputError(f"{option}: write TABLE=COLUMN, or TABLE=COLUMN,COLUMN")
        table = _table(option, name, tables)
        found.keys[table.name] = _columns(option, table, listed_columns)
    for text in references:
        option = f"--reference {shown(text)}"
        source, equals, target = text.rpartition("=")
        table, columns = _source(option, source, tables)
        if not (equals and target.strip()):
            raise InvalidInputError(f"{option}: write TABLE.COLUMN=TABLE, or TABLE.COLUMN={NONE}")
        is_none = target.strip().lower() == NONE
        found.references[table.name, columns] = None if is_none else _target(option, target, tables)
    return found


def _target(option: str, text: str, tables: Sequence[Table]) -> Target:
    """Read a table, or `TABLE.COLUMN` for one whose rows are found by another column than its key."""
    if _named(text, [table.name for table in tables]) is None and "." in text:
        table, columns = _source(option, text, tables)
        return Target(table.name, columns)
    return Target(_table(option, text, tables).name)


def _source(option: str, text: str, tables: Sequence[Table]) -> tuple[Table, Columns]:
    """Read `TABLE.COLUMN`; names of tables may contain dots."""
    for table in sorted(tables, key=lambda one: -len(one.name)):
        if text.strip().lower().startswith(f"{table.name.lower()}."):
            return table, _columns(option, table, text.strip()[len(table.name) + 1 :])
    if "." in text:
        _table(option, text.partition(".")[0], tables)
    raise InvalidInputError(f"{option}: write TABLE.COLUMN=TABLE, or TABLE.COLUMN={NONE}")


def _table(option: str, name: str, tables: Sequence[Table]) -> Table:
    found = _named(name, [table.name for table in tables])
    if found is None:
        raise InvalidInputError(f"{option}: {_unknown('table', name, [table.name for table in tables])}")
    return next(table for table in tables if table.name == found)


def _columns(option: str, table: Table, text: str) -> Columns:
    names = [column.name for column in table.columns]
    found = []
    for name in text.split(","):
        column = _named(name, names)
        if column is None:
            raise InvalidInputError(f"{option}: {_unknown('column', name, names, f' of {table.name}')}")
        found.append(column)
    return tuple(dict.fromkeys(found))


def _named(name: str, names: Sequence[str]) -> str | None:
    """Return the name that the user means, in any case unless several differ only in it."""
    name = name.strip()
    folded = [one for one in names if one.lower() == name.lower()]
    return name if name in names else folded[0] if len(folded) == 1 else None


def _unknown(what: str, name: str, names: Sequence[str], where: str = "") -> str:
    """Say that there is no such table or column, and which one may be meant."""
    close = get_close_matches(name.strip().lower(), [one.lower() for one in names], 1)
    meant = next((one for one in names if close and one.lower() == close[0]), None)
    remedy = f"did you mean {meant}?" if meant else f"there are: {listed(names)}"
    return f"no {what}{where} is called {shown(name.strip())}; {remedy}"
