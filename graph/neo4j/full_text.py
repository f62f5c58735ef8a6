"""Build broad Lucene queries for names; the project's own rules then filter the results.

A full-text index splits names differently from `shared.text.normalise`: `O'Brien`, `U.S.A`, `WALL·E`, and
`san_francisco` are single words to the index. Normalised, they are several words, or one word without punctuation.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby, islice, pairwise

from graph.name_matching import is_correctable, name_distance
from shared.text import normalise

# Prefixes as in O'Brien, d'Arc, and L'Amour; contractions as in Jacob's, don't, and we're.
_PREFIXES, _MIN_AFTER_PREFIX = "odl", 3
_CONTRACTIONS = ("s", "t", "d", "m", "re", "ve", "ll")
_DIGITS = 0
_MIN_JOINED_LETTERS, _MAX_JOINED_LETTERS = 5, 30
_MAX_JOINED_WORDS = 4
# Lucene accepts about a thousand terms per query.
_MAX_TERMS = 500
_MAX_HOMOPHONES = 12
_LETTERS_FOR_TWO_EDITS = 4
# Other spellings of the sounds that `graph.name_matching.phonetic_form` treats as equal.
_ALTERNATIVE_SPELLINGS = (
    ("ph", "f"), ("f", "ph"), ("k", "ch"), ("k", "c"), ("ch", "k"), ("c", "k"), ("s", "c"), ("c", "s"), ("z", "s"),
    ("s", "z"), ("j", "g"), ("g", "j"), ("i", "y"), ("y", "i"), ("i", "ee"), ("ee", "i"), ("oo", "ou"), ("ks", "x"),
    ("x", "ks"),
)  # fmt: skip
# The index treats each character of these scripts as a word.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_TERM = re.compile(r"\w+")
_SYNTAX = re.compile(r'[+\-!(){}\[\]^"~*?:\\/&|<>=]')


def exact_query(name: str, stop_words: Collection[str]) -> str:
    """Build a query for names that contain the words of `name`; it is empty if all of these words are stop words."""
    words = _words(name)
    units = [_forms(unit) for unit in _units(words) if len(unit) > 1 or unit[0] not in stop_words]
    if not units:
        return ""
    if stop_words or any(len(forms) > 1 for forms in units):
        whole = _join("AND", (_join("OR", map(_quoted, forms)) for forms in units))
    else:
        whole = _quoted(" ".join(words))
    return " OR ".join([whole, _quoted("_".join(words))] if 1 < len(words) <= _MAX_JOINED_WORDS else [whole])


def fuzzy_query(name: str, stop_words: Collection[str]) -> str:
    """Build a query for names with wrong letters, missing or extra spaces, or words spelled as they sound."""
    words = _searchable(name, stop_words)
    if not words:
        return ""
    return " OR ".join([_join("AND", map(_misspelled, words)), *_with_other_spaces(words)])


def fuzzy_pair_queries(name: str, stop_words: Collection[str]) -> list[str]:
    """Build one query per pair of adjacent words; each finds everything that `fuzzy_query` finds for the whole name.

    The candidate names in a question share such pairs, which saves expensive fuzzy searches. The list is empty for
    names of fewer than three words.
    """
    words = _searchable(name, stop_words)
    return [fuzzy_query(f"{one} {two}", stop_words) for one, two in pairwise(words)] if len(words) > 2 else []


def combine_queries(queries: Iterable[str]) -> list[str]:
    """Join queries with OR into as few queries as the limit on terms allows."""
    combined: list[list[str]] = []
    room = 0
    for query in queries:
        terms = len(_TERM.findall(query))
        if terms > room:
            combined.append([])
            room = _MAX_TERMS
        combined[-1].append(query)
        room -= terms
    return [" OR ".join(some) for some in combined]


def _words(name: str) -> list[str]:
    return [word for word in normalise(_SYNTAX.sub(" ", name)).split() if any(map(str.isalnum, word))]


def _searchable(name: str, stop_words: Collection[str]) -> list[str]:
    """Return the words to search for, without stop words and, if any words remain, without misspelled stop words."""
    words = [word for word in _words(name) if word not in stop_words]
    certain = [word for word in words if not any(name_distance(word, stop_word) == 1 for stop_word in stop_words)]
    return certain or words


def _join(operator: str, parts: Iterable[str]) -> str:
    listed = list(parts)
    return f"({f' {operator} '.join(listed)})" if len(listed) > 1 else listed[0]


def _quoted(text: str) -> str:
    return f'"{text}"'


def _units(words: list[str]) -> Iterator[list[str]]:
    """Group adjacent initials and adjacent numbers, because the index may hold `r.a` or `20,000` as one word."""
    for kind, run in groupby(words, key=lambda word: _DIGITS if word.isdigit() else min(len(word), 2)):
        group = list(run)
        yield from [group] if kind in (1, _DIGITS) else ([word] for word in group)


def _forms(unit: list[str]) -> list[str]:
    """List the forms in which the index may hold a group of words, or a word that lost its apostrophe: `obrien`."""
    if len(unit) > 1:
        return [" ".join(unit), ".".join(unit), *([",".join(unit)] if unit[0].isdigit() else [])]
    [word] = unit
    places = {len(word) - len(end) for end in _CONTRACTIONS if word.endswith(end) and len(word) > len(end) + 1}
    if word[0] in _PREFIXES and len(word) > _MIN_AFTER_PREFIX:
        places.add(1)
    return [word, *(f"{word[:place]}'{word[place:]}" for place in sorted(places))]


def _misspelled(word: str) -> str:
    if _UNSPACED.search(word):
        return _join("OR", map(_quoted, dict.fromkeys(word)))
    if not is_correctable(word):
        return _quoted(word)
    edits = 2 if len(word) >= _LETTERS_FOR_TWO_EDITS else 1
    return _join("OR", [f"{word}~{edits}", *map(_quoted, islice(_homophones(word), _MAX_HOMOPHONES))])


def _homophones(word: str) -> Iterator[str]:
    """Yield spellings of a word in which one or two of its sounds are written differently."""
    if not (word.isascii() and word.isalpha()):
        return
    yield from (word.replace(sound, spelling) for sound, spelling in _ALTERNATIVE_SPELLINGS if sound in word)
    for place, (sound, spelling) in enumerate(_ALTERNATIVE_SPELLINGS):
        if sound in word:
            other, later = word.replace(sound, spelling), _ALTERNATIVE_SPELLINGS[place + 1 :]
            yield from (other.replace(s, alternative) for s, alternative in later if s in word and s != spelling)


def _with_other_spaces(words: list[str]) -> Iterator[str]:
    letters = "".join(words)
    if len(words) > 2 or not _MIN_JOINED_LETTERS <= len(letters) <= _MAX_JOINED_LETTERS:
        return
    if len(words) > 1:
        yield _quoted(letters)
    yield from (_quoted(f"{letters[:place]} {letters[place:]}") for place in range(1, len(letters)))
