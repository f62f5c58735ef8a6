"""Writing the tables by which entities are found by name, and names by misspelt words."""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, groupby

import numpy as np

from ingestion.triples import sorted_distinct
from shared.graph.short_names import MOST_BEARERS, short_name
from shared.graph.spelling import is_correctable, word_keys
from shared.text import normalise


def write_names(
    connection: sqlite3.Connection,
    keys: Sequence[str],
    names: Sequence[str],
    degrees: Sequence[int],
    aliases: Sequence[tuple[int, str]],
) -> None:
    """Index the entities' names and aliases.

    `keys`, `names`, `degrees`: of each entity, in the order of row ids, which count from 1; `aliases`: row id and name.
    """
    normalised = [*map(normalise, names), *(normalise(name) for _, name in aliases)]
    _write_words(connection, normalised)
    _write_short_names(connection, names, normalised, degrees)
    letters = [name.replace(" ", "") for name in normalised]
    del normalised

    def rows() -> Iterator[tuple[str, int, int, str | None]]:
        entities = [*range(1, len(names) + 1), *(row for row, _ in aliases)]

        def rank(place: int) -> tuple[bool, int, str]:
            row = entities[place] - 1
            return place >= len(names), -degrees[row], keys[row]

        for spelt, places in groupby(sorted(range(len(letters)), key=letters.__getitem__), key=letters.__getitem__):
            bearers = list(places)
            if len(bearers) > 1:
                bearers.sort(key=rank)
            for number, place in enumerate(bearers):
                yield spelt, number, entities[place], None if place < len(names) else aliases[place - len(names)][1]

    connection.executemany("INSERT INTO names VALUES (?, ?, ?, ?)", rows())


def _write_short_names(
    connection: sqlite3.Connection, names: Sequence[str], normalised: Sequence[str], degrees: Sequence[int]
) -> None:
    bearers: dict[str, list[int]] = defaultdict(list)
    for place in np.argsort(-np.array(degrees), kind="stable").tolist():
        short = short_name(names[place], normalised[place])
        # One more than may be, to know of those that are too many.
        if short and len(known := bearers[short.replace(" ", "")]) <= MOST_BEARERS:
            known.append(place + 1)
    few = sorted(letters for letters, known in bearers.items() if len(known) <= MOST_BEARERS)
    rows = ((letters, rank, row) for letters in few for rank, row in enumerate(bearers[letters]))
    connection.executemany("INSERT INTO short_names VALUES (?, ?, ?)", rows)


def _write_words(connection: sqlite3.Connection, normalised: Sequence[str]) -> None:
    occurrences = Counter(chain.from_iterable(set(name.split()) for name in normalised))
    words = [word for word in occurrences if is_correctable(word)]
    rows = ((row, word, occurrences[word]) for row, word in enumerate(words, start=1))
    connection.executemany("INSERT INTO words VALUES (?, ?, ?)", rows)
    # Key and word in one number, to sort millions of them at once.
    pairs = ((key << 32) + row for row, word in enumerate(words, start=1) for key in word_keys(word))
    sorted_pairs = sorted_distinct(np.fromiter(pairs, np.uint64))
    rows_of_keys = zip((sorted_pairs >> 32).tolist(), (sorted_pairs & 0xFFFFFFFF).tolist(), strict=True)
    connection.executemany("INSERT INTO word_keys VALUES (?, ?)", rows_of_keys)
