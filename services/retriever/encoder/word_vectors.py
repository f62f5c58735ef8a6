"""Encode single words, to compare them by their meaning."""

from collections.abc import Iterable, Sequence

import numpy as np

from services.retriever.encoder.encoder import Encoder, Vectors
from services.retriever.encoder.sentence_vectors import sentence_vectors

_MAX_KEPT = 20_000


class WordVectors:
    """Encode words, each once."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._kept: dict[str, Vectors] = {}

    def learn(self, words: Iterable[str]) -> None:
        """Encode the words that are new; this takes about a millisecond for each."""
        if new := sorted(set(words) - self._kept.keys()):
            if len(self._kept) > _MAX_KEPT:
                self._kept.clear()
                return self.learn(words)
            # Alone, so that a word's vector does not depend on the others; activations are scaled per batch.
            self._kept |= {word: sentence_vectors(self._encoder, [word])[0] for word in new}
        return None

    def of(self, words: Sequence[str]) -> Vectors:
        """Return the vectors of words that are learnt, [words, dim]."""
        return np.stack([self._kept[word] for word in words])
