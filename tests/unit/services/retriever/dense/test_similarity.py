"""The search finds what brute force finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever.dense.similarity import best_rows, similarities
from tests.support.dense_index import indexed

_NUMBER = st.integers(-4, 4)
_ROW = st.tuples(_NUMBER, _NUMBER, _NUMBER)


@given(rows=st.lists(_ROW, max_size=40), k=st.integers(0, 12))
def test_the_best_rows_are_those_of_a_full_sort(rows: list[tuple[int, ...]], k: int) -> None:
    scores = np.array([sum(row) for row in rows], dtype=np.float32)

    found = best_rows(scores, k).tolist()

    assert found == sorted(range(len(rows)), key=lambda row: (-scores[row], row))[:k]


@given(data=st.data(), rows=st.lists(_ROW, max_size=30), rows_per_block=st.integers(1, 12))
def test_similarities_are_those_of_brute_force(
    data: st.DataObject, rows: list[tuple[int, ...]], rows_per_block: int
) -> None:
    queries = data.draw(st.lists(_ROW, min_size=1, max_size=4))
    ends = [data.draw(st.tuples(*[st.integers(0, 5)] * 2)) for _ in rows]
    arrays = indexed([(subject, 0, object_) for subject, object_ in ends], rows)

    found = similarities(arrays, np.array(queries, dtype=np.float32), 0.25, rows_per_block)

    own = [sum(a * b for query in queries for a, b in zip(row, query, strict=True)) / len(queries) for row in rows]

    def best_other(row: int, entity: int) -> float:
        return max(
            (own[other] for other in range(len(rows)) if other != row and entity in ends[other]), default=own[row]
        )

    near = [sum(best_other(row, entity) for entity in ends[row]) / 2 for row in range(len(rows))]
    expected = [0.75 * own[row] + 0.25 * near[row] for row in range(len(rows))]
    assert found.tolist() == pytest.approx(expected, abs=1e-4)


def test_nothing_is_similar_in_an_empty_index() -> None:
    nothing = similarities(indexed([], np.empty((0, 3))), np.ones((1, 3), np.float32), 0.2, 8)

    assert best_rows(nothing, 30).tolist() == []
