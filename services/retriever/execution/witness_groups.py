"""Group the witnesses that support the same row."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graph.plan.values import identity
from services.retriever.execution.support import MAX_FACTS

Row = dict[str, Any]
Places = set[int]
Key = tuple[Hashable, ...]


@dataclass(slots=True)
class Witnesses:
    """The witnesses that have one key: the places of the result's rows that they support, and how many there are.

    `distinct` has the number of different values of each variable, and `valued` the number of witnesses that have a
    value in each column that is aggregated; both are empty if `rows` has all witnesses.
    """

    places: Places
    rows: list[Row] = field(default_factory=list)
    omitted: int = 0
    distinct: Mapping[str, int] = field(default_factory=dict)
    valued: Mapping[str, int] = field(default_factory=dict)

    def put_first(self, rows: Sequence[Row], columns: Sequence[str]) -> None:
        """Let some witnesses be the first ones, also those that `self.rows` lacks; `columns` identify them.

        Other columns of `rows` are dropped, so that all witnesses have the same columns.
        """
        total = len(self.rows) + self.omitted
        together = {key_of(row, columns): {name: row[name] for name in columns} for row in (*rows, *self.rows)}
        self.rows = list(together.values())[: max(MAX_FACTS, len(self.rows))]
        self.omitted = total - len(self.rows)


def key_of(row: Mapping[str, Any], names: Iterable[str]) -> Key:
    """Return a key of the values of some columns."""
    return tuple(identity(row[name]) for name in names)
