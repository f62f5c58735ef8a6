"""Find the superlatives of a question that only some properties can answer, such as `friendliest`."""

import tomllib
from pathlib import Path

from language.english.quantities import ADJECTIVES
from language.marks import Mark
from language.question import Question

_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_ANYTHING = frozenset(_LISTS["anything"].split()) | ADJECTIVES
_NONE = frozenset(_LISTS["no_superlatives"].split())
OPINIONS = frozenset(_LISTS["opinions"].split())
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
