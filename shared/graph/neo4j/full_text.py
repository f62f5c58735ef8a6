"""Lucene queries that find names: looked for widely, and then compared by the project's own rules.

A full-text index splits names into words in its own way: `O'Brien`, `U.S.A`, `WALL·E` and `san_francisco` are one word
to it, and two or more, or one without the sign, to `shared.text.normalise`.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby, islice, pairwise

from shared.graph.spelling import is_correctable, slips
from shared.text import normalise

# O'Brien, d'Arc, L'Amour; Jacob's, don't, we're.
_BEFORE_NAMES, _SHORTEST_AFTER = "odl", 3
_CONTRACTED = ("s", "t", "d", "m", "re", "ve", "ll")
_DIGITS = 0
_SHORTEST_JOINED, _LONGEST_JOINED = 5, 30
_MOST_JOINED = 4
# Lucene takes a thousand.
_MOST_TERMS = 500
_MOST_SOUNDS = 12
_LONG_ENOUGH_FOR_TWO = 4
# What else is heard like some letters; `shared.graph.spelling.sound` says which.
_HEARD = (
    ("ph", "f"), ("f", "ph"), ("k", "ch"), ("k", "c"), ("ch", "k"), ("c", "k"), ("s", "c"), ("c", "s"), ("z", "s"),
    ("s", "z"), ("j", "g"), ("g", "j"), ("i", "y"), ("y", "i"), ("i", "ee"), ("ee", "i"), ("oo", "ou"), ("ks", "x"),
    ("x", "ks"),
)  # fmt: skip
# Of these scripts the index takes each character for a word.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_TERM = re.compile(r"\w+")
_SYNTAX = re.compile(r'[+\-!(){}\[\]^"~*?:\\/&|<>=]')


def exactly(name: str, ignored: Collection[str]) -> str:
    """A query for the names that normalise to this one, and for longer ones that hold its words; "" finds nothing.

    `ignored`: words that the index leaves out, its stop words.
    """
    words = _words(name)
    units = [_forms(unit) for unit in _units(words) if len(unit) > 1 or unit[0] not in ignored]
    if not units:
        return ""
    if ignored or any(len(forms) > 1 for forms in units):
        whole = _all(_any(map(_quoted, forms)) for forms in units)
    else:
        whole = _quoted(" ".join(words))
    return " OR ".join([whole, _quoted("_".join(words))] if 1 < len(words) <= _MOST_JOINED else [whole])


def similar(name: str, ignored: Collection[str]) -> str:
    """A query for names a few typing errors away: wrong letters, blanks too few or too many, words as they sound."""
    words = _held(name, ignored)
    if not words:
        return ""
    return " OR ".join([_all(map(_misspelt, words)), *_with_other_blanks(words)])


def similar_pairs(name: str, ignored: Collection[str]) -> list[str]:
    """Queries, one for every two words in a row, that each find whatever `similar` finds for a name of more words.

    Words in a row are shared by many runs of words of a question, and to look for a misspelt one costs the most.
    """
    words = _held(name, ignored)
    return [similar(f"{first} {second}", ignored) for first, second in pairwise(words)] if len(words) > 2 else []


def together_in_few(queries: Iterable[str]) -> list[str]:
    """The queries joined into a few, each of not too many terms."""
    found: list[list[str]] = []
    room = 0
    for query in queries:
        terms = len(_TERM.findall(query))
        if terms > room:
            found.append([])
            room = _MOST_TERMS
        found[-1].append(query)
        room -= terms
    return [" OR ".join(some) for some in found]


def _words(name: str) -> list[str]:
    return [word for word in normalise(_SYNTAX.sub(" ", name)).split() if any(map(str.isalnum, word))]


def _held(name: str, ignored: Collection[str]) -> list[str]:
    """The words by which to look for a misspelt name: none that the index leaves out, or that may be one of those."""
    words = [word for word in _words(name) if word not in ignored]
    sure = [word for word in words if not any(slips(word, stop) == 1 for stop in ignored)]
    return sure or words


def _all(parts: Iterable[str]) -> str:
    return _joined(list(parts), " AND ")


def _any(parts: Iterable[str]) -> str:
    return _joined(list(parts), " OR ")


def _joined(parts: list[str], by: str) -> str:
    return f"({by.join(parts)})" if len(parts) > 1 else parts[0]


def _quoted(text: str) -> str:
    return f'"{text}"'


def _units(words: list[str]) -> Iterator[list[str]]:
    """Words one by one, but initials and groups of digits in a row together: the index may hold `r.a` and `20,000`."""
    for kind, run in groupby(words, key=lambda word: _DIGITS if word.isdigit() else min(len(word), 2)):
        together = list(run)
        yield from [together] if kind in (1, _DIGITS) else ([word] for word in together)


def _forms(unit: list[str]) -> list[str]:
    """How the index may hold a word or a run of them; a word may have lost its apostrophe: `obrien`, `dont`, `were`."""
    if len(unit) > 1:
        return [" ".join(unit), ".".join(unit), *([",".join(unit)] if unit[0].isdigit() else [])]
    [word] = unit
    places = {len(word) - len(end) for end in _CONTRACTED if word.endswith(end) and len(word) > len(end) + 1}
    if word[0] in _BEFORE_NAMES and len(word) > _SHORTEST_AFTER:
        places.add(1)
    return [word, *(f"{word[:place]}'{word[place:]}" for place in sorted(places))]


def _misspelt(word: str) -> str:
    if _UNSPACED.search(word):
        return _any(map(_quoted, dict.fromkeys(word)))
    if not is_correctable(word):
        return _quoted(word)
    edits = 2 if len(word) >= _LONG_ENOUGH_FOR_TWO else 1
    return _any([f"{word}~{edits}", *map(_quoted, islice(_sounding_like(word), _MOST_SOUNDS))])


def _sounding_like(word: str) -> Iterator[str]:
    """Other ways to write what one hears, with one or two of its sounds written otherwise."""
    if not (word.isascii() and word.isalpha()):
        return
    once = [word.replace(heard, written) for heard, written in _HEARD if heard in word]
    yield from once
    for place, (heard, written) in enumerate(_HEARD):
        if heard in word:
            other = word.replace(heard, written)
            yield from (other.replace(h, w) for h, w in _HEARD[place + 1 :] if h in word and h != written)


def _with_other_blanks(words: list[str]) -> Iterator[str]:
    letters = "".join(words)
    if len(words) > 2 or not _SHORTEST_JOINED <= len(letters) <= _LONGEST_JOINED:
        return
    if len(words) > 1:
        yield _quoted(letters)
    yield from (_quoted(f"{letters[:place]} {letters[place:]}") for place in range(1, len(letters)))
