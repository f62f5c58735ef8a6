"""Generate a large graph with names like those of people, films, and places, and questions about it, from a seed."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_Ints = NDArray[np.int64]

_SOUNDS = "b c d f g h j k l m n p r s t v w z br ch cl dr fr gr kr pr sh st th tr|a e i o u a e i o ai ea ou"
_ONSETS, _VOWELS = (sounds.split() for sounds in _SOUNDS.split("|"))
_CODAS = ["", "", "", "n", "r", "l", "s", "m", "nd", "rt", "ck", "ss"]
# The most common words in titles also occur in the questions.
_COMMON = (
    "the of a and in to my love who night day man last girl where world house life big blue first what time black red "
    "when film movies song city born war king home dead year star american story is with one for you me lost wrote"
)
_ACCENTS = str.maketrans("aeioucn", "áéíöüçñ")
# The share of each kind among the entities, and the number of distinct words in its names.
_PEOPLE, _TITLES, _PLACES = (0.62, 45_000), (0.3, 30_000), (0.08, 20_000)
_GIVEN_NAMES = 4_000
# Entities per triple, not counting the variants of names.
_ENTITIES_PER_TRIPLE = 0.28
_RELATIONS, _TYPES = 300, 25
_ALIAS_EVERY = 12
_ROWS_PER_WRITE = 100_000
_SAMPLE = 5_000
_HUBS = 20

_QUESTIONS = (
    "Which films did {} star in during the nineties",
    "who directed the movies that {} wrote",
    "Where was the director of {} born",
    "what are the main languages spoken in {}",
    "when were the films starring {} released",
    "What genre does the movie {} belong to",
    "who is married to the person that composed {}",
    "which awards has {} won so far",
    "name the countries that share a border with {}",
    "Can you tell me who {} worked with",
    "in what year did {} first come out",
    "which people were born in the same city as {}",
)


@dataclass(frozen=True, slots=True)
class GraphSample:
    """Hold the names of random entities, and of the entities with the most triples."""

    names: list[str]
    hubs: list[str]


@dataclass(frozen=True, slots=True)
class GeneratedQuestion:
    """Hold a question about the entity called `name`; `spelling` describes how the question spells the name."""

    question: str
    name: str
    spelling: str


def generate_graph(file: Path, triples: int, seed: int) -> GraphSample:
    """Write a TSV file of facts, ordered by subject, with aliases among them."""
    chance = np.random.default_rng(seed)
    names = _names(chance, int(triples * _ENTITIES_PER_TRIPLE))
    subjects, relations, objects = _facts(chance, len(names), triples)
    steps = [f"{word}_of_{number}" for number, word in enumerate(_words(chance, _RELATIONS))]
    with file.open("w", encoding="utf-8") as out:
        for first in range(0, triples, _ROWS_PER_WRITE):
            chunk = slice(first, first + _ROWS_PER_WRITE)
            rows = zip(subjects[chunk].tolist(), relations[chunk].tolist(), objects[chunk].tolist(), strict=True)
            out.write("".join(f"{names[s]}\t{steps[r]}\t{names[o]}\n" for s, r, o in rows))
            known = np.unique(subjects[chunk])
            out.write("".join(_alias(names[s]) for s in known[known % _ALIAS_EVERY == 0].tolist()))
    degrees = np.bincount(subjects, minlength=len(names)) + np.bincount(objects, minlength=len(names))
    hubs = np.argsort(-degrees, kind="stable")[:_HUBS].tolist()
    some = chance.choice(len(names), min(_SAMPLE, len(names)), replace=False).tolist()
    return GraphSample([names[entity] for entity in some], [names[entity] for entity in hubs])


def generate_question(name: str, chance: random.Random, number: int) -> GeneratedQuestion:
    """Generate a question; of every four, two spell the name correctly, one misspells it, and one uses lower case."""
    question = chance.choice(_QUESTIONS)
    if number % 4 == 1:
        return GeneratedQuestion(question.format(_misspelt(name, chance)), name, "misspelt")
    if number % 4 == 3:
        return GeneratedQuestion(question.format(name).lower(), name, "lower case")
    return GeneratedQuestion(question.format(name), name, "right")


def _misspelt(name: str, chance: random.Random) -> str:
    """Omit, double, swap, or replace one or two letters of a name."""
    letters = list(name)
    for _ in range(chance.choice((1, 2))):
        place = chance.randrange(len(letters) - 1)
        kind = chance.randrange(4)
        if kind == 0 and len(letters) > 2:
            del letters[place]
        elif kind == 1:
            letters.insert(place, letters[place])
        elif kind == 2:
            letters[place : place + 2] = letters[place + 1], letters[place]
        else:
            letters[place] = chance.choice("abcdefghijklmnopqrstuvwxyz")
    return "".join(letters)


def _names(chance: np.random.Generator, entities: int) -> list[str]:
    """Return distinct names; a few differ only in punctuation, accents, or case."""
    found: dict[str, None] = {}
    for (share, words), maker in ((_PEOPLE, _people), (_TITLES, _titles), (_PLACES, _places)):
        wanted = len(found) + int(entities * share)
        pool = _words(chance, words)
        while len(found) < wanted:
            found.update(dict.fromkeys(maker(chance, pool, wanted - len(found))))
    names = list(found)
    for every, change in ((40, str.upper), (25, _hyphenated), (15, _accented)):
        found.update(dict.fromkeys(map(change, names[::every])))
    return list(found)


def _people(chance: np.random.Generator, pool: Sequence[str], number: int) -> list[str]:
    given = [pool[row].title() for row in _zipf(chance, _GIVEN_NAMES, number)]
    middle = [pool[row].title() for row in _zipf(chance, _GIVEN_NAMES, number)]
    family = [pool[-row].title() for row in _zipf(chance, len(pool), number)]
    three = chance.random(number) < 0.4
    parts = zip(given, middle, family, three.tolist(), strict=True)
    return [f"{first} {second} {last}" if both else f"{first} {last}" for first, second, last, both in parts]


def _titles(chance: np.random.Generator, pool: Sequence[str], number: int) -> list[str]:
    vocabulary = [*_COMMON.split(), *pool]
    lengths = chance.choice([1, 2, 3, 4, 5, 6], number, p=[0.12, 0.28, 0.25, 0.18, 0.1, 0.07]).tolist()
    drawn = iter(_zipf(chance, len(vocabulary), sum(lengths)))
    return [" ".join(vocabulary[next(drawn)] for _ in range(length)).title() for length in lengths]


def _places(chance: np.random.Generator, pool: Sequence[str], number: int) -> list[str]:
    first, second = _zipf(chance, len(pool), number), _zipf(chance, len(pool), number)
    two = (chance.random(number) < 0.8).tolist()
    parts = zip(first, second, two, strict=True)
    return [f"{pool[a]} {pool[b]}".title() if both else pool[a].title() for a, b, both in parts]


def _hyphenated(name: str) -> str:
    return name.replace(" ", "-", 1)


def _accented(name: str) -> str:
    return name[0] + name[1:].translate(_ACCENTS)


def _alias(name: str) -> str:
    """Return a row that makes the last word of a name an alias, which other entities may share."""
    last = name.split()[-1]
    return f"{name}\talias\t{last}\n" if last != name else ""


def _words(chance: np.random.Generator, number: int) -> list[str]:
    """Return distinct words of one to four syllables; the first words tend to be short."""
    draw = random.Random(int(chance.integers(1 << 30)))
    found: dict[str, None] = {}
    while len(found) < number:
        syllables = 1 + (len(found) > 400) + (draw.random() < 0.5) + (draw.random() < 0.15)
        word = "".join(draw.choice(_ONSETS) + draw.choice(_VOWELS) for _ in range(syllables))
        found[word + draw.choice(_CODAS)] = None
    return list(found)


def _zipf(chance: np.random.Generator, number: int, size: int, flat: int = 20) -> list[int]:
    """Draw ranks below `number` by Zipf's law; a larger `flat` makes low ranks less dominant."""
    ranks: list[int] = _zipf_ranks(chance, number, size, flat).tolist()
    return ranks


def _zipf_ranks(chance: np.random.Generator, number: int, size: int, flat: int) -> _Ints:
    weights = 1 / (np.arange(number) + flat)
    drawn = np.searchsorted(np.cumsum(weights) / weights.sum(), chance.random(size))
    return np.minimum(drawn, number - 1)


def _facts(chance: np.random.Generator, entities: int, triples: int) -> tuple[_Ints, _Ints, _Ints]:
    """Return the subject, relation, and object of each row; each entity is a subject at least once.

    Every entity has a type with its own relations. Half of the relations lead to entities of a single type. The other
    half lead to a few entities (genres, years, or countries), some of which are hubs with 10^5 triples.
    """
    others = (entities * chance.random(triples - entities) ** 1.5).astype(np.int64)
    subjects = np.sort(np.concatenate([np.arange(entities), others]))
    slots = _zipf_ranks(chance, _RELATIONS // _TYPES, triples, flat=1)
    relations = (subjects % _TYPES) * (_RELATIONS // _TYPES) + slots
    # Every second entity has the same first relation, similar to a relation for an entity's type.
    firsts = np.flatnonzero(np.diff(subjects, prepend=-1))
    relations[firsts[::2]] = 0
    few = relations % 3 * 31 + _zipf_ranks(chance, 3_000, triples, flat=1)
    many = (entities // _TYPES * chance.random(triples) ** 2).astype(np.int64) * _TYPES + relations * 7 % _TYPES
    order = chance.permutation(entities)
    return order[subjects], relations, order[np.where(relations % 2 == 0, few, many)]
