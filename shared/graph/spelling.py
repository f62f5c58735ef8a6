"""How many typing errors a name may have, and the keys under which a misspelt word is found again.

A word is indexed under itself with up to `edits_allowed_in_word` letters left out (symmetric deletion): two words that
are one edit apart share a form with one letter less. Only the first letters count, so that long words have few forms.
"""

import zlib
from collections.abc import Iterator
from itertools import combinations

_SHORTEST = 4
_SHORTEST_WORD = 3
_LONG = 8
_PREFIX = 7


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
    return len(word) >= _SHORTEST_WORD and not any(c.isdigit() for c in word)


def word_keys(word: str) -> Iterator[int]:
    """The keys of a word: checksums of its first letters with up to `edits_allowed_in_word` of them left out.

    Words within the allowed edits share a key; a shared key is only a hint, to be checked by the real distance.
    """
    prefix = word[:_PREFIX]
    forms = {prefix}
    for left_out in range(1, edits_allowed_in_word(len(word)) + 1):
        forms.update("".join(kept) for kept in combinations(prefix, len(prefix) - left_out))
    return (zlib.crc32(form.encode(errors="replace")) for form in forms)
