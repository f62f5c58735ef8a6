from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from services.retriever.encoder.encoder import Vectors
from services.retriever.paths.model_folder import read_weights, write_weights
from services.retriever.paths.paper.model import Heads


@given(arrays(np.float32, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.floats(-10, 10, width=32)))
def test_quantization_changes_a_value_by_at_most_half_a_step_of_its_row(
    tmp_path_factory: pytest.TempPathFactory, matrix: Vectors
) -> None:
    file = tmp_path_factory.mktemp("arrays") / "heads.npz"
    heads = Heads(matrix, np.ones(len(matrix), np.float32), matrix, np.zeros(len(matrix), np.float32))
    write_weights(file, heads)

    read = read_weights(file, Heads, lambda found: found.shapes(len(matrix), len(matrix)))

    allowed = np.abs(matrix).max(axis=1, keepdims=True) / 127
    assert (np.abs(read.hop_weight - matrix) <= allowed * 0.5001 + 1e-9).all()
    assert read.hop_bias == pytest.approx(heads.hop_bias)


def test_a_matrix_takes_one_byte_per_value(tmp_path: Path) -> None:
    matrix = np.random.default_rng(1).normal(size=(100, 100)).astype(np.float32)
    write_weights(tmp_path / "heads.npz", Heads(matrix, matrix[0], matrix, matrix[0]))

    assert (tmp_path / "heads.npz").stat().st_size < 25_000
