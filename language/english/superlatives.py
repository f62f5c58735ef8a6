"""Find the superlatives of a question that only some properties can answer, such as `friendliest`."""

from language.english.lexicon import words_of_class
from language.english.quantities import ADJECTIVES
from language.marks import Mark
from language.question import Question

_ANYTHING = words_of_class("any comparison") | ADJECTIVES
_NONE = words_of_class("no superlative")
OPINIONS = words_of_class("opinion")
"""Superlatives of opinions, which only properties that are much like them answer."""


def superlatives(question: Question) -> list[str]:
    """Return the superlatives of a question that only some properties can answer.

    Example:
        >>> from language.english.english import english
        >>> superlatives(english("What is the most dangerous of the friendliest and biggest dogs?"))
        ['friendliest', 'dangerous']
    """
    found = [one.parts[0] or "" for mark in (Mark.SUPERLATIVE, Mark.LONG_SUPERLATIVE) for one in question.all(mark)]
    return [word for word in dict.fromkeys(found) if word not in _ANYTHING and word not in _NONE]
