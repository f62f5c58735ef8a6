"""An encoder without weights: a bag of hashed words, so that tests can set heads by hand."""

import zlib
from collections.abc import Sequence

import numpy as np

from shared.encoder import Vectors

DIMENSION = 512


class HashingEncoder:
    """An `Encoder` whose vector counts a text's words, each in the column `column(word)`; `calls` keeps its inputs."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Word counts, [len(texts), DIMENSION]; words are told apart by blanks, without case and a final sign."""
        self.calls.append(tuple(texts))
        vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.split():
                vectors[row, column(word)] += 1
        return vectors


def column(word: str) -> int:
    """The column that counts a word."""
    return zlib.crc32(word.casefold().rstrip("?.!,").encode()) % DIMENSION
