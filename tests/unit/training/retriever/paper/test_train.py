"""Test training in paper mode with a small encoder without pretraining, which takes seconds."""

import asyncio
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from contracts.retrieve import RetrieveRequest
from kgqa.cli import main
from question_sets.records import QuestionRecord
from services.retriever.encoder.encoder import TOKENIZER_FILE
from services.retriever.linking.linker import EntityLinker
from services.retriever.paths.model import load_model
from services.retriever.paths.paper.model import PaperModel
from services.retriever.replies.path_replies import PathReplies
from services.retriever.replies.retrieval import Retrieval
from shared.errors import InvalidInputError, NotFoundError
from tests.unit.training.retriever.test_train import GRAPH, checkpoints_of, questions

if TYPE_CHECKING:
    from training.retriever.train import TrainingReport
    from training.retriever.training_loop import ProgressCallback

pytestmark = pytest.mark.train


def train(
    folder: Path,
    training: Sequence[QuestionRecord],
    encoder: str = "small",
    max_examples: int = 1600,
    progress: "ProgressCallback" = lambda *_: None,
) -> "TrainingReport":
    # Imported here, since torch is not installed where these tests are deselected.
    from training.retriever.paper.train import train_paper_retriever
    from training.retriever.train import TrainingJob
    from training.retriever.training_loop import Hyperparameters

    options = Hyperparameters(max_examples=max_examples, max_epochs=200, batch_size=8, validations=4, dropout=0.0)
    job = TrainingJob(GRAPH, "tiny", training, None, folder, checkpoints_of(folder), hyperparameters=options)
    return asyncio.run(train_paper_retriever(job, encoder, progress))


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, "TrainingReport"]:
    folder = tmp_path_factory.mktemp("paper")
    return folder, train(folder, questions("France", "Spain"))


def test_a_few_wordings_are_learned_and_survive_export(trained: tuple[Path, "TrainingReport"]) -> None:
    report = trained[1]

    assert report.trained.paths == report.served.paths == 1.0
    assert report.agreement > 0.9
    assert report.dataset.warnings == (
        "only 8 distinct questions, so none was held out: the scores and the confidence are unreliable",
        "questions with an empty path were left out, since paper mode cannot learn from them (6 of 22)",
    )


async def test_the_trained_model_answers(trained: tuple[Path, "TrainingReport"]) -> None:
    model = load_model(trained[0])
    assert isinstance(model, PaperModel)
    retriever = PathReplies(GRAPH, EntityLinker(GRAPH, model.word_surprisal), model)

    one = await Retrieval(retriever).retrieve(RetrieveRequest(question="What is the capital of France?"))
    two = await Retrieval(retriever).retrieve(RetrieveRequest(question="capitals of the neighbours of France"))

    assert one.hops and two.hops
    assert (one.hops.predicted, one.answers[0].value) == (1, "Paris")
    assert (two.hops.predicted, two.answers[0].value) == (2, "Madrid")


def test_the_encoder_may_be_of_another_architecture(tmp_path: Path) -> None:
    from transformers import DistilBertConfig, DistilBertModel

    from training.retriever.encoder import pretrained_folder

    DistilBertModel(DistilBertConfig(dim=32, n_layers=1, n_heads=2, hidden_dim=64)).save_pretrained(tmp_path / "other")
    shutil.copy(pretrained_folder() / TOKENIZER_FILE, tmp_path / "other")

    report = train(tmp_path / "model", questions("France"), encoder=str(tmp_path / "other"), max_examples=64)
    model = load_model(tmp_path / "model")

    assert report.agreement > 0.5
    assert model.manifest.training["encoder"] == str(tmp_path / "other")


def test_the_same_seed_gives_the_same_files(tmp_path: Path) -> None:
    for name in ("one", "two"):
        train(tmp_path / name, questions("France"), max_examples=64)

    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def flatten_checkpoint(file: Path) -> None:
    """Turn a checkpoint into one of the first version, which had no parts."""
    import torch

    saved = torch.load(file, weights_only=True)
    state = saved["state"]
    saved["state"] = {**state.pop("descent"), **state.pop("batches"), **state}
    torch.save(saved, file)


@pytest.mark.parametrize(("part", "is_flat"), [("hops", False), ("relation paths", False), ("relation paths", True)])
def test_an_interrupted_training_resumes_and_gives_the_same_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, is_flat: bool
) -> None:
    from training import checkpoint

    class InterruptedTrainingError(Exception):
        pass

    def stop_midway(done: int, total: int, text: str) -> None:
        texts.append(text)
        if sum(one.startswith(part) for one in texts) > 6:
            raise InterruptedTrainingError

    texts: list[str] = []
    monkeypatch.setattr(checkpoint, "SECONDS_BETWEEN", 0.0)
    train(tmp_path / "whole", questions("France"), max_examples=128)
    with pytest.raises(InterruptedTrainingError):
        train(tmp_path / "interrupted", questions("France"), max_examples=128, progress=stop_midway)
    files = list(checkpoints_of(tmp_path / "interrupted").glob("*.pt"))
    assert files
    for file in files if is_flat else []:
        flatten_checkpoint(file)
    done: list[int] = []
    train(tmp_path / "interrupted", questions("France"), max_examples=128, progress=lambda *at: done.append(at[0]))

    assert done[0] > 8
    assert contents(tmp_path / "interrupted") == contents(tmp_path / "whole")


def test_training_a_tokenizer_is_deterministic() -> None:
    # Imported here, since torch is not installed where these tests are deselected.
    from training.retriever.encoder import train_tokenizer

    texts = [record.question for record in questions("France", "Perú", "中国")]
    [vocabulary, *others] = [train_tokenizer(texts).to_str() for _ in range(5)]

    assert others == [vocabulary] * 4
    tokens = train_tokenizer(texts).encode("capital of [MASK] 中国, ab##c").tokens
    assert tokens[:6] == ["[CLS]", "capital", "of", "[MASK]", "中", "国"]
    assert "##c" not in tokens


def test_questions_without_a_path_are_refused(tmp_path: Path) -> None:
    without_path = [record.model_copy(update={"path": None}) for record in questions("France")]

    with pytest.raises(InvalidInputError, match=r"none of the questions \(11 in all\) has a relation path"):
        train(tmp_path, without_path)


def test_the_error_for_a_missing_encoder_gives_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path))
    facts, asked = tmp_path / "facts.tsv", tmp_path / "questions.jsonl"
    facts.write_text("France\tcapital\tParis\n", encoding="utf-8")
    record = QuestionRecord(question="capital of France", topic="France", answers=("Paris",), path=("capital",))
    asked.write_text(record.model_dump_json(), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["kgqa", "import", str(facts), "--graph", "tiny"])
    with pytest.raises(SystemExit) as ended:
        main()
    words = ["train", "retriever", "--graph", "tiny", "--questions", str(asked), "--mode", "paper", "--force"]
    nowhere = str(tmp_path / "nowhere")
    monkeypatch.setattr(sys, "argv", ["kgqa", *words, "--encoder", nowhere])
    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 1
    error = " ".join(capsys.readouterr().err.split())
    assert "cannot read or download the encoder" in error
    assert "specify a folder" in error
    assert "Traceback" not in error
    with pytest.raises(NotFoundError, match="nowhere"):
        train(tmp_path, questions("France"), encoder=nowhere)
