"""Match entity names despite typos, and derive short names.

Misspelled words are found by symmetric deletion: each word is indexed under its first letters and under every form with
up to `max_word_edits` of them deleted, so two words at distance one share a form. Words that sound alike share a key as
well, because people who know a name only by ear often misspell it by more than the allowed distance.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import combinations

from rapidfuzz.distance import OSA

from graph.store import NameMatch
from shared.text import normalise

# Thousands of entities may share a name; only the entities with the highest degrees are useful.
MAX_EXACT_MATCHES = 50
MAX_SIMILAR_MATCHES = 5
# A short name shared by more entities is a common word (`airport`) or is too ambiguous (`smith`).
MAX_ENTITIES_PER_SHORT_NAME = 8
MAX_SHORT_WORDS = 6

_MIN_NAME_LETTERS, _MIN_WORD_LETTERS, _LETTERS_FOR_TWO_EDITS = 4, 3, 8
_INDEXED_LETTERS = 7
# Rules for a rough English pronunciation of Latin letters, applied in this order.
_SOUNDS = [
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("ph", "f"), ("c(?=[eiy])|z", "s"), ("ck|ch|[cq]", "k"), ("x", "ks"), ("g(?=[eiy])", "j"), ("(?<=.)h", ""),
        ("ie|ey|ee|ea|y", "i"), ("ou|oo", "u"), (r"(.)\1+", r"\1"),
    )
]  # fmt: skip

# The start of a subtitle: `Star Wars: Episode IV`, `Dr. Strangelove or: How I Learned`, `Yi Yi (A One and a Two)`.
_SUBTITLE = re.compile(r"(?:\sor\s*)?[:(;\uff1a\uff08\uff1b]|,\s|\uff0c|\s[-–—/]\s")
# Personal names have few words, and the last one is the surname. Longer names are titles or descriptions.
_MAX_PERSON_WORDS = 4
_NAME_SUFFIXES = {"jr", "sr", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv"}
_MIN_TITLE_LETTERS = 3


def max_edits(length: int) -> int:
    """Return how many edits a name of `length` letters tolerates: 0 for 3 or fewer, 1 for 4 to 7, otherwise 2."""
    return 0 if length < _MIN_NAME_LETTERS else 1 if length < _LETTERS_FOR_TWO_EDITS else 2


def max_word_edits(length: int) -> int:
    """Return how many edits a word within a name tolerates: like `max_edits`, but at least 1 for 3 letters."""
    return max(max_edits(length), int(length >= _MIN_WORD_LETTERS))


def is_correctable(word: str) -> bool:
    """Return whether a word may be a misspelling. Numbers never are: a different number means a different name."""
    return len(word) >= _MIN_WORD_LETTERS and not any(map(str.isdigit, word))


def phonetic_form(word: str) -> str:
    """Spell a normalised word as it sounds: `christel` and `kristel` share a form. Non-Latin words stay unchanged."""
    if word.isascii() and word.isalpha():
        for pattern, sound in _SOUNDS:
            word = pattern.sub(sound, word)
    return word


def name_distance(typed: str, name: str) -> int:
    """Count the edits between two normalised names. A word that sounds like its counterpart counts as one edit."""
    edits = OSA.distance(typed, name)
    pairs = list(zip(typed.split(), name.split(), strict=False))
    if edits <= 1 or len(pairs) != typed.count(" ") + 1 or len(pairs) != name.count(" ") + 1:
        return edits
    by_word = (1 if phonetic_form(a) == phonetic_form(b) else OSA.distance(a, b) for a, b in pairs if a != b)
    return min(edits, sum(by_word))


def misspelling_distance(typed: str, name: str) -> int | None:
    """Return the distance if `typed` may be a misspelling of `name`; None if they are equal or too different.

    Words of one or two letters in a name are never misspelt: `LAX airport` is not `LA airport`. Nor are numbers and
    codes: `Gate 12` is not `Gate 11`.
    """
    words, others = typed.split(), name.split()
    if _codes(words) != _codes(others):
        return None
    distance = name_distance(typed, name)
    if len(words) == len(others) and any(
        word != other and len(other) < _MIN_WORD_LETTERS for word, other in zip(words, others, strict=True)
    ):
        return None
    return distance if 0 < distance <= max_edits(min(len(typed), len(name))) else None


def _codes(words: list[str]) -> list[str]:
    return [word for word in words if any(map(str.isdigit, word))]


def word_keys(word: str) -> Iterator[int]:
    """Yield a word's index keys: one for its phonetic form, and one for each way to delete some of its first letters.

    Words within the allowed distance share a key. The reverse does not hold, so compare candidates by distance.
    """
    prefix = word[:_INDEXED_LETTERS]
    forms = {prefix}
    for deleted in range(1, max_word_edits(len(word)) + 1):
        forms.update("".join(kept) for kept in combinations(prefix, len(prefix) - deleted))
    yield phonetic_key(word)
    yield from (_checksum(form) for form in forms)


def phonetic_key(word: str) -> int:
    """Return the index key that words with the same phonetic form share."""
    return _checksum(f"~{phonetic_form(word)}")


def best_per_entity(matches: Iterable[NameMatch]) -> list[NameMatch]:
    """Keep the best match for each entity, best first.

    The best match has the fewest edits. Ties go to a full name over a short name, then to an entity's own name over an
    alias, then to the highest degree, then to the first name in alphabetical order.
    """
    best: dict[str, NameMatch] = {}
    for match in sorted(matches, key=_rank):
        best.setdefault(match.entity.id, match)
    return list(best.values())


def short_name(name: str, normalised: str) -> str | None:
    """Derive the short form of a name: the title without its subtitle, otherwise the surname.

    `normalised` is the name after `shared.text.normalise`. The result is normalised, too: `Star Wars: Episode IV` ->
    `star wars`, `Sam Peckinpah` -> `peckinpah`. Returns None if no part of the name identifies the entity.
    """
    subtitle = _SUBTITLE.search(name)
    short = _title(name[: subtitle.start()]) if subtitle else _surname(normalised.split())
    # Punctuation normalises to itself only if there are no letters.
    return short if short and short != normalised and short in normalised else None


def _title(text: str) -> str | None:
    title = normalise(text)
    words = title.split()
    is_distinctive = len(title) >= _MIN_TITLE_LETTERS and any(word.isalpha() for word in words)
    return title if is_distinctive and len(words) <= MAX_SHORT_WORDS else None


def _surname(words: list[str]) -> str | None:
    while words and words[-1] in _NAME_SUFFIXES:
        words = words[:-1]
    return words[-1] if 1 < len(words) <= _MAX_PERSON_WORDS and is_correctable(words[-1]) else None


def _rank(match: NameMatch) -> tuple[int, bool, bool, int, str, str]:
    return match.distance, match.is_short, match.is_alias, -match.degree, match.entity.name, match.entity.id


def _checksum(form: str) -> int:
    return zlib.crc32(form.encode(errors="replace"))
