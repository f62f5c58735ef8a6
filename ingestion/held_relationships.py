"""Hold relationships back until the nodes at their ends have been read."""

import pickle
import tempfile
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from graph.plan.values import Value
from ingestion.node_ids import Place

_IN_MEMORY = 1 << 24


class HeldRelationship(NamedTuple):
    """Describe a relationship and its place in the files."""

    place: Place
    source: str
    type: str
    target: str
    properties: Mapping[str, Value]


class HeldRelationships:
    """Keep relationships in the order of the files, on disk if they are many."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (closed with the writer)
        self._count = 0

    def add(self, held: HeldRelationship) -> None:
        """Hold back one relationship."""
        pickle.dump(tuple(held), self._file, pickle.HIGHEST_PROTOCOL)
        self._count += 1

    def __len__(self) -> int:
        """Return how many are held back."""
        return self._count

    def __iter__(self) -> Iterator[HeldRelationship]:
        """Yield all relationships held back; none may be added meanwhile."""
        self._file.seek(0)
        for _ in range(self._count):
            yield HeldRelationship(*pickle.load(self._file))  # noqa: S301 (written by this process)

    def close(self) -> None:
        """Delete the file."""
        self._file.close()
