import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tokenizers import Tokenizer

from services.retriever.linking import EntityLinker
from services.retriever.manifest import MANIFEST_FILE
from services.retriever.model import RetrieverModel
from services.retriever.retrieve import Retriever
from services.retriever.step_scorer import WEIGHTS_FILE
from shared.contracts import RetrieveRequest
from shared.encoder import TOKENIZER_FILE, Vectors
from shared.errors import InvalidInputError
from shared.questions import QuestionRecord
from tests.fakes.graph import InMemoryGraph

if TYPE_CHECKING:
    from services.retriever.training.train import TrainingReport

pytestmark = pytest.mark.train

CAPITALS = {"France": "Paris", "Spain": "Madrid", "Peru": "Lima", "Kenya": "Nairobi"}
GRAPH = InMemoryGraph(
    [(country, "capital", city) for country, city in CAPITALS.items()]
    + [("France", "borders", "Spain"), ("Spain", "borders", "France")]
)
WORDINGS: dict[tuple[str, ...], list[str]] = {
    ("capital",): ["What is the capital of {}?", "capital city of {}", "Which city is the capital of {}?"],
    ("borders",): ["Which countries border {}?", "neighbours of {}", "Name the countries next to {}."],
    ("borders", "capital"): ["capitals of the neighbours of {}", "Name the capitals of the countries next to {}."],
    (): ["What is the weather in {}?", "Who is the president of {}?", "hotels in {}"],
}


def questions(*topics: str) -> list[QuestionRecord]:
    return [
        QuestionRecord(question=wording.format(topic), topic=topic, answers=(), path=path)
        for path, wordings in WORDINGS.items()
        for wording in wordings
        for topic in topics
    ]


@dataclass(frozen=True)
class Trained:
    """A trained folder, with what training reported and told on its way."""

    folder: Path
    report: "TrainingReport"
    progress: list[tuple[int, int, str]]


def train(
    folder: Path,
    training: Sequence[QuestionRecord],
    validation: Sequence[QuestionRecord] | None = None,
    passes: int = 32,
    checks: int = 1,
) -> Trained:
    # Imported here, since torch is not installed where these tests are deselected.
    from services.retriever.training.options import FitOptions
    from services.retriever.training.train import TrainOptions, train_retriever

    progress: list[tuple[int, int, str]] = []
    options = TrainOptions(
        train_name="tiny.jsonl",
        fit=FitOptions(passes=passes, max_epochs=100, batch_size=8, checks=checks, replaced=0.0),
    )
    report = asyncio.run(
        train_retriever(GRAPH, "tiny", training, validation, folder, options, lambda *told: progress.append(told))
    )
    return Trained(folder, report, progress)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    folder = tmp_path_factory.mktemp("retriever")
    return train(folder, questions("France", "Spain"), questions("France"), passes=1000, checks=4)


def test_a_few_wordings_are_learnt_and_survive_export(trained: Trained) -> None:
    assert trained.report.trained.paths == 1.0
    assert trained.report.served.paths == 1.0
    assert trained.report.agreement > 0.9
    assert [warning[:26] for warning in trained.report.warnings] == ["only 11 distinct questions"]
    assert trained.report.questions == 22
    assert trained.report.distinct_questions == 11


def test_the_folder_says_where_it_comes_from(trained: Trained) -> None:
    manifest = json.loads((trained.folder / MANIFEST_FILE).read_text())

    assert manifest["graph"] == "tiny"
    assert manifest["data"] == {"tiny.jsonl": 22, "valid": 11}
    assert manifest["steps"] == ["borders", "capital", "^borders", "^capital"]
    assert manifest["max_hops"] == 2
    assert "neighbours" in manifest["question_words"] or "countries" in manifest["question_words"]
    assert sum(file.stat().st_size for file in trained.folder.iterdir()) < 25e6


def test_progress_is_told_up_to_the_end(trained: Trained) -> None:
    done = [step for step, _, _ in trained.progress]

    assert done == sorted(done)
    assert done[-1] == trained.report.passes <= trained.progress[-1][1] == 1000


async def test_the_trained_model_answers_for_entities_that_training_never_saw(trained: Trained) -> None:
    model = RetrieverModel.load(trained.folder)
    retriever = Retriever(GRAPH, EntityLinker(GRAPH, model.rarity), model)

    response = await retriever.retrieve(RetrieveRequest(question="What is the capital of Kenya?"))
    weather = await retriever.retrieve(RetrieveRequest(question="What is the weather in Kenya?"))

    assert response.answers[0].entity == "Nairobi"
    assert weather.answers == []


def test_the_encoder_gives_each_text_its_tokens(trained: Trained) -> None:
    encoder = RetrieverModel.load(trained.folder).encoder
    texts = ["capital of [MASK]", "x", "a much longer question about all the neighbours of [MASK]"] * 20

    together = encoder.encode(texts)

    # One vector a token, [CLS] and [SEP] among them; what was padded is gone.
    assert [vectors.shape for vectors in together[:3]] == [(5, 384), (3, 384), (12, 384)]
    assert together[0].dtype == np.float32
    assert encoder.encode([]) == []
    # int8 activations are scaled by batch, so a text's vectors depend a little on its company.
    alone = np.stack([encoder.encode([text])[0].mean(axis=0) for text in texts[:3]])
    cosines = _directions(np.stack([vectors.mean(axis=0) for vectors in together[:3]])) @ _directions(alone).T
    assert cosines.argmax(axis=1).tolist() == [0, 1, 2]
    assert cosines.diagonal().min() > 0.95


def _directions(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def test_an_overlong_text_keeps_its_end(trained: Trained) -> None:
    encoder = RetrieverModel.load(trained.folder).encoder

    one, other = encoder.encode(["word " * 1000 + "borders"]), encoder.encode(["word " * 500 + "borders"])

    assert one[0] == pytest.approx(other[0])


def test_the_same_seed_gives_the_same_model(tmp_path: Path) -> None:
    heads = []
    for name in ("one", "two"):
        train(tmp_path / name, questions("France", "Spain"))
        with np.load(tmp_path / name / WEIGHTS_FILE) as arrays:
            heads.append({key: arrays[key] for key in arrays.files})

    assert all(np.array_equal(heads[0][key], heads[1][key]) for key in heads[0])


def test_questions_that_are_all_unanswerable_are_refused(tmp_path: Path) -> None:
    unanswerable = [record for record in questions("France") if record.path == ()]

    with pytest.raises(InvalidInputError, match="every question's path is empty"):
        train(tmp_path, unanswerable)


def test_what_was_left_out_is_said(tmp_path: Path) -> None:
    unknown = QuestionRecord(question="who knows France", topic="France", answers=("x",), path=None)

    report = train(tmp_path, [*questions("France"), unknown], passes=8).report

    assert report.warnings == (
        "only 11 distinct questions: none was held out, so the figures are on these very ones",
        "1 of 12 questions tell neither path nor a topic and answers that the graph knows, and were left out",
    )


def test_synonyms_are_near_words_that_the_texts_do_not_hold() -> None:
    from services.retriever.training.network import pretrained_encoder, pretrained_folder
    from services.retriever.training.synonyms import synonyms_in

    embeddings = pretrained_encoder(pretrained_folder(), dropout=0.0).words.weight.detach()
    tokenizer = Tokenizer.from_file(str(pretrained_folder() / TOKENIZER_FILE))

    found = synonyms_in(tokenizer, embeddings, ["Which country has this airport?", "the nation of [MASK]"])

    assert "airfield" in found["airport"]
    assert "countries" in found["country"]
    assert "nation" not in found["country"]
    assert synonyms_in(tokenizer, embeddings, []) == {}
