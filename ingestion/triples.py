"""Writing the triples of a graph in the order of their tables, worked out for all of them at once."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
_Integer = TypeVar("_Integer", bound=np.integer[Any])

_ROWS_AT_ONCE = 50_000
_FORWARDS = "INSERT INTO triples (s, r, id, o) VALUES (?, ?, ?, ?)"
_BACKWARDS = "INSERT INTO triples_backwards (o, r, id, s) VALUES (?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class Triples:
    """Distinct triples as row ids, a column each; `ids` are their places in the files, counted from 1."""

    subjects: Integers
    relations: Integers
    objects: Integers
    ids: Integers

    def __len__(self) -> int:
        return len(self.ids)


def distinct(subjects: Integers, relations: Integers, objects: Integers) -> Triples:
    """The triples of all rows; a repeated row keeps its first place in the files."""
    # Stable: of equal rows the first comes first.
    order = np.lexsort((objects, _pairs(subjects, relations)))
    repeated = np.zeros(len(order), bool)
    repeated[order[1:]] = True
    for column in (subjects, relations, objects):
        repeated[order[1:]] &= column[order[1:]] == column[order[:-1]]
    kept = np.flatnonzero(~repeated)
    return Triples(subjects[kept], relations[kept], objects[kept], kept + 1)


def write_triples(connection: sqlite3.Connection, triples: Triples) -> None:
    """Fill both tables; to append rows in order is several times faster than to insert them anywhere."""
    connection.executemany(_FORWARDS, _sorted_rows(triples.subjects, triples, triples.objects))
    connection.executemany(_BACKWARDS, _sorted_rows(triples.objects, triples, triples.subjects))


def degrees(triples: Triples, entities: int) -> Integers:
    """The number of triples that touch each entity; one from an entity to itself touches it once."""
    others = triples.objects[triples.objects != triples.subjects]
    counted = np.bincount(triples.subjects, minlength=entities + 1) + np.bincount(others, minlength=entities + 1)
    return counted[1:]


def kinds(triples: Triples, entities: int) -> tuple[Integers, dict[int, list[int]]]:
    """The kind of each entity, and the steps that can be walked from the entities of each kind."""
    walkers, steps = _steps(triples)
    # Each entity's first step tells its kind, then its second, and so on: two numbers, kind and step, give the next.
    begins = np.searchsorted(walkers, np.arange(1, entities + 2))
    places = np.arange(len(walkers)) - begins[walkers - 1]
    by_place = np.argsort(places, kind="stable")
    found: Integers = np.zeros(entities + 1, np.int64)
    known = 1
    widest = int(np.abs(steps).max()) if len(steps) else 0
    for turn in np.split(by_place, np.cumsum(np.bincount(places))[:-1]):
        longer = found[walkers[turn]] * (2 * widest + 1) + steps[turn] + widest
        distinct_kinds, each = np.unique(longer, return_inverse=True)
        found[walkers[turn]] = known + each
        known += len(distinct_kinds)
    used, examples = np.unique(found[1:], return_index=True)
    named = zip(used.tolist(), examples.tolist(), strict=True)
    return found[1:], {kind: steps[begins[one] : begins[one + 1]].tolist() for kind, one in named}


def sorted_distinct(numbers: NDArray[_Integer]) -> NDArray[_Integer]:
    """Each number once, in order; for millions of them many times faster than numpy.unique."""
    ordered = np.sort(numbers)
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(ordered)]]


def _steps(triples: Triples) -> tuple[Integers, Integers]:
    """Each entity with each step that can be walked from it, in the order of entities; backward steps are negative."""
    forwards = sorted_distinct(_pairs(triples.subjects, triples.relations))
    backwards = sorted_distinct(_pairs(triples.objects, triples.relations))
    width = _width(triples.relations)
    walkers = np.concatenate((forwards // width, backwards // width))
    steps = np.concatenate((forwards % width, -(backwards % width)))
    order = np.argsort(walkers, kind="stable")
    return walkers[order], steps[order]


def _pairs(entities: Integers, relations: Integers) -> Integers:
    """One number for each entity and relation, in the order of both."""
    return entities * _width(relations) + relations


def _width(relations: Integers) -> int:
    return int(relations.max(initial=0)) + 1


def _sorted_rows(starts: Integers, triples: Triples, ends: Integers) -> Iterator[tuple[int, ...]]:
    order = np.argsort(_pairs(starts, triples.relations), kind="stable")
    for first in range(0, len(order), _ROWS_AT_ONCE):
        some = order[first : first + _ROWS_AT_ONCE]
        columns = (starts, triples.relations, triples.ids, ends)
        yield from zip(*(column[some].tolist() for column in columns), strict=True)
