"""Define aggregates whose meaning differs between SQLite and plans."""

import math
from typing import Any

from graph.plan.durations import Duration, duration_in
from graph.sqlite.list_functions import MAX_LIST_BYTES, size_of
from graph.sqlite.value_order import grouped, rank, sort_key
from graph.sqlite.values import Stored, encode, list_of

_MAX_ITEMS = 100_000


class _Extreme:
    """Find the first or last value in the order of all values."""

    def __init__(self) -> None:
        self._best: tuple[tuple[int, Any], Stored] | None = None

    def step(self, value: Stored) -> None:
        """Add a value."""
        if value is not None:
            candidate = ((rank(value), sort_key(value)), value)
            if self._best is None or self._is_better(candidate[0], self._best[0]):
                self._best = candidate

    def finalize(self) -> Stored:
        """Return the result."""
        return self._best[1] if self._best else None

    def _is_better(self, key: Any, best: Any) -> bool:
        raise NotImplementedError


class Minimum(_Extreme):
    """Find the first value in the order of all values."""

    def _is_better(self, key: Any, best: Any) -> bool:
        return bool(key < best)


class Maximum(_Extreme):
    """Find the last value in the order of all values."""

    def _is_better(self, key: Any, best: Any) -> bool:
        return bool(key > best)


class _ExtremeDuration:
    """Find the shortest or longest duration among the texts that are durations."""

    def __init__(self) -> None:
        self._found: list[Duration] = []

    def step(self, value: Stored) -> None:
        """Add a value."""
        duration = duration_in(value) if isinstance(value, str) else None
        if duration is not None:
            self._found = [self._better([duration, *self._found])]

    def finalize(self) -> Stored:
        """Return the result."""
        return str(self._found[0]) if self._found else None

    def _better(self, durations: list[Duration]) -> Duration:
        raise NotImplementedError


class Shortest(_ExtremeDuration):
    """Find the shortest duration."""

    def _better(self, durations: list[Duration]) -> Duration:
        return min(durations, key=lambda duration: duration.order)


class Longest(_ExtremeDuration):
    """Find the longest duration."""

    def _better(self, durations: list[Duration]) -> Duration:
        return max(durations, key=lambda duration: duration.order)


class Sum:
    """Add the numbers exactly, so that the order of the rows does not matter."""

    def __init__(self) -> None:
        self._whole = 0
        self._fractions: list[float] = []

    def step(self, value: Stored) -> None:
        """Add a value."""
        if isinstance(value, int):
            self._whole += value
        elif isinstance(value, float):
            self._fractions.append(value)

    def finalize(self) -> Stored:
        """Return the result."""
        if self._fractions:
            return math.fsum([*self._fractions, self._whole])
        return encode(self._whole)


class Gather:
    """Collect all values, also missing ones, in the order of the row numbers."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, Stored]] = []
        self._bytes = 0

    def step(self, value: Stored, row: int) -> None:
        """Add the value of a row."""
        self._bytes += size_of(value)
        if len(self._rows) >= _MAX_ITEMS or self._bytes > MAX_LIST_BYTES:
            raise OverflowError("the list is too long")
        self._rows.append((row, value))

    def finalize(self) -> Stored:
        """Return the result."""
        self._rows.sort(key=lambda pair: pair[0])
        return list_of([value for _, value in self._rows])


class Collect(Gather):
    """Collect the values in the order of the row numbers."""

    def step(self, value: Stored, row: int) -> None:
        """Add the value of a row."""
        if value is not None:
            super().step(value, row)


class CollectDistinct(Collect):
    """Collect distinct values in the order of the row numbers."""

    def finalize(self) -> Stored:
        """Return the result."""
        self._rows.sort(key=lambda pair: pair[0])
        # The first of several equal values is kept, as in Neo4j.
        first: dict[Stored, Stored] = {}
        for _, value in self._rows:
            first.setdefault(grouped(value), value)
        return list_of(list(first.values()))
