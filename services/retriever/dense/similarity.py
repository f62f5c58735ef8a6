"""Find the triples of a whole index that are most similar to several queries, exactly."""

import numpy as np
import numpy.typing as npt

from services.retriever.dense.index_file import IndexArrays
from services.retriever.encoder.encoder import Vectors

ROWS_PER_BLOCK = 16_384
"""The number of rows to widen to float32 at a time: 25 MB for vectors of length 384."""


def similarities(arrays: IndexArrays, queries: Vectors, near_weight: float, rows_per_block: int) -> Vectors:
    """Return the similarity of each triple to the queries: its own, and that of the best other triple at each end.

    Args:
        arrays: The index of n triples.
        queries: One or more queries, [j, dim], whose inner products are averaged.
        near_weight: The share of the similarity that the triples at the ends have.
        rows_per_block: The number of rows to multiply at a time, which bounds the memory.

    Returns:
        The similarities, [n].
    """
    query = queries.mean(axis=0, dtype=np.float32)  # the mean of the products is the product with the mean
    blocks = [
        np.asarray(arrays.vectors[start : start + rows_per_block], dtype=np.float32) @ query
        for start in range(0, len(arrays.vectors), rows_per_block)
    ]
    own = np.concatenate([np.empty(0, dtype=np.float32), *blocks])
    if not near_weight or not len(own):
        return own
    near = np.mean([best_others(arrays, own, column) for column in (0, 2)], axis=0, dtype=np.float32)
    return np.asarray(own + np.float32(near_weight) * (near - own), dtype=np.float32)


def best_others(arrays: IndexArrays, own: Vectors, column: int) -> Vectors:
    """Return the highest similarity among the other triples at one end of each triple, else its own, [n].

    `column` names the end: 0 for the subject, 2 for the object.
    """
    entities = np.flatnonzero(np.diff(arrays.starts))  # those without a triple have no segment to reduce
    begins, places = arrays.starts[entities], np.zeros(len(arrays.starts), dtype=np.int64)
    places[entities] = np.arange(len(entities))
    values = own[arrays.around]
    counts = np.diff(np.append(begins, len(values)))
    best = np.maximum.reduceat(values, begins)
    # The best triple at an end is itself compared with the second best there.
    firsts = np.flatnonzero(values == np.repeat(best, counts))
    _, at = np.unique(np.searchsorted(begins, firsts, side="right"), return_index=True)
    winners = arrays.around[firsts[at]]
    values[arrays.around == np.repeat(winners, counts)] = -np.inf
    second = np.maximum.reduceat(values, begins)
    ends = places[arrays.ids[:, column]]
    found = np.where(winners[ends] == np.arange(len(own)), second[ends], best[ends])
    return np.asarray(np.where(np.isfinite(found), found, own), dtype=np.float32)


def best_rows(scores: Vectors, k: int) -> npt.NDArray[np.int64]:
    """Return the `k` rows with the highest scores, best first, and earlier rows first among equals."""
    k = min(k, len(scores))
    if not k:
        return np.empty(0, dtype=np.int64)
    least = np.partition(scores, len(scores) - k)[len(scores) - k]
    candidates = np.flatnonzero(scores >= least)
    return candidates[np.argsort(-scores[candidates], kind="stable")][:k]
