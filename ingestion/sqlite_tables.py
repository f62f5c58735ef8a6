"""Write the sorted rows of a graph file's triple tables, computed all at once with numpy."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graph.sqlite.name_tables import sorted_distinct
from graph.sqlite.schema import TRIPLES_BACKWARDS

Integers = NDArray[np.int64]

_BATCH = 50_000


class Triples(NamedTuple):
    """Hold distinct triples as columns of row ids; `ids` holds their positions in the files, starting at 1."""

    subjects: Integers
    relations: Integers
    objects: Integers
    ids: Integers


def distinct(subjects: Integers, relations: Integers, objects: Integers, separate: Sequence[int] = ()) -> Triples:
    """Drop repeated rows, keeping the first occurrence of each; those at the places `separate` stay as well."""
    # The sort is stable, so the first of several equal rows comes first.
    order = np.lexsort((objects, _pairs(subjects, relations)))
    repeated = np.zeros(len(order), bool)
    repeated[order[1:]] = True
    for column in (subjects, relations, objects):
        repeated[order[1:]] &= column[order[1:]] == column[order[:-1]]
    repeated[list(separate)] = False
    kept = np.flatnonzero(~repeated)
    return Triples(subjects[kept], relations[kept], objects[kept], kept + 1)


def write_triples(connection: sqlite3.Connection, triples: Triples) -> None:
    """Fill the triple table in key order, which is several times faster than inserting in arbitrary order."""
    rows = _sorted_rows(triples.subjects, triples, triples.objects)
    connection.executemany("INSERT INTO triples (s, r, id, o) VALUES (?, ?, ?, ?)", rows)
    connection.execute(TRIPLES_BACKWARDS)


def degrees(triples: Triples, entities: int) -> Integers:
    """Count the triples that contain each entity; a triple from an entity to itself counts once."""
    others = triples.objects[triples.objects != triples.subjects]
    counts = np.bincount(triples.subjects, minlength=entities + 1) + np.bincount(others, minlength=entities + 1)
    return counts[1:]


def characteristic_sets(triples: Triples, entities: int) -> tuple[Integers, dict[int, list[int]]]:
    """Group entities by the set of their relation steps.

    Returns the set id of each entity, and the steps in each set as relation ids, which are negative for inverse steps.
    """
    owners, steps = _steps(triples)
    # Sets are refined one step at a time: the id of the set so far and the next step determine the new id.
    begins = np.searchsorted(owners, np.arange(1, entities + 2))
    places = np.arange(len(owners)) - begins[owners - 1]
    by_place = np.argsort(places, kind="stable")
    set_ids: Integers = np.zeros(entities + 1, np.int64)
    known = 1
    widest = int(np.abs(steps).max()) if len(steps) else 0
    for turn in np.split(by_place, np.cumsum(np.bincount(places))[:-1]):
        refined = set_ids[owners[turn]] * (2 * widest + 1) + steps[turn] + widest
        new_sets, new_ids = np.unique(refined, return_inverse=True)
        set_ids[owners[turn]] = known + new_ids
        known += len(new_sets)
    used, examples = np.unique(set_ids[1:], return_index=True)
    pairs = zip(used.tolist(), examples.tolist(), strict=True)
    return set_ids[1:], {set_id: steps[begins[one] : begins[one + 1]].tolist() for set_id, one in pairs}


def _steps(triples: Triples) -> tuple[Integers, Integers]:
    """Return the distinct pairs of entity and step, ordered by entity; inverse steps are negative."""
    forward = sorted_distinct(_pairs(triples.subjects, triples.relations))
    backward = sorted_distinct(_pairs(triples.objects, triples.relations))
    width = _width(triples.relations)
    owners = np.concatenate((forward // width, backward // width))
    steps = np.concatenate((forward % width, -(backward % width)))
    order = np.argsort(owners, kind="stable")
    return owners[order], steps[order]


def _pairs(entities: Integers, relations: Integers) -> Integers:
    """Pack each entity and relation into one number, so that sorting by the number sorts by both."""
    return entities * _width(relations) + relations


def _width(relations: Integers) -> int:
    return int(relations.max(initial=0)) + 1


def _sorted_rows(starts: Integers, triples: Triples, ends: Integers) -> Iterator[tuple[int, ...]]:
    order = np.argsort(_pairs(starts, triples.relations), kind="stable")
    for first in range(0, len(order), _BATCH):
        batch = order[first : first + _BATCH]
        columns = (starts, triples.relations, triples.ids, ends)
        yield from zip(*(column[batch].tolist() for column in columns), strict=True)
