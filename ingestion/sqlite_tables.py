"""Write the sorted rows of a graph file's triple and name tables, computed all at once with numpy."""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from shared.graph.name_matching import MAX_ENTITIES_PER_SHORT_NAME, is_correctable, short_name, word_keys
from shared.graph.sqlite.schema import TRIPLES_BACKWARDS
from shared.text import normalise

Integers = NDArray[np.int64]
_Integer = TypeVar("_Integer", bound=np.integer[Any])

_BATCH = 50_000


class Triples(NamedTuple):
    """Hold distinct triples as columns of row ids; `ids` holds their positions in the files, starting at 1."""

    subjects: Integers
    relations: Integers
    objects: Integers
    ids: Integers


def distinct(subjects: Integers, relations: Integers, objects: Integers, keeps_repeated: bool = False) -> Triples:
    """Drop repeated rows, keeping the first occurrence of each; in a property graph, each is its own relationship."""
    if keeps_repeated:
        return Triples(subjects, relations, objects, np.arange(1, len(subjects) + 1))
    # The sort is stable, so the first of several equal rows comes first.
    order = np.lexsort((objects, _pairs(subjects, relations)))
    repeated = np.zeros(len(order), bool)
    repeated[order[1:]] = True
    for column in (subjects, relations, objects):
        repeated[order[1:]] &= column[order[1:]] == column[order[:-1]]
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


def write_names(
    connection: sqlite3.Connection,
    keys: Sequence[str],
    names: Sequence[str],
    degrees: Sequence[int],
    aliases: Sequence[tuple[int, str]],
) -> None:
    """Fill the tables for finding entities by name and for correcting misspelled words.

    `keys`, `names`, and `degrees` are in the order of row ids, which start at 1. Each item of `aliases` is a pair of
    a row id and a name.
    """
    normalised = [*map(normalise, names), *(normalise(name) for _, name in aliases)]
    _write_words(connection, normalised)
    _write_short_names(connection, names, normalised, degrees)
    letters = [name.replace(" ", "") for name in normalised]
    del normalised
    entities = [*range(1, len(names) + 1), *(row for row, _ in aliases)]

    def rank(place: int) -> tuple[bool, int, str]:
        row = entities[place] - 1
        return place >= len(names), -degrees[row], keys[row]

    def rows() -> Iterator[tuple[str, int, int, str | None]]:
        for spelling, places in groupby(sorted(range(len(letters)), key=letters.__getitem__), key=letters.__getitem__):
            ranked = list(places)
            if len(ranked) > 1:
                ranked.sort(key=rank)
            for number, place in enumerate(ranked):
                alias = None if place < len(names) else aliases[place - len(names)][1]
                yield spelling, number, entities[place], alias

    connection.executemany("INSERT INTO names VALUES (?, ?, ?, ?)", rows())


def _write_short_names(
    connection: sqlite3.Connection, names: Sequence[str], normalised: Sequence[str], degrees: Sequence[int]
) -> None:
    entities: dict[str, list[int]] = defaultdict(list)
    for place in np.argsort(-np.array(degrees), kind="stable").tolist():
        short = short_name(names[place], normalised[place])
        # Collect one more entity than the maximum to detect ambiguous short names.
        if short and len(known := entities[short.replace(" ", "")]) <= MAX_ENTITIES_PER_SHORT_NAME:
            known.append(place + 1)
    clear = sorted(letters for letters, known in entities.items() if len(known) <= MAX_ENTITIES_PER_SHORT_NAME)
    rows = ((letters, rank, row) for letters in clear for rank, row in enumerate(entities[letters]))
    connection.executemany("INSERT INTO short_names VALUES (?, ?, ?)", rows)


def _write_words(connection: sqlite3.Connection, normalised: Sequence[str]) -> None:
    frequency = Counter(chain.from_iterable(set(name.split()) for name in normalised))
    words = [word for word in frequency if is_correctable(word)]
    rows = ((row, word, frequency[word]) for row, word in enumerate(words, start=1))
    connection.executemany("INSERT INTO words VALUES (?, ?, ?)", rows)
    # Pack each key and word id into one integer, to sort millions of pairs at once.
    pairs = ((key << 32) + row for row, word in enumerate(words, start=1) for key in word_keys(word))
    packed = _sorted_distinct(np.fromiter(pairs, np.uint64))
    key_rows = zip((packed >> 32).tolist(), (packed & 0xFFFFFFFF).tolist(), strict=True)
    connection.executemany("INSERT INTO word_keys VALUES (?, ?)", key_rows)


def _sorted_distinct(numbers: NDArray[_Integer]) -> NDArray[_Integer]:
    """Sort numbers and drop duplicates, many times faster than `numpy.unique` for millions of numbers."""
    ordered = np.sort(numbers)
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(ordered)]]


def _steps(triples: Triples) -> tuple[Integers, Integers]:
    """Return the distinct pairs of entity and step, ordered by entity; inverse steps are negative."""
    forward = _sorted_distinct(_pairs(triples.subjects, triples.relations))
    backward = _sorted_distinct(_pairs(triples.objects, triples.relations))
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
