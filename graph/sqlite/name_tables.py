"""Write the tables for finding entities by name, of a graph file or of an index in memory."""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graph.name_matching import MAX_ENTITIES_PER_SHORT_NAME, is_correctable, short_name, word_keys
from shared.text import normalise

_Integer = TypeVar("_Integer", bound=np.integer[Any])


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

    def rank(place: int) -> tuple[bool, int, str, str]:
        row = entities[place] - 1
        return place >= len(names), -degrees[row], names[row], keys[row]

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
    packed = sorted_distinct(np.fromiter(pairs, np.uint64))
    key_rows = zip((packed >> 32).tolist(), (packed & 0xFFFFFFFF).tolist(), strict=True)
    connection.executemany("INSERT INTO word_keys VALUES (?, ?)", key_rows)


def sorted_distinct(numbers: NDArray[_Integer]) -> NDArray[_Integer]:
    """Sort numbers and drop duplicates, many times faster than `numpy.unique` for millions of numbers."""
    ordered = np.sort(numbers)
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(ordered)]]
