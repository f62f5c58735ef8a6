"""Provide an encoder without weights, a bag of hashed words, so that tests can set a model's weights by hand."""

import zlib
from collections.abc import Sequence

import numpy as np

from services.retriever.encoder.encoder import Vectors

DIMENSION = 512


class HashingEncoder:
    """Encode each text as one vector of word counts, one column per word; `calls` records the inputs."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []

    def encode(self, texts: Sequence[str]) -> list[Vectors]:
        """Count words, [1, DIMENSION] per text; words are split at spaces, ignoring case and final punctuation."""
        self.calls.append(tuple(texts))
        vectors = [np.zeros((1, DIMENSION), dtype=np.float32) for _ in texts]
        for vector, text in zip(vectors, texts, strict=True):
            for word in text.split():
                vector[0, column(word)] += 1
        return vectors


def column(word: str) -> int:
    """Return the column that counts a word."""
    return zlib.crc32(word.casefold().rstrip("?.!,").encode()) % DIMENSION
