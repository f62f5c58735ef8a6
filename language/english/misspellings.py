"""Tell what misspelt words stand for: words that differ by one letter, or by two that changed places."""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spellchecker import SpellChecker

_LEAST_LETTERS = 5
_COMMON = 500
"""The number of times that a word occurs in the dictionary's corpus from which it may be meant without a reason."""


def respelled(word: str, is_likely: Callable[[str], bool]) -> str | None:
    """Return the word that a misspelt one in lower case stands for; None for others, and if nothing is close.

    Args:
        word: The word.
        is_likely: Tells the words that are meant rather than any others, such as those of a schema.

    Example:
        >>> respelled("averge", lambda word: False), respelled("vehicels", lambda word: word == "vehicles")
        ('average', 'vehicles')
        >>> respelled("isnt", lambda word: False)
        "isn't"
        >>> respelled("cheapest", lambda word: True)
    """
    if not (word.isalpha() and word.islower()) or word in _dictionary():
        return None
    if word.endswith("nt") and (negated := f"{word[:-1]}'t") in _dictionary():
        return negated
    if len(word) < _LEAST_LETTERS:
        return None
    close = {one for one in _dictionary().edit_distance_1(word) if one != word and one.isalpha()}
    likely = list(filter(is_likely, close))
    common = [one for one in close if one[0] == word[0] and _occurrences(one) >= _COMMON]
    among = [one for one in likely if one in _dictionary()] or likely or common
    return max(among, key=lambda one: (sorted(one) == sorted(word), _occurrences(one), one), default=None)


def _occurrences(word: str) -> int:
    return int(_dictionary().word_frequency.dictionary.get(word, 0))


@lru_cache(maxsize=1)
def _dictionary() -> "SpellChecker":
    from spellchecker import SpellChecker  # takes half a second, and only the retriever needs it

    return SpellChecker(language="en", distance=1)
