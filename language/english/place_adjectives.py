"""Tell adjectives of places from names of languages: the French capital is France's, and people speak French."""

import re

from language.english.marks import PATTERNS
from language.english.nationalities import places_of
from language.marks import Mark

_NO_NOUN = frozenset(
    (
        *("a", "also", "an", "and", "are", "as", "at", "be", "but", "by", "can", "did", "do", "does", "for", "from"),
        *("had", "has", "have", "in", "is", "it", "known", "mostly", "nor", "not", "of", "official", "on", "or"),
        *("than", "that", "the", "to", "used", "was", "were", "where", "which", "who", "with"),
    )
)
_NEXT_WORD = re.compile(r"\s+([^\W\d_]+)")


def means_place(question: str, start: int, end: int) -> bool:
    """Return whether `question[start:end]` is an adjective that stands for a place, and not for its language.

    It does before a noun, unless the question is about languages or scripts.
    """
    following = _NEXT_WORD.match(question, end)
    if following is None or following[1].lower() in _NO_NOUN or not places_of(question[start:end]):
        return False
    return not _is_about_language(question)


def _is_about_language(question: str) -> bool:
    """Return whether a question is about languages or scripts."""
    return PATTERNS[Mark.ABOUT_LANGUAGE].search(question) is not None


def places_at(question: str, start: int, end: int) -> list[str]:
    """Return the names of the places that an adjective at a place of a question stands for; none if it is no such."""
    return places_of(question[start:end]) if means_place(question, start, end) else []
