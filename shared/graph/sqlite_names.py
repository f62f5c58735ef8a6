"""Finding entities by name in an embedded graph, exactly or with typing errors; one batch of lookups a call."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from rapidfuzz.distance import OSA

from shared.graph.spelling import edits_allowed, is_correctable, word_keys
from shared.graph.store import Entity, NameMatch
from shared.text import normalise

_BEARERS = """
    SELECT asked.value, names.normalised, entities.key, entities.name, names.alias, entities.degree
    FROM json_each(?) AS asked CROSS JOIN names ON {condition} CROSS JOIN entities ON entities.id = names.entity
"""
_BY_NAME = _BEARERS.format(condition="names.normalised = asked.value")
# In the words of the partial index, or SQLite does not use it.
_WITHOUT_BLANKS = _BEARERS.format(
    condition="replace(names.normalised, ' ', '') = asked.value AND instr(names.normalised, ' ') > 0"
)
_WORDS = """
    SELECT asked.value, words.word, words.names FROM json_each(?) AS asked
    CROSS JOIN word_keys ON word_keys.key = asked.value
    CROSS JOIN words ON words.id = word_keys.word
"""

_MOST_SIMILAR = 5
# How many corrections are tried: of one word, and of a name in which two words are wrong.
_CORRECTIONS = 30
_CORRECTIONS_IN_PAIRS = 8

# A correct word and its edit distance to what was typed.
_Correction = tuple[str, int]


def named(connection: sqlite3.Connection, asked: Sequence[str]) -> list[list[NameMatch]]:
    """For each name, the entities that bear it, best known first."""
    wanted = [normalise(name) for name in asked]
    found = _bearers(connection, _BY_NAME, set(wanted))
    return [_best(match for _, match in found[name]) for name in wanted]


def similar(connection: sqlite3.Connection, asked: Sequence[str]) -> list[list[NameMatch]]:
    """For each name, a few entities with a name within the allowed edits that do not bear exactly this name."""
    wanted = [normalise(name) for name in asked]
    corrections = _corrections(connection, {word for name in wanted for word in name.split()})
    joined = {name: name.replace(" ", "") for name in wanted}
    spellings = {name: {name, joined[name], *_respelt(name.split(), corrections)} for name in wanted}
    by_name = _bearers(connection, _BY_NAME, {spelling for tried in spellings.values() for spelling in tried})
    by_letters = _bearers(connection, _WITHOUT_BLANKS, set(joined.values()))
    answers = []
    for name in wanted:
        exact = {match.entity for _, match in by_name[name]}
        candidates = [found for spelling in spellings[name] for found in by_name[spelling]] + by_letters[joined[name]]
        answers.append(_best(_within_edits(name, candidates, exact))[:_MOST_SIMILAR])
    return answers


def _bearers(
    connection: sqlite3.Connection, query: str, values: Iterable[str]
) -> Mapping[str, list[tuple[str, NameMatch]]]:
    """(normalised name, match) of all entities, by the value that found them."""
    found: dict[str, list[tuple[str, NameMatch]]] = defaultdict(list)
    for value, normalised, key, name, alias, degree in connection.execute(query, (json.dumps(list(values)),)):
        match = NameMatch(Entity(key, name), alias or name, alias is not None, 0, degree)
        found[value].append((normalised, match))
    return found


def _within_edits(wanted: str, candidates: list[tuple[str, NameMatch]], exact: set[Entity]) -> Iterator[NameMatch]:
    for normalised, match in candidates:
        distance = OSA.distance(wanted, normalised)
        if match.entity not in exact and distance <= edits_allowed(min(len(wanted), len(normalised))):
            yield NameMatch(match.entity, match.name, match.is_alias, distance, match.degree)


def _corrections(connection: sqlite3.Connection, typed: set[str]) -> dict[str, list[_Correction]]:
    """The graph's words within the allowed edits of each typed word, closest and most common first."""
    keys = {word: set(word_keys(word)) for word in typed if is_correctable(word)}
    by_key: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for key, word, names in connection.execute(_WORDS, (json.dumps(list(set().union(*keys.values()))),)):
        by_key[key].append((word, names))
    return {word: _closest(word, {hint for key in keys[word] for hint in by_key.get(key, ())}) for word in keys}


def _closest(typed: str, hints: Iterable[tuple[str, int]]) -> list[_Correction]:
    ranked = []
    for word, names in hints:
        distance = OSA.distance(typed, word)
        if 0 < distance <= edits_allowed(min(len(typed), len(word))):
            ranked.append((distance, -names, word))
    return [(word, distance) for distance, _, word in sorted(ranked)[:_CORRECTIONS]]


def _respelt(typed: list[str], corrections: Mapping[str, list[_Correction]]) -> Iterator[str]:
    """The name with one word corrected, then with two."""
    places = [place for place, word in enumerate(typed) if corrections.get(word)]
    for place in places:
        for word, _ in corrections[typed[place]]:
            yield " ".join([*typed[:place], word, *typed[place + 1 :]])
    for first, second in combinations(places, 2):
        for word, distance in corrections[typed[first]][:_CORRECTIONS_IN_PAIRS]:
            for other, more in corrections[typed[second]][:_CORRECTIONS_IN_PAIRS]:
                # One error in each: no name may have more than two.
                if distance + more == 2:
                    yield " ".join([*typed[:first], word, *typed[first + 1 : second], other, *typed[second + 1 :]])


def _best(matches: Iterable[NameMatch]) -> list[NameMatch]:
    """Each entity once, under its best match."""
    best: dict[str, NameMatch] = {}
    for match in sorted(matches, key=lambda m: (m.distance, m.is_alias, -m.degree, m.entity.id)):
        best.setdefault(match.entity.id, match)
    return list(best.values())
