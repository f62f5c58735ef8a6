import json
from pathlib import Path

import numpy as np
import pytest

from services.retriever.model import HEADS_FILE, MANIFEST_FILE, Query, RetrieverModel
from shared.encoder import ENCODER_FILE, TOKENIZER_FILE, OnnxEncoder
from shared.errors import InvalidInputError, NotFoundError
from tests.fakes.encoder import HashingEncoder
from tests.unit.retriever.models import manifest, random_model


def written(folder: Path) -> Path:
    """A model folder whose encoder is missing."""
    (folder / MANIFEST_FILE).write_text(manifest(["capital", "^capital"], max_hops=2).model_dump_json())
    np.savez(
        folder / HEADS_FILE,
        mix_weight=np.ones((5, 6), np.float32),
        mix_bias=np.ones(5, np.float32),
        hop_weight=np.ones((3, 11), np.float32),
        hop_bias=np.ones(3, np.float32),
        step_weight=np.ones((2, 11), np.float32),
        step_bias=np.ones(2, np.float32),
    )
    return folder


def test_probabilities_sum_to_1_even_for_extreme_logits() -> None:
    model = random_model(step_count=3, max_hops=2, seed=1)
    vectors = model.encode([Query("a"), Query("b " * 2000)])

    for probabilities in (model.hop_probabilities(vectors), model.step_probabilities(vectors)):
        assert np.isfinite(probabilities).all()
        assert probabilities.sum(axis=1) == pytest.approx([1.0, 1.0])


def test_one_text_is_encoded_once_whatever_its_topics_are() -> None:
    model = random_model(step_count=2, max_hops=1, seed=1)
    encoder = model.encoder
    assert isinstance(encoder, HashingEncoder)

    vectors = model.encode([Query("a", frozenset({"relation0"})), Query("b"), Query("a")])

    assert encoder.calls == [("a", "b")]
    assert (vectors[0] != vectors[2]).any()
    assert vectors[2] == pytest.approx(model.encode([Query("a")])[0])


def test_a_missing_folder_or_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no trained retriever"):
        RetrieverModel.load(tmp_path / "nowhere")
    with pytest.raises(NotFoundError, match=ENCODER_FILE):
        RetrieverModel.load(written(tmp_path))
    (tmp_path / HEADS_FILE).unlink()
    with pytest.raises(NotFoundError, match=HEADS_FILE):
        RetrieverModel.load(tmp_path)


@pytest.mark.parametrize("text", ["", "no json", "[]", '{"format": 1}'])
def test_a_damaged_manifest_is_refused(tmp_path: Path, text: str) -> None:
    (written(tmp_path) / MANIFEST_FILE).write_text(text)

    with pytest.raises(InvalidInputError, match="not a retriever's manifest"):
        RetrieverModel.load(tmp_path)


def test_another_format_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path) / MANIFEST_FILE
    file.write_text(json.dumps({**json.loads(file.read_text()), "format": 2}))

    with pytest.raises(InvalidInputError, match="format 2 is not the one this version reads, 1"):
        RetrieverModel.load(tmp_path)


def test_damaged_heads_are_refused(tmp_path: Path) -> None:
    (written(tmp_path) / HEADS_FILE).write_bytes(b"PK damaged")

    with pytest.raises(InvalidInputError, match="heads cannot be read"):
        RetrieverModel.load(tmp_path)


def test_heads_that_do_not_fit_the_manifest_are_refused(tmp_path: Path) -> None:
    (written(tmp_path) / MANIFEST_FILE).write_text(manifest(["capital"], max_hops=2).model_dump_json())

    with pytest.raises(InvalidInputError, match="do not fit the manifest"):
        RetrieverModel.load(tmp_path)


def test_a_damaged_encoder_is_refused(tmp_path: Path) -> None:
    (tmp_path / ENCODER_FILE).write_bytes(b"damaged")
    (tmp_path / TOKENIZER_FILE).write_text("{}")

    with pytest.raises(InvalidInputError, match="encoder cannot be read"):
        OnnxEncoder(tmp_path)
