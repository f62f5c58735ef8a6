"""Which corrected spellings of asked names begin a name of the graph, found word by word.

The runs of words of a question share their beginnings, and few beginnings of two words are those of a name: so the
corrections of ten words are not tried in every combination.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence

# A correct word and its edit distance to what was typed.
Correction = tuple[str, int]

_Words = tuple[str, ...]

# The first name from these letters on: it begins with them, or none does.
_FIRST_FROM = """
    SELECT (SELECT letters FROM names WHERE letters >= asked.value ORDER BY letters LIMIT 1)
    FROM json_each(?) AS asked
"""
# How many corrections of each are tried in a name in which two words are wrong.
_CORRECTIONS_IN_PAIRS = 8

# What may still be corrected in a beginning: all (two words), one more word, or none.
_ALL, _ONE, _NONE = range(3)
# A spelling of a beginning, its letters without blanks, and what may still be corrected in it.
_Beginning = tuple[str, str, int]


def spellings(
    connection: sqlite3.Connection, asked: Sequence[_Words], corrections: Mapping[str, list[Correction]]
) -> dict[_Words, list[str]]:
    """The spellings of each name with one word corrected, or two by an edit each, that may be names of the graph."""
    begun: dict[_Words, list[_Beginning]] = {(): [("", "", _ALL)]}
    found: dict[_Words, list[str]] = {}
    for length in range(1, max(map(len, asked), default=0) + 1):
        longer = {name[:length] for name in asked if len(name) >= length and name[: length - 1] in begun}
        tried = {words: list(_extended(begun[words[:-1]], words[-1], corrections)) for words in longer}
        first = _first_from(connection, {letters for some in tried.values() for _, letters, _ in some})
        begun = {words: [one for one in some if first[one[1]].startswith(one[1])] for words, some in tried.items()}
        begun = {words: some for words, some in begun.items() if some}
        for words in begun.keys() & set(asked):
            # Of the first name only the letters are known, so that it may have its blanks elsewhere.
            found[words] = [
                spelt for spelt, letters, left in begun[words] if left != _ALL and first[letters] == letters
            ]
    return found


def _extended(
    beginnings: Sequence[_Beginning], word: str, corrections: Mapping[str, list[Correction]]
) -> Iterator[_Beginning]:
    for spelt, letters, left in beginnings:
        before = f"{spelt} " if spelt else ""
        yield before + word, letters + word, left
        if left == _NONE:
            continue
        for place, (correct, distance) in enumerate(corrections.get(word, ())):
            # One error in each of two words: no name may have more than two.
            in_pair = distance == 1 and place < _CORRECTIONS_IN_PAIRS
            if in_pair:
                yield before + correct, letters + correct, _ONE if left == _ALL else _NONE
            elif left == _ALL:
                yield before + correct, letters + correct, _NONE


def _first_from(connection: sqlite3.Connection, letters: set[str]) -> dict[str, str]:
    asked = list(letters)
    rows = connection.execute(_FIRST_FROM, (json.dumps(asked),))
    return {some: first or "" for some, (first,) in zip(asked, rows, strict=True)}
