"""Estimate word surprisal: the rarer a word is in general text, the likelier it is to be part of a name."""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from language.english.ordinary_words import FOREIGN_WORDS, POOR_NAMES
from shared.text import words

# In nats: -log P(word).
_FUNCTION_WORD = 0.3
_QUESTION_WORD = 1.2
_SINGLE_LETTER = 2.0
_WITHOUT_VOCABULARY = 8.0
_OUT_OF_VOCABULARY = 11.0
# The bonus for each word after the first: names of several words rarely occur by chance, even if the words are common.
_EXTRA_WORD = 1.0
# Starting with this word, bert-base-uncased lists whole words by frequency; MiniLM uses the same vocabulary.
_MOST_FREQUENT_WORD, _MOST_FREQUENT_ID = "the", 1996


class LexicalFeatures(NamedTuple):
    """Hold the features of a name that depend only on its words; `is_word` and `is_foreign` apply to one-word names."""

    surprisal: float
    are_common: bool
    has_common_edge: bool
    is_word: bool
    is_foreign: bool


class WordSurprisal:
    """Estimate surprisal in nats: 0.3 for `the`, 5 for `film`, 11 for a name that few texts contain.

    `question_words` are the words that questions about this graph use outside names; `vocabulary` is the encoder's.
    """

    def __init__(self, question_words: Iterable[str] = (), vocabulary: Mapping[str, int] | None = None) -> None:
        # The vocabulary is ignored unless its ids are in BERT's order, which is by frequency.
        self._question_words = frozenset(question_words)
        is_ranked = vocabulary is not None and vocabulary.get(_MOST_FREQUENT_WORD) == _MOST_FREQUENT_ID
        self._ids = vocabulary if is_ranked else None

    def of(self, word: str) -> float:
        """Return the surprisal of a normalised word."""
        if word in POOR_NAMES:
            return _FUNCTION_WORD
        if word in self._question_words:
            return _QUESTION_WORD
        if len(word) == 1:
            return _SINGLE_LETTER
        if self._ids is None:
            return _WITHOUT_VOCABULARY
        rank = self._ids.get(word, -1) - _MOST_FREQUENT_ID + 1
        return math.log(rank + 1) if rank > 0 else _OUT_OF_VOCABULARY

    def of_name(self, name: str) -> float:
        """Return the total surprisal of a normalised name, with a bonus for each word after the first."""
        parts = name.split()
        return sum(self.of(word) for word in parts) + _EXTRA_WORD * max(0, len(parts) - 1)

    def is_common(self, word: str) -> bool:
        """Return whether a word is common in questions in general, and therefore poor evidence for a name."""
        return word in POOR_NAMES or word in self._question_words

    def are_common(self, text: str) -> bool:
        """Return whether all words of a text are common."""
        return all(self.is_common(word) for word in words(text))

    def has_common_edge(self, name: str) -> bool:
        """Return whether a normalised name begins or ends with a common word."""
        parts = name.split()
        return bool(parts) and (self.is_common(parts[0]) or self.is_common(parts[-1]))

    def features(self, name: str) -> LexicalFeatures:
        """Return the lexical features of a normalised name."""
        # Without a vocabulary, only function words are known to be words.
        is_word = name in POOR_NAMES or (self._ids or {}).get(name, -1) >= _MOST_FREQUENT_ID
        is_foreign = name in FOREIGN_WORDS
        return LexicalFeatures(
            self.of_name(name), self.are_common(name), self.has_common_edge(name), is_word, is_foreign
        )
