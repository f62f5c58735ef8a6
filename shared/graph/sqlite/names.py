"""Finding entities by name in an embedded graph, exactly or with typing errors; a few batches of lookups a call."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from rapidfuzz.distance import OSA

from shared.graph.spelling import (
    edits_allowed,
    edits_allowed_in_word,
    is_correctable,
    slips,
    sound,
    sound_key,
    word_keys,
)
from shared.graph.sqlite.spellings import Correction, spellings
from shared.graph.store import Entity, NameMatch
from shared.text import normalise

_BEARERS = """
    SELECT asked.value, entities.key, entities.name, names.alias, entities.degree FROM json_each(?) AS asked
    CROSS JOIN names ON names.letters = asked.value AND names.rank < ?
    CROSS JOIN entities ON entities.id = names.entity
"""
_BEARERS_IN_SHORT = """
    SELECT asked.value, entities.key, entities.name, entities.degree FROM json_each(?) AS asked
    CROSS JOIN short_names ON short_names.letters = asked.value
    CROSS JOIN entities ON entities.id = short_names.entity
"""
_WORDS = """
    SELECT asked.value, words.word, words.names FROM json_each(?) AS asked
    CROSS JOIN word_keys ON word_keys.key = asked.value
    CROSS JOIN words ON words.id = word_keys.word
"""

# Thousands may bear a name, of which only the best known are worth a look; fewer where a handful is answered.
_MOST_BEARERS = 50
_MOST_SIMILAR_BEARERS = 20
_MOST_SIMILAR = 5
# How many corrections of one word are tried, and of how many words they are remembered.
_CORRECTIONS = 30
_WORDS_REMEMBERED = 10_000

# A word of the graph that may be meant, and the number of names that hold it.
_Hint = tuple[str, int]
# The matches of all entities whose names have the same letters, by normalised name.
_Bearers = Mapping[str, list[tuple[str, NameMatch]]]


class NameIndex:
    """Remembers the corrections of words, since questions share most of theirs; safe for concurrent use."""

    def __init__(self) -> None:
        self._corrections: dict[str, list[Correction]] = {}

    def named(self, connection: sqlite3.Connection, asked: Sequence[str]) -> list[list[NameMatch]]:
        """For each name, the entities that bear it, best known first."""
        wanted = [normalise(name) for name in asked]
        bearers = _bearers(connection, {_letters(name) for name in wanted}, _MOST_BEARERS)
        return [_best(_exactly(name, bearers)) if _letters(name) in bearers else [] for name in wanted]

    def similar(self, connection: sqlite3.Connection, asked: Sequence[str]) -> list[list[NameMatch]]:
        """For each name, a few entities with a name within the allowed edits that do not bear exactly this name."""
        wanted = [normalise(name) for name in asked]
        corrections = self._corrected(connection, {word for name in wanted for word in name.split()})
        tried = spellings(connection, [tuple(name.split()) for name in wanted], corrections)
        letters = {_letters(name) for name in (*wanted, *set().union(*tried.values()))}
        bearers = _bearers(connection, letters, _MOST_SIMILAR_BEARERS)
        shorts = list(dict.fromkeys(word for name in wanted for word, _ in corrections.get(name, ())))
        short_bearers = dict(zip(shorts, in_short(connection, shorts), strict=True))
        answers = []
        for name in wanted:
            exact = {match.entity for match in _exactly(name, bearers)}
            candidates = list(bearers.get(_letters(name), ()))
            for spelling in tried.get(tuple(name.split()), ()):
                candidates += ((spelling, match) for match in _exactly(spelling, bearers))
            candidates += ((short, match) for short, _ in corrections.get(name, ()) for match in short_bearers[short])
            answers.append(_best(_within_edits(name, candidates, exact))[:_MOST_SIMILAR])
        return answers

    def _corrected(self, connection: sqlite3.Connection, typed: Iterable[str]) -> dict[str, list[Correction]]:
        """The graph's words within the allowed edits of each typed word, closest and most common first."""
        words = [word for word in typed if is_correctable(word)]
        found = {word: self._corrections[word] for word in words if word in self._corrections}
        new = _corrections(connection, [word for word in words if word not in found])
        if len(self._corrections) + len(new) > _WORDS_REMEMBERED:
            self._corrections = {}
        self._corrections.update(new)
        return found | new


def in_short(connection: sqlite3.Connection, asked: Sequence[str]) -> list[list[NameMatch]]:
    """For each name, the entities that it is a short name of, best known first."""
    wanted = [_letters(normalise(name)) for name in asked]
    found: dict[str, list[NameMatch]] = defaultdict(list)
    for letters, key, name, degree in connection.execute(_BEARERS_IN_SHORT, (json.dumps(list(set(wanted))),)):
        found[letters].append(NameMatch(Entity(key, name), name, False, 0, degree, is_short=True))
    return [_best(found[letters]) if letters in found else [] for letters in wanted]


def _letters(name: str) -> str:
    return name.replace(" ", "")


def _bearers(connection: sqlite3.Connection, letters: Collection[str], most: int) -> _Bearers:
    found: dict[str, list[tuple[str, NameMatch]]] = defaultdict(list)
    folded: dict[str, str] = {}
    for value, key, name, alias, degree in connection.execute(_BEARERS, (json.dumps(list(letters)), most)):
        match = NameMatch(Entity(key, name), alias or name, alias is not None, 0, degree)
        if match.name not in folded:
            folded[match.name] = normalise(match.name)
        found[value].append((folded[match.name], match))
    return found


def _exactly(name: str, bearers: _Bearers) -> Iterator[NameMatch]:
    return (match for normalised, match in bearers.get(_letters(name), ()) if normalised == name)


def _within_edits(wanted: str, candidates: list[tuple[str, NameMatch]], exact: set[Entity]) -> Iterator[NameMatch]:
    for normalised, match in candidates:
        distance = slips(wanted, normalised)
        if match.entity not in exact and distance <= edits_allowed(min(len(wanted), len(normalised))):
            yield replace(match, distance=distance)


def _corrections(connection: sqlite3.Connection, typed: Collection[str]) -> dict[str, list[Correction]]:
    keys = {word: set(word_keys(word)) for word in typed}
    by_key: dict[int, list[_Hint]] = defaultdict(list)
    for key, word, names in connection.execute(_WORDS, (json.dumps(list(set().union(*keys.values()))),)):
        by_key[key].append((word, names))
    return {word: _closest(word, by_key, keys[word]) for word in keys}


def _closest(typed: str, by_key: Mapping[int, list[_Hint]], keys: Collection[int]) -> list[Correction]:
    heard = sound(typed)
    alike = {hint for hint in by_key.get(sound_key(typed), ()) if sound(hint[0]) == heard}
    ranked = []
    for word, names in {hint for key in keys for hint in by_key.get(key, ())}:
        distance = OSA.distance(typed, word)
        if distance > 1 and (word, names) in alike:
            distance = 1
        if 0 < distance <= edits_allowed_in_word(min(len(typed), len(word))):
            ranked.append((distance, -names, word))
    return [(word, distance) for distance, _, word in sorted(ranked)[:_CORRECTIONS]]


def _best(matches: Iterable[NameMatch]) -> list[NameMatch]:
    """Each entity once, under its best match."""
    best: dict[str, NameMatch] = {}
    for match in sorted(matches, key=lambda m: (m.distance, m.is_short, m.is_alias, -m.degree, m.entity.id)):
        best.setdefault(match.entity.id, match)
    return list(best.values())
