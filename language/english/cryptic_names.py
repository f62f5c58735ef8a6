"""Tell names of kinds, properties, and relations that say little to people who did not choose them."""

from collections.abc import Container

from language.english.abbreviations import ABBREVIATIONS
from language.english.lexicon import words_of_class
from language.english.quantities import ALL_UNITS
from shared.text import readable

_LITTLE = words_of_class("little word") | words_of_class("preposition")
_VOWELS = frozenset("aeiouy")
_SHORT, _LONG = 3, 5  # letters; longer words that a reader does not know are rare words rather than abbreviations
_ACRONYMS = words_of_class("acronym")


def is_cryptic(name: str, vocabulary: Container[str]) -> bool:
    """Return whether a name abbreviates words, or consists of little words alone, so that its owner must explain it.

    Units at the end of a name are known.

    Args:
        name: The name, as the graph stores it.
        vocabulary: The words, in lower case, that a reader knows.

    Example:
        >>> [name for name in ("amt_eur", "price_eur", "rpts_to", "BY", "written_by") if is_cryptic(name, known)]
        ['amt_eur', 'rpts_to', 'BY']
    """
    words = [word for word in readable(name).split() if word.isalpha()]
    if len(words) > 1 and words[-1] in ALL_UNITS:
        words.pop()
    content = [word for word in words if word not in _LITTLE and len(word) > 1]
    return not content or any(_is_unclear(word, vocabulary) for word in content)


def _is_unclear(word: str, vocabulary: Container[str]) -> bool:
    if word in _ACRONYMS:
        return False
    is_known = word in vocabulary or (len(word) > _LONG and not _VOWELS.isdisjoint(word))
    return word in ABBREVIATIONS or len(word) < _SHORT or not is_known
