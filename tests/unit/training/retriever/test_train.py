import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from contracts.answers import answer_names
from contracts.retrieve import RetrieveRequest
from graph.store import Entity, WalkRule
from question_sets.records import QuestionRecord
from services.retriever.encoder.encoder import Vectors
from services.retriever.linking.linker import EntityLinker
from services.retriever.paths.confidence import Calibration
from services.retriever.paths.model import RetrieverModel
from services.retriever.paths.model_folder import MANIFEST_FILE, read_manifest
from services.retriever.paths.relation_scorer import WEIGHTS_FILE
from services.retriever.replies.path_replies import PathReplies
from services.retriever.replies.retrieval import Retrieval
from shared.errors import InvalidInputError
from tests.fakes.graph import InMemoryGraph

if TYPE_CHECKING:
    from training.retriever.train import TrainingReport

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


def with_answers_alone(*topics: str) -> list[QuestionRecord]:
    """Return `questions` without the paths that lead to the answers."""
    found = []
    for record in questions(*topics):
        if record.path:
            [walk] = asyncio.run(GRAPH.walk([(Entity(record.topic or "", ""), record.path)], WalkRule()))
            answers = tuple(reached.entity.name for reached in walk.reached)
            found.append(record.model_copy(update={"path": None, "answers": answers}))
    return found


class InterruptedTrainingError(Exception):
    """End a training as a kill would."""


@dataclass(frozen=True)
class Trained:
    """Hold a trained folder with the report and the progress of its training."""

    folder: Path
    report: "TrainingReport"
    progress: list[tuple[int, int, str]]


def train(
    folder: Path,
    training: Sequence[QuestionRecord],
    validation: Sequence[QuestionRecord] | None = None,
    max_examples: int = 32,
    validations: int = 1,
    interrupt_at: int | None = None,
) -> Trained:
    """Train on the tiny graph; with `interrupt_at`, only until this many examples were shown."""
    # Imported here, since torch is not installed where these tests are deselected.
    from training.retriever.train import TrainingJob, train_retriever
    from training.retriever.training_loop import Hyperparameters

    progress: list[tuple[int, int, str]] = []

    def advance(done: int, total: int, text: str) -> None:
        progress.append((done, total, text))
        if interrupt_at is not None and done >= interrupt_at:
            raise InterruptedTrainingError

    options = Hyperparameters(
        max_examples=max_examples, max_epochs=100, batch_size=8, validations=validations, synonym_rate=0.0
    )
    checkpoints = checkpoints_of(folder)
    job = TrainingJob(GRAPH, "tiny", training, validation, folder, checkpoints, "tiny.jsonl", hyperparameters=options)
    report = asyncio.run(train_retriever(job, advance))
    return Trained(folder, report, progress)


def checkpoints_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}-checkpoints")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    folder = tmp_path_factory.mktemp("retriever")
    return train(folder, questions("France", "Spain"), questions("France"), max_examples=1000, validations=4)


def test_a_few_wordings_are_learned_and_survive_export(trained: Trained) -> None:
    assert trained.report.trained.paths == 1.0
    assert trained.report.served.paths == 1.0
    assert trained.report.agreement > 0.9
    assert [warning[:26] for warning in trained.report.dataset.warnings] == ["only 11 distinct questions"]
    assert read_manifest(trained.folder).data["tiny.jsonl"] == 22
    assert trained.report.dataset.distinct_questions == 11


def test_the_manifest_describes_the_training(trained: Trained) -> None:
    manifest = json.loads((trained.folder / MANIFEST_FILE).read_text())

    assert manifest["graph"] == "tiny"
    assert manifest["data"] == {"tiny.jsonl": 22, "valid": 11}
    assert manifest["steps"] == ["borders", "capital", "^borders", "^capital"]
    assert manifest["max_hops"] == 2
    assert "neighbours" in manifest["question_words"] or "countries" in manifest["question_words"]
    assert sum(file.stat().st_size for file in trained.folder.iterdir()) < 26e6


def test_progress_is_reported_up_to_the_end(trained: Trained) -> None:
    done = [step for step, _, _ in trained.progress]

    assert done == sorted(done)
    shown = int(read_manifest(trained.folder).training["examples_shown"])
    assert done[-1] == shown <= trained.progress[-1][1] == 1000


async def test_the_trained_model_answers_for_entities_absent_from_training(trained: Trained) -> None:
    model = RetrieverModel.load(trained.folder)
    retriever = PathReplies(GRAPH, EntityLinker(GRAPH, model.word_surprisal), model)

    response = await Retrieval(retriever).retrieve(RetrieveRequest(question="What is the capital of Kenya?"))
    weather = await Retrieval(retriever).retrieve(RetrieveRequest(question="What is the weather in Kenya?"))

    assert response.answers[0].value == "Nairobi"
    assert weather.answers == []


async def answers(folder: Path, question: str) -> list[str]:
    """Return the answer set of the trained model."""
    model = RetrieverModel.load(folder)
    retriever = PathReplies(GRAPH, EntityLinker(GRAPH, model.word_surprisal), model)
    return answer_names((await Retrieval(retriever).retrieve(RetrieveRequest(question=question))).answers)


def test_paths_are_learned_from_answers_alone(tmp_path: Path) -> None:
    report = train(tmp_path, with_answers_alone("France"), max_examples=600, validations=3).report

    # No training question is about Spain.
    assert report.dataset.learnt_from == "8 questions with answers alone"
    assert asyncio.run(answers(tmp_path, "What is the capital of Spain?")) == ["Madrid"]
    assert asyncio.run(answers(tmp_path, "neighbours of Spain")) == ["France"]
    assert asyncio.run(answers(tmp_path, "capitals of the neighbours of Spain")) == ["Paris"]


def test_without_questions_training_uses_the_names_of_relations(tmp_path: Path) -> None:
    report = train(tmp_path, [], max_examples=1500, validations=3).report

    assert read_manifest(tmp_path).data["tiny.jsonl"] == 0
    assert report.dataset.learnt_from.startswith("the graph alone")
    assert asyncio.run(answers(tmp_path, "capital of France")) == ["Paris"]
    assert asyncio.run(answers(tmp_path, "which ones have the capital Lima")) == ["Peru"]
    assert read_manifest(tmp_path).calibration.threshold < Calibration().threshold


def test_a_few_held_out_questions_leave_the_calibration_unchanged(trained: Trained) -> None:
    assert read_manifest(trained.folder).calibration == Calibration()


def test_the_manifest_holds_a_calibration_if_enough_questions_were_held_out(tmp_path: Path) -> None:
    train(tmp_path, questions("France"), questions("France", "Spain"))

    calibration = read_manifest(tmp_path).calibration
    assert calibration.weights != Calibration().weights
    assert calibration.threshold == Calibration().threshold


def in_cyrillic() -> list[QuestionRecord]:
    wordings = {
        ("capital",): ("столица страны {}", "какой город столица {}", "назови столицу {}"),
        ("borders",): ("соседи страны {}", "с кем граничит {}", "какая страна рядом с {}"),
    }
    return [
        QuestionRecord(question=wording.format(topic), topic=topic, answers=(), path=path)
        for path, worded in wordings.items()
        for wording in worded
        for topic in ("France", "Spain")
    ]


@pytest.mark.parametrize("script", ["Latin", "Cyrillic"])
def test_an_interrupted_training_resumes_and_gives_the_same_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    from training import checkpoint

    asked = in_cyrillic() if script == "Cyrillic" else [*with_answers_alone("France"), *questions("Spain")]
    monkeypatch.setattr(checkpoint, "SECONDS_BETWEEN", 0.0)
    whole = train(tmp_path / "whole", asked, max_examples=80, validations=3)
    with pytest.raises(InterruptedTrainingError):
        train(tmp_path / "interrupted", asked, max_examples=80, validations=3, interrupt_at=40)
    assert not (tmp_path / "interrupted").exists()
    assert [file.suffix for file in checkpoints_of(tmp_path / "interrupted").iterdir()] == [".pt"]

    resumed = train(tmp_path / "interrupted", asked, max_examples=80, validations=3)

    done, _, text = resumed.progress[0]
    assert 0 < done < 40
    assert text == "resuming where training was interrupted"
    assert resumed.report.trained == whole.report.trained
    assert _contents(tmp_path / "interrupted") == _contents(tmp_path / "whole")


def test_another_training_does_not_resume_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from training import checkpoint

    monkeypatch.setattr(checkpoint, "SECONDS_BETWEEN", 0.0)
    with pytest.raises(InterruptedTrainingError):
        train(tmp_path, in_cyrillic(), max_examples=80, interrupt_at=40)

    others = train(tmp_path, in_cyrillic()[2:], max_examples=80)

    assert others.progress[0][0] <= 8


def test_a_finished_training_is_not_repeated(tmp_path: Path) -> None:
    first = train(tmp_path / "model", questions("France"), max_examples=16)

    again = train(tmp_path / "model", questions("France"), max_examples=16)

    assert [text for _, _, text in again.progress] == ["resuming where training was interrupted"]
    assert again.report.trained == first.report.trained


def test_paths_are_not_learnt_from_too_few_questions(tmp_path: Path) -> None:
    from training.retriever.dataset import TooFewQuestionsError, build_dataset

    few = [*questions("France")[:4], QuestionRecord(question="size of France", topic="France", answers=("551695",))]

    with pytest.raises(TooFewQuestionsError, match="from 4 of 5 questions, and at least 10 are needed"):
        asyncio.run(build_dataset(GRAPH, few, None, 1, least=10))


def _contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_the_encoder_returns_one_vector_per_token(trained: Trained) -> None:
    encoder = RetrieverModel.load(trained.folder).encoder
    texts = ["capital of [MASK]", "x", "a much longer question about all the neighbours of [MASK]"] * 20

    together = encoder.encode(texts)

    # One vector per token, including [CLS] and [SEP], and none for padding.
    assert [vectors.shape for vectors in together[:3]] == [(5, 384), (3, 384), (12, 384)]
    assert together[0].dtype == np.float32
    assert encoder.encode([]) == []
    # int8 activations are scaled per batch, so a text's vectors depend slightly on the other texts.
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


def test_a_warning_counts_the_questions_left_out(tmp_path: Path) -> None:
    unknown = QuestionRecord(question="who knows France", topic="France", answers=("x",), path=None)

    report = train(tmp_path, [*questions("France"), unknown], max_examples=8).report

    assert report.dataset.warnings == (
        "only 11 distinct questions, so none was held out: the scores and the confidence are unreliable",
        "questions without a path whose topic or answers the graph does not know were left out (1 of 12)",
    )


def test_synonyms_are_near_words_that_the_texts_do_not_use() -> None:
    from training.retriever.augmentation import find_synonyms
    from training.retriever.encoder import load_pretrained, pretrained_folder

    encoder, tokenizer = load_pretrained(pretrained_folder(), dropout=0.0)
    embeddings = encoder.words.weight.detach()

    found = find_synonyms(tokenizer, embeddings, ["Which country has this airport?", "the nation of [MASK]"])

    assert "airfield" in found["airport"]
    assert "countries" in found["country"]
    assert "nation" not in found["country"]
    assert find_synonyms(tokenizer, embeddings, []) == {}
