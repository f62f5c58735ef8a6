"""Say the names of relations and properties in words."""

from language.english.abbreviations import ABBREVIATIONS
from language.english.lexicon import words_of_class
from shared.text import readable

_AMBIGUOUS = words_of_class("ambiguous abbreviation")
_ACRONYMS = words_of_class("acronym")


def in_words(identifier: str) -> str:
    """Return an identifier as words, with abbreviations written out, and with acronyms in capitals.

    Example:
        >>> in_words("rpts_to"), in_words("costCtr"), in_words("ACTED_IN")
        ('reports to', 'cost center', 'acted in')
    """
    return " ".join(map(_spelt_out, readable(identifier).split()))


def _spelt_out(word: str) -> str:
    if word in _AMBIGUOUS:
        return word
    return word.upper() if word in _ACRONYMS else ABBREVIATIONS.get(word, word)
