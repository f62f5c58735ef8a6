"""Write out the abbreviations in the names of kinds, properties, and relations."""

import tomllib
from functools import lru_cache
from pathlib import Path

from language.english.lexicon import words_of_class

ABBREVIATIONS: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
"""Map from abbreviation to the word that it most often stands for."""
_LITTLE = words_of_class("little word")
_VOWELS = frozenset("aeiou")
_SHORT = 4  # letters; longer parts of words are words themselves, unless they lack vowels


@lru_cache(100_000)
def abbreviates(short: str, word: str) -> bool:
    """Return whether a part of a name can stand for a word of a question, both in lower case.

    Names such as `eqp`, `is_rnt`, and `dlv` keep the first letter of a word, and some of the others in order. Two
    letters are the first ones of the word, or of its consonants.

    Example:
        >>> abbreviates("eqp", "equipment"), abbreviates("st", "status"), abbreviates("st", "cost")
        (True, True, False)
    """
    if not 2 <= len(short) < len(word) or short[0] != word[0] or short in _LITTLE:
        return False
    letters = iter(word)
    if not short.isalpha() or not all(letter in letters for letter in short):
        return False
    if len(short) == 2:
        consonants = word[0] + "".join(letter for letter in word[1:] if letter not in _VOWELS)
        return len(word) > 3 and (word.startswith(short) or consonants.startswith(short))
    return len(short) <= _SHORT or word.startswith(short) or _VOWELS.isdisjoint(short[1:])
