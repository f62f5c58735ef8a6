"""Find entities by name in a graph file, exactly or despite typos, with a few batched queries per call."""

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from rapidfuzz.distance import OSA

from graph.name_matching import (
    MAX_EXACT_MATCHES,
    MAX_SIMILAR_MATCHES,
    best_per_entity,
    is_correctable,
    max_word_edits,
    misspelling_distance,
    phonetic_form,
    phonetic_key,
    word_keys,
)
from graph.store import Entity, NameMatch
from shared.text import normalise

_ENTITIES_BY_NAME = """
    SELECT asked.value, entities.key, entities.name, names.alias, entities.degree FROM json_each(?) AS asked
    CROSS JOIN names ON names.letters = asked.value AND names.rank < ?
    CROSS JOIN entities ON entities.id = names.entity
"""
_ENTITIES_BY_KEY = """
    SELECT entities.key, name, degree FROM json_each(?) AS asked CROSS JOIN entities ON entities.key = asked.value
"""
_ENTITIES_BY_SHORT_NAME = """
    SELECT asked.value, entities.key, entities.name, entities.degree FROM json_each(?) AS asked
    CROSS JOIN short_names ON short_names.letters = asked.value
    CROSS JOIN entities ON entities.id = short_names.entity
"""
_WORDS_BY_KEY = """
    SELECT asked.value, words.word, words.names FROM json_each(?) AS asked
    CROSS JOIN word_keys ON word_keys.key = asked.value
    CROSS JOIN words ON words.id = word_keys.word
"""
# The first name, in alphabetical order, at or after a prefix. If it does not start with the prefix, no name does.
_FIRST_FROM = """
    SELECT (SELECT letters FROM names WHERE letters >= asked.value ORDER BY letters LIMIT 1) FROM json_each(?) AS asked
"""

_IRI = re.compile(r"<?([A-Za-z][A-Za-z0-9+.-]*:[^\s<>]+)>?")

_MAX_MATCHES_PER_SPELLING = 20
_MAX_CORRECTIONS = 30
_MAX_CORRECTIONS_IN_PAIRS = 8
_MAX_CACHED_WORDS = 10_000

# A word that occurs in the graph, and its distance from the typed word.
_Correction = tuple[str, int]
_Corrections = Mapping[str, list[_Correction]]
_Words = tuple[str, ...]
# How many more words of a partial spelling may be corrected: any (at most two), one, or none.
_ANY, _ONE, _NONE = range(3)
# The start of a spelling, its letters without spaces, and the corrections that it still allows.
_Partial = tuple[str, str, int]
# The matches for names with the same letters, each with its normalised name.
_Matches = Mapping[str, list[tuple[str, NameMatch]]]


class NameLookup:
    """Look up names, and cache the corrections of words that recur across questions. Safe for concurrent use."""

    def __init__(self) -> None:
        self._corrections: dict[str, list[_Correction]] = {}

    def exact(self, connection: sqlite3.Connection, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find the entities with each name, or with the IRI that it is, highest degree first."""
        wanted = [normalise(name) for name in names]
        matches = _matches(connection, {_letters(name) for name in wanted}, MAX_EXACT_MATCHES)
        found = [best_per_entity(_equal(name, matches)) if _letters(name) in matches else [] for name in wanted]
        iris = {place: match[1] for place, name in enumerate(names) if (match := _IRI.fullmatch(name.strip()))}
        for place, matched in _by_iri(connection, iris).items():
            found[place] = found[place] or [matched]
        return found

    def similar(self, connection: sqlite3.Connection, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find a few entities for each misspelled name, excluding entities with exactly that name."""
        wanted = [normalise(name) for name in names]
        corrections = self._corrected(connection, {word for name in wanted for word in name.split()})
        spellings = _spellings(connection, [tuple(name.split()) for name in wanted], corrections)
        letters = {_letters(name) for name in (*wanted, *set().union(*spellings.values()))}
        matches = _matches(connection, letters, _MAX_MATCHES_PER_SPELLING)
        shorts = list(dict.fromkeys(word for name in wanted for word, _ in corrections.get(name, ())))
        short_matches = dict(zip(shorts, by_short_name(connection, shorts), strict=True))
        found = []
        for name in wanted:
            exact = {match.entity for match in _equal(name, matches)}
            candidates = list(matches.get(_letters(name), ()))
            for spelling in spellings.get(tuple(name.split()), ()):
                candidates += ((spelling, match) for match in _equal(spelling, matches))
            candidates += ((short, match) for short, _ in corrections.get(name, ()) for match in short_matches[short])
            similar = (
                replace(match, distance=distance)
                for spelling, match in candidates
                if match.entity not in exact and (distance := misspelling_distance(name, spelling))
            )
            found.append(best_per_entity(similar)[:MAX_SIMILAR_MATCHES])
        return found

    def _corrected(self, connection: sqlite3.Connection, typed: Iterable[str]) -> dict[str, list[_Correction]]:
        """Find the graph's words within the allowed distance of each typed word, closest and most frequent first."""
        words = [word for word in typed if is_correctable(word)]
        known = {word: self._corrections[word] for word in words if word in self._corrections}
        new = _find_corrections(connection, [word for word in words if word not in known])
        if len(self._corrections) + len(new) > _MAX_CACHED_WORDS:
            self._corrections = {}
        self._corrections.update(new)
        return known | new


def _by_iri(connection: sqlite3.Connection, iris: Mapping[int, str]) -> dict[int, NameMatch]:
    """Find the entities with these IRIs."""
    if not iris:
        return {}
    rows = connection.execute(_ENTITIES_BY_KEY, (json.dumps(list(set(iris.values()))),))
    known = {key: NameMatch(Entity(key, name), name, False, 0, degree) for key, name, degree in rows}
    return {place: known[iri] for place, iri in iris.items() if iri in known}


def by_short_name(connection: sqlite3.Connection, names: Sequence[str]) -> list[list[NameMatch]]:
    """Find the entities with each short name, highest degree first."""
    wanted = [_letters(normalise(name)) for name in names]
    found: dict[str, list[NameMatch]] = defaultdict(list)
    for letters, key, name, degree in connection.execute(_ENTITIES_BY_SHORT_NAME, (json.dumps(list(set(wanted))),)):
        found[letters].append(NameMatch(Entity(key, name), name, False, 0, degree, is_short=True))
    return [best_per_entity(found[letters]) if letters in found else [] for letters in wanted]


def _letters(name: str) -> str:
    return name.replace(" ", "")


def _matches(connection: sqlite3.Connection, letters: Collection[str], limit: int) -> _Matches:
    found: dict[str, list[tuple[str, NameMatch]]] = defaultdict(list)
    normalised: dict[str, str] = {}
    for value, key, name, alias, degree in connection.execute(_ENTITIES_BY_NAME, (json.dumps(list(letters)), limit)):
        match = NameMatch(Entity(key, name), alias or name, alias is not None, 0, degree)
        if match.name not in normalised:
            normalised[match.name] = normalise(match.name)
        found[value].append((normalised[match.name], match))
    return found


def _equal(name: str, matches: _Matches) -> Iterator[NameMatch]:
    return (match for normalised, match in matches.get(_letters(name), ()) if normalised == name)


def _find_corrections(connection: sqlite3.Connection, typed: Collection[str]) -> dict[str, list[_Correction]]:
    keys = {word: set(word_keys(word)) for word in typed}
    by_key: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for key, word, frequency in connection.execute(_WORDS_BY_KEY, (json.dumps(list(set().union(*keys.values()))),)):
        by_key[key].append((word, frequency))
    return {word: _closest(word, by_key, keys[word]) for word in keys}


def _closest(typed: str, by_key: Mapping[int, list[tuple[str, int]]], keys: Collection[int]) -> list[_Correction]:
    """Rank the words that share a key with the typed word; `by_key` also says how many names contain each word."""
    sound = phonetic_form(typed)
    homophones = {word for word, _ in by_key.get(phonetic_key(typed), ()) if phonetic_form(word) == sound}
    ranked = []
    for word, frequency in {candidate for key in keys for candidate in by_key.get(key, ())}:
        distance = OSA.distance(typed, word)
        if distance > 1 and word in homophones:
            distance = 1
        if 0 < distance <= max_word_edits(min(len(typed), len(word))):
            ranked.append((distance, -frequency, word))
    return [(word, distance) for distance, _, word in sorted(ranked)[:_MAX_CORRECTIONS]]


def _spellings(
    connection: sqlite3.Connection, names: Sequence[_Words], corrections: _Corrections
) -> dict[_Words, list[str]]:
    """Correct one word of each name, or two words by one edit each, and keep spellings that may exist in the graph.

    Names are extended word by word, and a spelling is dropped as soon as no name in the graph starts with it. This
    avoids trying all combinations of corrections, since few combinations of two words occur at the start of a name.
    """
    partials: dict[_Words, list[_Partial]] = {(): [("", "", _ANY)]}
    found: dict[_Words, list[str]] = {}
    for length in range(1, max(map(len, names), default=0) + 1):
        prefixes = {name[:length] for name in names if len(name) >= length and name[: length - 1] in partials}
        tried = {words: list(_extended(partials[words[:-1]], words[-1], corrections)) for words in prefixes}
        first = _first_from(connection, {letters for some in tried.values() for _, letters, _ in some})
        partials = {words: [one for one in some if first[one[1]].startswith(one[1])] for words, some in tried.items()}
        partials = {words: some for words, some in partials.items() if some}
        for words in partials.keys() & set(names):
            # The index ignores spaces, so the name in the graph may have them elsewhere.
            found[words] = [
                spelling for spelling, letters, left in partials[words] if left != _ANY and first[letters] == letters
            ]
    return found


def _extended(partials: Sequence[_Partial], word: str, corrections: _Corrections) -> Iterator[_Partial]:
    for spelling, letters, left in partials:
        before = f"{spelling} " if spelling else ""
        yield before + word, letters + word, left
        if left == _NONE:
            continue
        for rank, (correct, distance) in enumerate(corrections.get(word, ())):
            # Two corrected words may have one edit each, because no name may have more than two edits.
            if distance == 1 and rank < _MAX_CORRECTIONS_IN_PAIRS:
                yield before + correct, letters + correct, _ONE if left == _ANY else _NONE
            elif left == _ANY:
                yield before + correct, letters + correct, _NONE


def _first_from(connection: sqlite3.Connection, prefixes: set[str]) -> dict[str, str]:
    asked = list(prefixes)
    rows = connection.execute(_FIRST_FROM, (json.dumps(asked),))
    return {prefix: first or "" for prefix, (first,) in zip(asked, rows, strict=True)}
