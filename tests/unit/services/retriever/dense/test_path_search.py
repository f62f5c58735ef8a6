"""The search scores each triple by the best path through it, as trying all paths does."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever.dense.path_search import HopQueries, PathWeights, Steps, search_around
from tests.support.dense_index import indexed

_Triple = tuple[int, int, int]
_TRIPLES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=10)
_MEAN = PathWeights((1.0, 1 / 2, 1 / 3))


def walks(triples: list[_Triple], topic: int, hops: int, excluded: int) -> Iterator[tuple[list[int], Steps]]:
    """Yield the triples and steps of all paths that avoid the topic and what is excluded, and do not turn back."""
    unfinished: list[tuple[int, list[int], Steps]] = [(topic, [], ())]
    for hop in range(hops):
        longer = []
        for at, rows, steps in unfinished:
            for row, (subject, relation, object_) in enumerate(triples):
                end = object_ if subject == at else subject
                if at in (subject, object_) and end != excluded and row not in rows[-1:] and (end != topic or not hop):
                    longer.append((end, [*rows, row], (*steps, (relation, subject == at))))
        yield from ((rows, steps) for _, rows, steps in longer)
        unfinished = longer


@given(triples=_TRIPLES, seed=st.integers(0, 99), hops=st.integers(1, 3), has_stop=st.booleans())
def test_scores_are_those_of_all_paths(triples: list[_Triple], seed: int, hops: int, has_stop: bool) -> None:
    random = np.random.default_rng(seed)
    vectors, queries = random.integers(-3, 4, (len(triples), 2)), random.integers(-3, 4, (hops, 2)).astype(np.float32)
    stop = np.array([1.0, -1.0], dtype=np.float32) if has_stop else None

    found = search_around(
        indexed(triples, vectors), HopQueries(triples[0][0], queries, frozenset({5})), PathWeights(_MEAN.shares, stop)
    )

    rows: dict[int, float] = {}
    paths: dict[Steps, float] = {}
    for walked, steps in walks(triples, triples[0][0], hops, excluded=5):
        parts = [float(vectors[row] @ queries[hop]) for hop, row in enumerate(walked)]
        if stop is not None and len(walked) < hops:
            parts.append(float(queries[len(walked)] @ stop))
        score = sum(parts) / len(parts)
        paths[steps] = max(score, paths.get(steps, score))
        for row in walked:
            rows[row] = max(score, rows.get(row, score))
    assert dict(zip(found.rows.tolist(), found.scores.tolist(), strict=True)) == pytest.approx(rows, abs=1e-4)
    assert found.paths == pytest.approx(paths, abs=1e-4)


def test_only_the_best_paths_go_on() -> None:
    triples = [(0, 0, 1), (0, 0, 2), (1, 1, 3), (2, 1, 4)]
    queries = np.ones((2, 1), dtype=np.float32)

    found = search_around(indexed(triples, [[1], [2], [1], [1]]), HopQueries(0, queries), _MEAN, beam=1)

    assert found.rows.tolist() == [0, 1, 3]


def test_a_hop_compares_at_most_so_many_triples() -> None:
    triples = [(0, 0, number) for number in range(1, 9)]

    found = search_around(
        indexed(triples, np.ones((8, 1))), HopQueries(0, np.ones((1, 1), dtype=np.float32)), _MEAN, max_rows=3
    )

    assert len(found.rows) == 3
