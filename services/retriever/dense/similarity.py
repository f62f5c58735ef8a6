"""Find the triples that are most similar to several queries, exactly."""

import numpy as np
import numpy.typing as npt

from services.retriever.prediction.encoder import Vectors

ROWS_PER_BLOCK = 16_384
"""The number of rows to widen to float32 at a time: 25 MB for vectors of length 384."""

Rows = npt.NDArray[np.signedinteger]


def similarities(
    vectors: npt.NDArray[np.floating], near: Rows, queries: Vectors, near_weight: float, rows_per_block: int
) -> Vectors:
    """Return the similarity of each row to the queries: its own, and that of the rows near it.

    Args:
        vectors: One vector per row, [n, dim]; may be mapped from a file.
        near: The rows near each row, [n, m].
        queries: One or more queries, [j, dim], whose inner products are averaged.
        near_weight: The share of the similarity that the mean of the near rows has.
        rows_per_block: The number of rows to multiply at a time, which bounds the memory.

    Returns:
        The similarities, [n].
    """
    query = queries.mean(axis=0, dtype=np.float32)  # the mean of the products is the product with the mean
    blocks = [
        np.asarray(vectors[start : start + rows_per_block], dtype=np.float32) @ query
        for start in range(0, len(vectors), rows_per_block)
    ]
    own = np.concatenate([np.empty(0, dtype=np.float32), *blocks])
    if not near_weight or not near.shape[1]:
        return own
    around = sum((own[column] for column in near.T), np.zeros_like(own)) / np.float32(near.shape[1])
    return np.asarray(own + np.float32(near_weight) * (around - own), dtype=np.float32)


def best_rows(scores: Vectors, k: int) -> npt.NDArray[np.int64]:
    """Return the `k` rows with the highest scores, best first, and earlier rows first among equals."""
    k = min(k, len(scores))
    if not k:
        return np.empty(0, dtype=np.int64)
    least = np.partition(scores, len(scores) - k)[len(scores) - k]
    candidates = np.flatnonzero(scores >= least)
    return candidates[np.argsort(-scores[candidates], kind="stable")][:k]
