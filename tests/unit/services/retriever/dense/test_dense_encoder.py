"""A trained encoder reads a question once per hop, and the packaged one once."""

import numpy as np
import pytest

from language.mentions import Mention
from services.retriever.dense.dense_encoder import (
    ENCODER_FOLDER,
    MANIFEST_FILE,
    STOP,
    DenseEncoder,
    DenseManifest,
    encoder_folder,
    read_dense_manifest,
)
from shared.errors import InvalidInputError
from shared.paths import dense_folder
from tests.fakes.encoder import HashingEncoder

_QUESTION, _MENTION = "capital of Ardenia", Mention(11, 18, "ardenia", 1)


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path_factory.mktemp("home")))


def test_a_trained_encoder_reads_each_hop_with_the_topic_masked() -> None:
    encoder = HashingEncoder()

    queries = DenseEncoder(encoder, hops=2).hop_queries([_QUESTION, f"{_QUESTION} Find it."], _MENTION)

    assert queries.shape[0] == 2
    assert encoder.calls == [
        (STOP,),
        (
            "step 1: capital of [MASK]",
            "step 1: capital of [MASK] Find it.",
            "step 2: capital of [MASK]",
            "step 2: capital of [MASK] Find it.",
        ),
    ]


def test_the_packaged_encoder_compares_one_query_with_all_hops() -> None:
    encoder = HashingEncoder()

    first, second = DenseEncoder(encoder).hop_queries([_QUESTION], _MENTION)

    assert np.array_equal(first, second)
    assert encoder.calls == [(_QUESTION,)]


def test_the_trained_encoder_of_a_graph_is_used_once_its_manifest_is_there() -> None:
    assert encoder_folder("mine") == ENCODER_FOLDER
    assert read_dense_manifest(ENCODER_FOLDER, "mine") is None
    folder = dense_folder("mine")
    folder.mkdir(parents=True)
    manifest = DenseManifest(graph="mine", graph_version="v1", hops=2, questions=9, seed=1, training={})
    (folder / MANIFEST_FILE).write_text(manifest.model_dump_json(), encoding="utf-8")

    assert encoder_folder("mine") == folder
    assert read_dense_manifest(folder, "mine") == manifest


@pytest.mark.parametrize("text", ["", "{}", '{"format": 2}'])
def test_a_damaged_manifest_names_the_command(text: str) -> None:
    folder = dense_folder("mine")
    folder.mkdir(parents=True)
    (folder / MANIFEST_FILE).write_text(text, encoding="utf-8")

    with pytest.raises(InvalidInputError, match="train the encoder again with: kgqa train dense --graph mine"):
        read_dense_manifest(folder, "mine")
