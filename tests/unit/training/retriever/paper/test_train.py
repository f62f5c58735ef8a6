"""Training in paper mode, with an encoder that learns from nothing: it takes seconds."""

import asyncio
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kgqa.cli import main
from question_sets.records import QuestionRecord
from services.retriever.linking.linker import EntityLinker
from services.retriever.pipeline import Retriever
from services.retriever.prediction.encoder import TOKENIZER_FILE
from services.retriever.prediction.model import load_model
from services.retriever.prediction.paper.model import PaperModel
from shared.contracts import RetrieveRequest
from shared.errors import InvalidInputError, NotFoundError
from tests.unit.training.retriever.test_train import GRAPH, questions

if TYPE_CHECKING:
    from training.retriever.train import TrainingReport
    from training.retriever.trainer import ProgressCallback

pytestmark = pytest.mark.train


def train(
    folder: Path,
    training: Sequence[QuestionRecord],
    encoder: str = "small",
    passes: int = 1600,
    progress: "ProgressCallback" = lambda *_: None,
) -> "TrainingReport":
    # Imported here, since torch is not installed where these tests are deselected.
    from training.retriever.options import FitOptions
    from training.retriever.paper.train import train_paper_retriever
    from training.retriever.train import TrainOptions

    options = TrainOptions(fit=FitOptions(passes=passes, max_epochs=200, batch_size=8, checks=4, dropout=0.0))
    return asyncio.run(train_paper_retriever(GRAPH, "tiny", training, None, folder, options, encoder, progress))


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, "TrainingReport"]:
    folder = tmp_path_factory.mktemp("paper")
    return folder, train(folder, questions("France", "Spain"))


def test_a_few_wordings_are_learnt_and_survive_export(trained: tuple[Path, "TrainingReport"]) -> None:
    report = trained[1]

    assert report.trained.paths == report.served.paths == 1.0
    assert report.agreement > 0.9
    assert report.warnings == (
        "only 8 distinct questions: none was held out, so the figures and the confidence mean little",
        "6 of 22 questions have an empty path, which this mode cannot learn",
    )


async def test_the_trained_model_answers(trained: tuple[Path, "TrainingReport"]) -> None:
    model = load_model(trained[0])
    assert isinstance(model, PaperModel)
    retriever = Retriever(GRAPH, EntityLinker(GRAPH, model.word_surprisal), model)

    one = await retriever.retrieve(RetrieveRequest(question="What is the capital of France?"))
    two = await retriever.retrieve(RetrieveRequest(question="capitals of the neighbours of France"))

    assert (one.hops.predicted, one.answers[0].entity) == (1, "Paris")
    assert (two.hops.predicted, two.answers[0].entity) == (2, "Madrid")


def test_an_encoder_may_be_a_folder_of_another_kind(tmp_path: Path) -> None:
    from transformers import DistilBertConfig, DistilBertModel

    from training.retriever.network import pretrained_folder

    DistilBertModel(DistilBertConfig(dim=32, n_layers=1, n_heads=2, hidden_dim=64)).save_pretrained(tmp_path / "other")
    shutil.copy(pretrained_folder() / TOKENIZER_FILE, tmp_path / "other")

    report = train(tmp_path / "model", questions("France"), encoder=str(tmp_path / "other"), passes=64)
    model = load_model(tmp_path / "model")

    assert report.agreement > 0.5
    assert model.manifest.training["encoder"] == str(tmp_path / "other")


def test_the_same_seed_gives_the_same_files(tmp_path: Path) -> None:
    for name in ("one", "two"):
        train(tmp_path / name, questions("France"), passes=64)

    assert contents(tmp_path / "one") == contents(tmp_path / "two")


@pytest.mark.parametrize("part", ["hops", "relation paths"])
def test_a_training_that_is_broken_off_goes_on_and_ends_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    from training import checkpoint

    class BrokenOffError(Exception):
        pass

    def stop_midway(done: int, total: int, text: str) -> None:
        told.append(text)
        if sum(said.startswith(part) for said in told) > 6:
            raise BrokenOffError

    told: list[str] = []
    monkeypatch.setattr(checkpoint, "SECONDS_BETWEEN", 0.0)
    train(tmp_path / "whole", questions("France"), passes=128)
    with pytest.raises(BrokenOffError):
        train(tmp_path / "broken", questions("France"), passes=128, progress=stop_midway)
    assert any(file.suffix == ".pt" for file in (tmp_path / "broken").iterdir())
    went_on: list[int] = []
    train(tmp_path / "broken", questions("France"), passes=128, progress=lambda done, *_: went_on.append(done))

    assert went_on[0] > 8
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")


def test_a_vocabulary_is_the_same_every_time() -> None:
    # Imported here, since the package of the network imports torch.
    from training.retriever.vocabulary import own_tokenizer

    texts = [record.question for record in questions("France", "Perú", "中国")]
    [vocabulary, *others] = [own_tokenizer(texts).to_str() for _ in range(5)]

    assert others == [vocabulary] * 4
    tokens = own_tokenizer(texts).encode("capital of [MASK] 中国, ab##c").tokens
    assert tokens[:6] == ["[CLS]", "capital", "of", "[MASK]", "中", "国"]
    assert "##c" not in tokens


def test_questions_that_tell_no_path_are_refused(tmp_path: Path) -> None:
    untold = [record.model_copy(update={"path": None}) for record in questions("France")]

    with pytest.raises(InvalidInputError, match="none of the 11 questions tells a relation path"):
        train(tmp_path, untold)


def test_an_encoder_that_is_not_there_is_named_with_what_to_do(
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
    words = ["train", "retriever", "--graph", "tiny", "--questions", str(asked), "--mode", "paper"]
    nowhere = str(tmp_path / "nowhere")
    monkeypatch.setattr(sys, "argv", ["kgqa", *words, "--encoder", nowhere])
    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 1
    error = " ".join(capsys.readouterr().err.split())
    assert "can neither be read here nor fetched" in error
    assert "name a folder" in error
    assert "Traceback" not in error
    with pytest.raises(NotFoundError, match="nowhere"):
        train(tmp_path, questions("France"), encoder=nowhere)
