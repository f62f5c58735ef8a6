"""Find questions that repeat others in nearly the same words, so that no model is measured on what it has read."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

_WORD = re.compile(r"\w+")
_ALIKE = 0.8
"""The Jaccard index of the words of two questions from which on one repeats the other."""


class RepeatedQuestions:
    """Compare questions with those that a model is measured on, by their words; case and punctuation do not matter."""

    def __init__(self, measured: Iterable[str]) -> None:
        """Index the questions that a model is measured on."""
        self._words = list({words for one in measured if (words := _words(one))})
        counts = Counter(word for words in self._words for word in words)
        self._rank: Mapping[str, int] = counts
        self._holding: defaultdict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(self._words):
            for word in self._rarest(words):
                self._holding[word].append(number)

    def __contains__(self, question: str) -> bool:
        """Return whether a question has nearly the words of one of the measured questions."""
        words = _words(question)
        numbers = {number for word in words for number in self._holding.get(word, ())}
        return any(_likeness(words, self._words[number]) >= _ALIKE for number in numbers)

    def _rarest(self, words: frozenset[str]) -> list[str]:
        """Return so many of the rarest words that a question without any of them is not alike."""
        ordered = sorted(words, key=lambda word: (self._rank[word], word))
        return ordered[: len(words) - math.ceil(_ALIKE * len(words)) + 1]


def _words(question: str) -> frozenset[str]:
    return frozenset(_WORD.findall(question.lower()))


def _likeness(some: frozenset[str], others: frozenset[str]) -> float:
    return len(some & others) / len(some | others)
