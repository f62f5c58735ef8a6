import json
from pathlib import Path

import numpy as np
import pytest

from services.retriever.encoder.encoder import ENCODER_FILE, TOKENIZER_FILE, OnnxEncoder
from services.retriever.paths.model import RetrieverModel
from services.retriever.paths.model_folder import MANIFEST_FILE, write_weights
from services.retriever.paths.relation_scorer import WEIGHTS_FILE, RelationScorer, softmax
from shared.errors import InvalidInputError, NotFoundError
from tests.fakes.encoder import HashingEncoder
from tests.unit.services.retriever.models import manifest, random_weights


def write_model(folder: Path) -> Path:
    """Write a model folder without its encoder."""
    (folder / MANIFEST_FILE).write_text(manifest(["capital", "^capital"], max_hops=2).model_dump_json())
    write_weights(folder / WEIGHTS_FILE, random_weights(2, 4, seed=1))
    return folder


def test_probabilities_sum_to_1_even_for_extreme_logits() -> None:
    scorer = RelationScorer(random_weights(3, 4, seed=1))
    questions = scorer.prepare(HashingEncoder().encode(["a", "b " * 2000]))
    probabilities = softmax(
        scorer.logits(questions, [0, 1], scorer.initial_states(questions, np.ones((2, 3), np.float32)))
    )

    assert np.isfinite(probabilities).all()
    assert probabilities.sum(axis=1) == pytest.approx([1.0, 1.0])


def test_a_question_is_scored_the_same_in_every_batch() -> None:
    scorer = RelationScorer(random_weights(3, 4, seed=2))
    source = np.random.default_rng(1)
    short, long = (source.normal(size=(tokens, 512)).astype(np.float32) for tokens in (2, 9))
    allowed = np.array([[1, 0, 1]], np.float32)

    alone = scorer.prepare([short])
    together = scorer.prepare([long, short])
    states = scorer.initial_states(together, np.repeat(allowed, 2, axis=0))

    assert states[1:] == pytest.approx(scorer.initial_states(alone, allowed), abs=1e-5)
    assert scorer.logits(together, [1], states[1:]) == pytest.approx(scorer.logits(alone, [0], states[1:]), abs=1e-3)


def test_a_missing_folder_or_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="contains no trained retriever"):
        RetrieverModel.load(tmp_path / "nowhere")
    with pytest.raises(NotFoundError, match=ENCODER_FILE):
        RetrieverModel.load(write_model(tmp_path))
    (tmp_path / WEIGHTS_FILE).unlink()
    with pytest.raises(NotFoundError, match=WEIGHTS_FILE):
        RetrieverModel.load(tmp_path)


@pytest.mark.parametrize("text", ["", "no json", "[]", '{"format": 3}'])
def test_a_damaged_manifest_is_refused(tmp_path: Path, text: str) -> None:
    (write_model(tmp_path) / MANIFEST_FILE).write_text(text)

    with pytest.raises(InvalidInputError, match="not a valid retriever manifest"):
        RetrieverModel.load(tmp_path)


def test_another_format_is_refused(tmp_path: Path) -> None:
    file = write_model(tmp_path) / MANIFEST_FILE
    file.write_text(json.dumps({**json.loads(file.read_text()), "format": 1}))

    with pytest.raises(InvalidInputError, match="this version reads format 3, but the file has format 1"):
        RetrieverModel.load(tmp_path)


def test_damaged_weights_are_refused(tmp_path: Path) -> None:
    (write_model(tmp_path) / WEIGHTS_FILE).write_bytes(b"PK damaged")

    with pytest.raises(InvalidInputError, match="cannot read the weights"):
        RetrieverModel.load(tmp_path)


def test_weights_that_do_not_fit_the_manifest_are_refused(tmp_path: Path) -> None:
    (write_model(tmp_path) / MANIFEST_FILE).write_text(manifest(["capital"], max_hops=2).model_dump_json())

    with pytest.raises(InvalidInputError, match="but the manifest requires"):
        RetrieverModel.load(tmp_path)


def test_a_damaged_encoder_is_refused(tmp_path: Path) -> None:
    (tmp_path / ENCODER_FILE).write_bytes(b"damaged")
    (tmp_path / TOKENIZER_FILE).write_text("{}")

    with pytest.raises(InvalidInputError, match="cannot read the encoder"):
        OnnxEncoder(tmp_path)


def test_an_encoder_of_another_model_is_refused() -> None:
    folder = Path(__file__).parents[5] / "examples" / "world" / "retriever"

    with pytest.raises(InvalidInputError, match="have length 384, but the model's weights expect 256"):
        OnnxEncoder(folder, expected_dimension=256)
