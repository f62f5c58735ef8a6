"""How many typing errors a name may have, and the keys under which a misspelt word is found again.

A word is indexed under itself with up to `edits_allowed_in_word` letters left out (symmetric deletion): two words that
are one edit apart share a form with one letter less. Only the first letters count, so that long words have few forms.
Words that sound alike share a key, too: who has heard a name spells it in another way, not nearly in this one.
"""

import re
import zlib
from collections.abc import Iterator
from itertools import combinations

from rapidfuzz.distance import OSA

_SHORTEST = 4
_SHORTEST_WORD = 3
_LONG = 8
_PREFIX = 7
# What Latin letters sound like, roughly and in English ears, one after the other.
_SOUNDS = [
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("ph", "f"), ("c(?=[eiy])|z", "s"), ("ck|ch|[cq]", "k"), ("x", "ks"), ("g(?=[eiy])", "j"), ("(?<=.)h", ""),
        ("ie|ey|ee|ea|y", "i"), ("ou|oo", "u"), (r"(.)\1+", r"\1"),
    )
]  # fmt: skip


def edits_allowed(length: int) -> int:
    """Edits that still leave a word or name of so many letters recognisable: 0 below 4, 1 below 8, else 2."""
    if length < _SHORTEST:
        return 0
    return 1 if length < _LONG else 2


def edits_allowed_in_word(length: int) -> int:
    """As `edits_allowed`, for a word within a name, which its other words make recognisable: 1 from 3 letters on."""
    return max(edits_allowed(length), int(length >= _SHORTEST_WORD))


def is_correctable(word: str) -> bool:
    """Whether a word may be misspelt; another number is another thing, not a typing error."""
    return len(word) >= _SHORTEST_WORD and not any(map(str.isdigit, word))


def sound(word: str) -> str:
    """A normalised word as it sounds: the same for `christel` and `kristel`. Words of other scripts stay."""
    if not (word.isascii() and word.isalpha()):
        return word
    for pattern, heard in _SOUNDS:
        word = pattern.sub(heard, word)
    return word


def slips(typed: str, name: str) -> int:
    """Edits between two normalised names; a word that sounds like the one meant counts as one, whatever its letters."""
    edits = OSA.distance(typed, name)
    pairs = list(zip(typed.split(), name.split(), strict=False))
    if edits <= 1 or len(pairs) != typed.count(" ") + 1 or len(pairs) != name.count(" ") + 1:
        return edits
    return min(
        edits,
        sum(1 if sound(one) == sound(other) else OSA.distance(one, other) for one, other in pairs if one != other),
    )


def word_keys(word: str) -> Iterator[int]:
    """The keys of a word: of its sound, and of its first letters with up to `edits_allowed_in_word` of them left out.

    Words within the allowed edits share a key; a shared key is only a hint, to be checked by the real distance.
    """
    prefix = word[:_PREFIX]
    forms = {prefix}
    for left_out in range(1, edits_allowed_in_word(len(word)) + 1):
        forms.update("".join(kept) for kept in combinations(prefix, len(prefix) - left_out))
    yield sound_key(word)
    yield from (_checksum(form) for form in forms)


def sound_key(word: str) -> int:
    """The key that words of one sound share."""
    return _checksum(f"~{sound(word)}")


def _checksum(form: str) -> int:
    return zlib.crc32(form.encode(errors="replace"))
