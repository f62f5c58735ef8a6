"""Augment training questions with deletions, typos, and synonyms.

Users word questions in ways that no training file covers: a model trained only on `airport` must know `airfield`.
"""

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from language.mentions import UNSPACED
from services.retriever.linking.masking import MASK

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_MIN_TYPO_LETTERS = 4
# In scripts without spaces between words, each character is a token, so that a deletion never removes a whole question.
_TOKEN = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
_PUNCTUATION = "?.!,;:'\"()"
# Above this cosine similarity, nearly all neighbours in MiniLM's vocabulary are synonyms or other forms of the word.
_MIN_SIMILARITY = 0.4
_MAX_SYNONYMS = 6
_MIN_SYNONYM_LETTERS = 3


class QuestionAugmenter:
    """Randomly change masked questions and the steps around their topics.

    `deletion_rate` is the probability that a word, or a step around the topic, is deleted. A typo and the loss of the
    final punctuation are each three times as likely; the loss of all steps is six times as likely.
    """

    def __init__(
        self, deletion_rate: float, synonym_rate: float, synonyms: Mapping[str, Sequence[str]], source: random.Random
    ) -> None:
        self._deletion_rate = deletion_rate
        self._synonym_rate = synonym_rate
        self._synonyms = synonyms
        self._source = source

    def augment_steps(self, steps: Iterable[str]) -> frozenset[str]:
        """Delete some steps, as if the topic were a similar entity, or all, so that the words alone must suffice."""
        if self._happens(6 * self._deletion_rate):
            return frozenset()
        return frozenset(step for step in sorted(steps) if not self._happens(self._deletion_rate))

    def augment_text(self, question: str) -> str:
        """Reword a masked question as a different user might phrase it; keep the mask."""
        words = [word for word in _TOKEN.findall(question) if word == MASK or not self._happens(self._deletion_rate)]
        words = [self._synonym(word) if self._happens(self._synonym_rate) else word for word in words]
        if self._happens(3 * self._deletion_rate) and words:
            place = self._source.randrange(len(words))
            words[place] = self.misspell(words[place])
        text = " ".join(words) or question
        return text.rstrip(" ?.!") if self._happens(3 * self._deletion_rate) else text

    def misspell(self, word: str) -> str:
        """Delete, double, replace, or transpose one letter of a word; short words are returned unchanged."""
        if word == MASK or len(word) < _MIN_TYPO_LETTERS:
            return word
        place = self._source.randrange(1, len(word) - 1)
        before, letter, after = word[:place], word[place], word[place + 1 :]
        other = self._source.choice(_LETTERS)
        return before + self._source.choice([after, letter * 2 + after, other + after, after[0] + letter + after[1:]])

    def _happens(self, probability: float) -> bool:
        return self._source.random() < probability

    def _synonym(self, word: str) -> str:
        bare = word.strip(_PUNCTUATION)
        known = self._synonyms.get(bare.lower())
        return word.replace(bare, self._source.choice(known)) if known else word


def find_synonyms(tokenizer: "Tokenizer", embeddings: "Tensor", texts: Iterable[str]) -> dict[str, list[str]]:
    """Map each word in the texts to the nearest words, by embedding, that occur in none of the texts.

    A word in the texts is never used as a synonym, however near it is (`largest` and `smallest`), because training
    itself shows what it means. `embeddings` has the shape [vocabulary, dim].
    """
    vocabulary = tokenizer.get_vocab()
    used = {word.strip(_PUNCTUATION).lower() for text in texts for word in text.split()}
    others = sorted(word for word in vocabulary if _is_word(word) and word not in used)
    known = sorted(word for word in used if word in vocabulary and _is_word(word))
    if not known or not others:
        return {}
    vectors = embeddings - embeddings.mean(dim=0)  # remove the component that all words share
    vectors = vectors / vectors.norm(dim=1, keepdim=True).clamp_min(1e-12)
    known_vectors, other_vectors = (vectors[[vocabulary[word] for word in words]] for words in (known, others))
    nearest = (known_vectors @ other_vectors.T).topk(min(_MAX_SYNONYMS, len(others)), dim=1)
    synonyms = {
        word: [others[column] for value, column in zip(values, columns, strict=True) if value >= _MIN_SIMILARITY]
        for word, values, columns in zip(known, nearest.values.tolist(), nearest.indices.tolist(), strict=True)
    }
    return {word: near for word, near in synonyms.items() if near}


def _is_word(token: str) -> bool:
    return token.isascii() and token.isalpha() and len(token) >= _MIN_SYNONYM_LETTERS
