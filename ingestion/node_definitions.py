"""Remember which record defines each node, to find IDs that nodes of different kinds share."""

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from shared.text import shortened, shown


class Written(StrEnum):
    """Ways in which JSON writes an ID."""

    NUMBER = "number"
    TEXT = "text"

    def as_json(self, id_: str) -> str:
        """Return an ID as the file has it."""
        return shortened(id_ if self is Written.NUMBER else f'"{id_}"')


class Origin(NamedTuple):
    """Describe the nodes of one kind in a file.

    Attributes:
        file: The name of the file.
        kinds: The labels of these nodes.
        group: The group of their IDs; empty if they have none.
        columns: The titles of the table; empty if the file is JSON.
        written: How JSON writes their IDs; None for tables, whose IDs have no type.
    """

    file: str
    kinds: tuple[str, ...]
    group: str = ""
    columns: tuple[str, ...] = ()
    written: Written | None = None

    @property
    def said(self) -> str:
        """Return the labels for an error message."""
        return f"a node with the label {shown(':'.join(self.kinds))}" if self.kinds else "a node without a label"


class Earlier(NamedTuple):
    """Describe an earlier definition of a node, and whether it is of another kind than the later one."""

    origin: Origin
    line: int
    is_other_kind: bool


@dataclass(slots=True)
class _Conflict:
    """Hold the first ID that nodes of two kinds share, with its lines, and the number of these IDs."""

    id_: str
    before: int
    line: int
    number: int = 1


class NodeDefinitions:
    """Remember the origin and the line of each node, in 12 bytes for each row of the graph file."""

    def __init__(self) -> None:
        self._origins: dict[Origin, int] = {}
        self._by_number: list[Origin] = []
        self._numbers, self._lines = array("i"), array("q")
        self._conflicts: dict[tuple[Origin, Origin], _Conflict] = {}

    def add(self, row: int, key: str, origin: Origin, line: int) -> Earlier | None:
        """Record a definition, and return an earlier one of the same row and group."""
        if row >= len(self._numbers):
            missing = row + 1 - len(self._numbers)
            self._numbers.extend([-1] * missing)
            self._lines.extend([0] * missing)
        number = self._numbers[row]
        if number < 0:
            self._numbers[row], self._lines[row] = self._number(origin), line
            return None
        first, before = self._by_number[number], self._lines[row]
        if first.group != origin.group:
            return None
        if _are_other_kinds(first, origin) or _are_written_differently(first, origin):
            if conflict := self._conflicts.get((first, origin)):
                conflict.number += 1
            else:
                id_ = key.removeprefix(f"{origin.group}:") if origin.group else key
                self._conflicts[first, origin] = _Conflict(id_, before, line)
            return Earlier(first, before, is_other_kind=True)
        if set(origin.kinds) > set(first.kinds):
            self._numbers[row] = self._number(first._replace(kinds=origin.kinds))
        return Earlier(first, before, is_other_kind=False)

    def conflicts(self) -> Iterator[tuple[tuple[str, int], str]]:
        """Yield the place and a description of the first ID that nodes of two kinds share, for each two kinds."""
        for (first, second), one in self._conflicts.items():
            more = f"; the first of {one.number:,} such IDs" if one.number > 1 else ""
            if _are_written_differently(first, second):
                yield (second.file, one.line), _written_twice(first, second, one, more)
                continue
            yield (
                (second.file, one.line),
                f"{second.said} has the ID {shown(one.id_)}, which is also that of {first.said} ({first.file}, line "
                f"{one.before}{more}); relationships would connect the wrong nodes; {_remedy(first, second)}",
            )

    def _number(self, origin: Origin) -> int:
        number = self._origins.setdefault(origin, len(self._by_number))
        if number == len(self._by_number):
            self._by_number.append(origin)
        return number


def _are_other_kinds(first: Origin, second: Origin) -> bool:
    """Return whether two records with one ID are nodes of different kinds.

    A record may have more labels than another one of the same node. Rows without labels are of another kind than those
    of another table, unless their columns are the same. JSON without labels adds properties to a node.
    """
    before, after = set(first.kinds), set(second.kinds)
    if before and after:
        return not (before <= after or after <= before)
    are_rows = bool(first.columns and second.columns)
    return are_rows and not _are_in_one_table(first, second) and (before != after or first.columns != second.columns)


def _are_written_differently(first: Origin, second: Origin) -> bool:
    """Return whether an ID is a number in one record and a text in the other one.

    Relationships may write it in either way, so that 1 and "1" cannot be two nodes. Nor may they silently be one node,
    because programs that write both take them for different.
    """
    return None not in (first.written, second.written) and first.written is not second.written


def _written_twice(first: Origin, second: Origin, one: _Conflict, more: str) -> str:
    after, before = ((origin.written or Written.TEXT).as_json(one.id_) for origin in (second, first))
    return (
        f"a node has the ID {after}, and another one {before} ({first.file}, line {one.before}{more}), which name the "
        "same node; write the ID in one way if it is one node, and change one of them if there are two"
    )


def _are_in_one_table(first: Origin, second: Origin) -> bool:
    return (first.file, first.columns) == (second.file, second.columns)


def _remedy(first: Origin, second: Origin) -> str:
    """Say how to give two kinds of nodes different IDs."""
    tables = [one for one in (first, second) if one.columns]
    if not tables:
        return "make the IDs unique, or, if it is one node, write all its labels in each record"
    names = [_space(one, first if one is second else second) for one in tables]
    headers = " and ".join(f":ID({name})" for name in names)
    space = f"its own ID space, with {headers} for nodes, and :START_ID({names[0]}) and the like for"
    if _are_in_one_table(first, second):
        return (
            f"divide the file by kind, and give each file {space} relationships, or make the IDs unique; if it is one "
            "node, write all its labels in one row"
        )
    whose = "each file" if len(tables) > 1 else tables[0].file
    return f"give {whose} {space} relationships, or make the IDs unique"


def _space(origin: Origin, other: Origin) -> str:
    """Return a name for the ID space of nodes: a label that the others do not have, or the name of the file."""
    label = next((kind for kind in origin.kinds if kind not in other.kinds), origin.file.partition(".")[0])
    return shortened(re.sub(r"\W+", "_", label))
