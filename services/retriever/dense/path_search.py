"""Search the triples around topic entities hop by hop, each together with the triples that connect it to its topic.

Bridging the Gap scores a triple together with its neighbouring triples. Beyond the first hop, a triple is right only if
those between it and the topic match the question, too. So the score of a triple is that of the best path through it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from services.retriever.dense.index_file import IndexArrays
from services.retriever.encoder.encoder import Vectors

BEAM = 200
"""The number of paths that are continued by a further hop."""
MAX_ROWS = 100_000
"""The number of triples to compare in one hop, which bounds the time for entities with very many triples."""

Ints = npt.NDArray[np.int64]
Steps = tuple[tuple[int, bool], ...]
"""A relation path: the row id of each relation, and whether it is followed from subject to object."""


class HopQueries(NamedTuple):
    """Hold what the triples around one topic entity are compared with.

    Attributes:
        entity: The row id of the topic entity.
        hops: The query of each hop, [hops, dim].
        excluded: The row ids of entities that no path may reach, since the question names them elsewhere.
    """

    entity: int
    hops: Vectors
    excluded: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class PathWeights:
    """Say how the similarities of a path's triples make up its score.

    Attributes:
        shares: The share of each hop's triple in the score so far; the hops before it share the rest.
        stop: The vector that a query resembles if the answer is already reached, [dim]; None if nothing says so.
    """

    shares: tuple[float, ...]
    stop: Vectors | None = None

    def ended(self, score: Vectors, queries: Vectors, hop: int) -> Vectors:
        """Return the scores of paths that end after `hop` hops, [n]."""
        if self.stop is None or hop == len(queries):
            return score
        return np.asarray(score + self.shares[hop] * (queries[hop] @ self.stop - score), dtype=np.float32)


@dataclass(slots=True)
class _Level:
    """Hold the triples of one hop, one per way to reach them.

    Attributes:
        rows: The triples, [n].
        ends: The entities that they lead to, [n].
        parents: The places of the triples before them in the level before, [n].
        paths: The places of their relation paths in `steps`, [n].
        scores: The scores of the paths to them, [n].
        best: The best score of a path through them that ends there or goes on, [n].
        steps: The distinct relation paths.
    """

    rows: Ints
    ends: Ints
    parents: Ints
    paths: Ints
    scores: Vectors
    best: Vectors
    steps: list[Steps]


class Neighbourhood(NamedTuple):
    """Hold the triples around a topic entity with their scores, [n], and the score of each relation path."""

    rows: Ints
    scores: Vectors
    paths: dict[Steps, float]


def search_around(
    arrays: IndexArrays, topic: HopQueries, weights: PathWeights, beam: int = BEAM, max_rows: int = MAX_ROWS
) -> Neighbourhood:
    """Score the triples around a topic entity, and the relation paths that they form.

    Args:
        arrays: The index.
        topic: The topic entity, and the queries of each hop.
        weights: How a path is scored.
        beam: The number of paths that are continued by a further hop.
        max_rows: The number of triples to compare in one hop.

    Returns:
        The triples, each once, and the best score of each relation path.
    """
    levels: list[_Level] = []
    for hop in range(1, len(topic.hops) + 1):
        level = _next_level(arrays, topic, weights, levels[-1] if levels else None, beam, max_rows)
        if not len(level.rows):
            break
        level.best = weights.ended(level.scores, topic.hops, hop)
        levels.append(level)
    paths: dict[Steps, float] = {}
    for level in levels:
        paths |= _best_of(level.paths, level.best, level.steps)
    for level, further in reversed(list(pairwise(levels))):
        np.maximum.at(level.best, further.parents, further.best)
    return _merged(levels, paths)


def _next_level(
    arrays: IndexArrays, topic: HopQueries, weights: PathWeights, before: _Level | None, beam: int, max_rows: int
) -> _Level:
    """Follow the best paths by one more triple, which does not lead back to the topic or to an excluded entity."""
    if before is None:
        starts, chosen, hop = np.array([topic.entity]), np.zeros(1, dtype=np.int64), 0
    else:
        chosen, hop = np.argsort(-before.scores, kind="stable")[:beam], len(before.steps[0])
        starts = before.ends[chosen]
    rows, places = _rows_around(arrays, starts, max_rows)
    ids = arrays.ids[rows]
    is_forward = ids[:, 0] == starts[places]
    ends = np.where(is_forward, ids[:, 2], ids[:, 0]).astype(np.int64)
    barred = [*topic.excluded, *([topic.entity] if before is not None else [])]
    kept = ~np.isin(ends, barred)
    if before is not None:
        kept &= rows != before.rows[chosen[places]]
    rows, places, ends, is_forward = rows[kept], places[kept], ends[kept], is_forward[kept]
    relations = ids[kept, 1].astype(np.int64)
    distinct, at = np.unique(rows, return_inverse=True)
    scores = (arrays.vectors[distinct].astype(np.float32) @ topic.hops[hop])[at]
    parents = chosen[places]
    prefixes = np.zeros(len(rows), dtype=np.int64) if before is None else before.paths[parents]
    if before is not None:
        so_far = before.scores[parents]
        scores = so_far + np.float32(weights.shares[hop]) * (scores - so_far)
    paths, steps = _extended([()] if before is None else before.steps, prefixes, relations, is_forward)
    return _Level(rows, ends, parents, paths, scores, scores, steps)


def _rows_around(arrays: IndexArrays, entities: Ints, most: int) -> tuple[Ints, Ints]:
    """Return the triples around entities, at most `most`, and the place in `entities` that each belongs to."""
    begins = arrays.starts[entities].astype(np.int64)
    counts = arrays.starts[entities + 1].astype(np.int64) - begins
    room = most - np.fromiter(accumulate(counts.tolist(), initial=0), dtype=np.int64)[:-1]
    counts = np.clip(counts, 0, np.maximum(room, 0))
    places = np.repeat(np.arange(len(entities)), counts)
    offsets = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
    return arrays.around[begins[places] + offsets].astype(np.int64), places


def _extended(
    before: Sequence[Steps], prefixes: Ints, relations: Ints, is_forward: npt.NDArray[np.bool_]
) -> tuple[Ints, list[Steps]]:
    """Return the place of each extended relation path among the distinct ones, and these."""
    keys = np.stack([prefixes, relations, is_forward.astype(np.int64)], axis=1)
    distinct, places = np.unique(keys, axis=0, return_inverse=True)
    steps = [(*before[prefix], (relation, bool(forward))) for prefix, relation, forward in distinct.tolist()]
    return places.reshape(-1).astype(np.int64), steps


def _best_of(paths: Ints, scores: Vectors, steps: Sequence[Steps]) -> dict[Steps, float]:
    best = np.full(len(steps), -np.inf, dtype=np.float32)
    np.maximum.at(best, paths, scores)
    return dict(zip(steps, best.tolist(), strict=True))


def _merged(levels: Sequence[_Level], paths: dict[Steps, float]) -> Neighbourhood:
    """Return each triple once, with its best score."""
    rows = np.concatenate([np.empty(0, dtype=np.int64), *(level.rows for level in levels)])
    scores = np.concatenate([np.empty(0, dtype=np.float32), *(level.best for level in levels)])
    distinct, at = np.unique(rows, return_inverse=True)
    best = np.full(len(distinct), -np.inf, dtype=np.float32)
    np.maximum.at(best, at, scores)
    return Neighbourhood(distinct, best, paths)
