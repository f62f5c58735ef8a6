"""Noise on training questions: the ways in which users word things that the training questions do not.

Questions that people ask are worded in ways that no training file holds. Words left out, typing errors and, most of
all, synonyms that training never shows prepare for that; without synonyms, `airfield` would be a stranger to a model
that has only read `airport`.
"""

import random
import re
from collections.abc import Iterable, Mapping, Sequence

from services.retriever.linking.mentions import MASK, UNSPACED

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_MIN_TYPO_LETTERS = 4
# Scripts without blanks between words lose single characters, not whole questions.
_PIECE = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
MARKS = "?.!,;:'\"()"


class Noise:
    """Changes questions at random.

    `left_out`: the probability that a word, or a step around the topic, is left out; a typing error and a lost
    question mark are three times as probable, the loss of all steps six times. `replaced`: the probability that a word
    is replaced by a synonym.
    """

    def __init__(
        self, left_out: float, replaced: float, synonyms: Mapping[str, Sequence[str]], source: random.Random
    ) -> None:
        self._left_out = left_out
        self._replaced = replaced
        self._synonyms = synonyms
        self._source = source

    def steps(self, steps: Iterable[str]) -> frozenset[str]:
        """The steps around a topic as another of its kind might have them; or none, so that words decide, too."""
        if self._happens(6 * self._left_out):
            return frozenset()
        return frozenset(step for step in sorted(steps) if not self._happens(self._left_out))

    def text(self, question: str) -> str:
        """The masked question as another user might have written it; the mask stays whole."""
        words = [word for word in _PIECE.findall(question) if word == MASK or not self._happens(self._left_out)]
        words = [self._synonym(word) if self._happens(self._replaced) else word for word in words]
        if self._happens(3 * self._left_out) and words:
            place = self._source.randrange(len(words))
            words[place] = self.mistyped(words[place])
        text = " ".join(words) or question
        return text.rstrip(" ?.!") if self._happens(3 * self._left_out) else text

    def _happens(self, probability: float) -> bool:
        return self._source.random() < probability

    def _synonym(self, word: str) -> str:
        bare = word.strip(MARKS)
        known = self._synonyms.get(bare.lower())
        return word.replace(bare, self._source.choice(known)) if known else word

    def mistyped(self, word: str) -> str:
        """The word with one letter left out, doubled, changed or swapped with the next; short words stay."""
        if word == MASK or len(word) < _MIN_TYPO_LETTERS:
            return word
        place = self._source.randrange(1, len(word) - 1)
        before, letter, after = word[:place], word[place], word[place + 1 :]
        other = self._source.choice(_LETTERS)
        return before + self._source.choice([after, letter * 2 + after, other + after, after[0] + letter + after[1:]])
