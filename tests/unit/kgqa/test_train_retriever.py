"""`kgqa train retriever` installs what is better, or keeps what there is, and says so; the training is a fake."""

import json
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluation import model_comparison
from evaluation.model_comparison import Score
from kgqa.cli import main
from kgqa.train_retriever import NOTHING_BETTER
from question_sets.records import QuestionRecord
from services.retriever.plans.predictor.plan_manifest import BASE_MODEL, read_plan_manifest
from shared.paths import retriever_folder, training_folder
from training.retriever import from_files
from training.retriever.from_files import TrainedRetriever, TrainingInput
from training.retriever.model_parts import ModelParts
from training.work_folder import WorkFolder, training_state

_BETTER, _EQUAL = (1, 1, 1), (0, 0, 0)


class _FakeTraining:
    """Write the packaged model as a trained plan model; count the trainings."""

    def __init__(self) -> None:
        self.trained = 0
        self.is_interrupted = False

    async def __call__(
        self, given: TrainingInput, training: Sequence[QuestionRecord], work: WorkFolder, progress: Any
    ) -> TrainedRetriever:
        plans = work.empty("plans")
        shutil.copytree(BASE_MODEL, plans, dirs_exist_ok=True)
        progress(1, 2, "plans: half")
        if self.is_interrupted:
            signal.raise_signal(signal.SIGINT)
        self.trained += 1
        return TrainedRetriever(ModelParts(plans=plans), None, None, "too few questions have paths")


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[_FakeTraining]:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "300")
    facts = tmp_path / "facts.tsv"
    facts.write_text("France\tcapital\tParis\n", encoding="utf-8")
    run(monkeypatch, "import", facts, "--graph", "mine")
    fake = _FakeTraining()
    monkeypatch.setattr(from_files, "train_from_files", fake)
    before = signal.getsignal(signal.SIGINT)
    yield fake
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "questions.jsonl"
    lines = [{"question": f"capital of France, {number}?", "answers": ["Paris"]} for number in range(6)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def scripted(monkeypatch: pytest.MonkeyPatch, new: tuple[int, ...]) -> list[int]:
    """Let the comparison have these scores; return the numbers of questions that it was given."""
    asked = []

    async def compare(graph: str, present: ModelParts, trained: ModelParts, records: Sequence[Any], _: Any) -> Any:
        asked.append(len(records))
        names = model_comparison.combinations(present, trained)
        return {name: Score(new if name == "new plans" else _EQUAL, 0) for name in names}

    monkeypatch.setattr(model_comparison, "compare", compare)
    return asked


def run(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    monkeypatch.setattr(sys, "argv", ["kgqa", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
        sys.exit(0)
    return int(ended.value.code or 0)


def train(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    return run(monkeypatch, "train", "retriever", "--graph", "mine", *words)


def test_a_better_model_is_installed_whole(
    monkeypatch: pytest.MonkeyPatch, training: _FakeTraining, questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = scripted(monkeypatch, _BETTER)

    assert train(monkeypatch, "--questions", questions) == 0

    shown = capsys.readouterr().out
    assert asked == [3]
    assert "3 questions kept aside" in shown and "installed new plans" in shown and "s in all" in shown
    assert "relation paths: not trained; too few questions have paths" in shown
    assert read_plan_manifest(retriever_folder("mine") / "plans") == read_plan_manifest(BASE_MODEL)
    assert [file.name for file in retriever_folder("mine").parent.iterdir()] == ["retriever"]


def test_a_model_that_is_no_better_leaves_the_present_one(
    monkeypatch: pytest.MonkeyPatch, training: _FakeTraining, questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scripted(monkeypatch, _EQUAL)

    assert train(monkeypatch, "--questions", questions) == NOTHING_BETTER == 4

    assert "nothing is installed" in (shown := capsys.readouterr().out)
    assert "the packaged base model stays in service" in shown
    assert not retriever_folder("mine").exists()
    assert "installed nothing" in (training_state(retriever_folder("mine")) or "")
    assert train(monkeypatch, "--questions", questions, "--force") == 0
    assert (retriever_folder("mine") / "plans" / "manifest.json").is_file()


def test_without_questions_to_compare_with_nothing_is_trained(
    monkeypatch: pytest.MonkeyPatch, training: _FakeTraining, questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scripted(monkeypatch, _BETTER)
    questions.write_text("".join(questions.read_text(encoding="utf-8").splitlines(True)[:4]), encoding="utf-8")

    assert train(monkeypatch) == 1
    assert "nothing would show whether training helps: 0 questions" in capsys.readouterr().err
    assert train(monkeypatch, "--questions", questions) == 1
    assert "2 questions can be kept aside" in capsys.readouterr().err
    assert training.trained == 0
    assert not training_folder(retriever_folder("mine")).exists()
    assert train(monkeypatch, "--force") == 0
    assert training.trained == 1


def test_the_graph_alone_is_compared_with_the_validation_questions(
    monkeypatch: pytest.MonkeyPatch, training: _FakeTraining, questions: Path
) -> None:
    asked = scripted(monkeypatch, _BETTER)

    assert train(monkeypatch, "--valid", questions) == 0

    assert asked == [6]


def test_an_interruption_of_the_first_training_names_no_folder(
    monkeypatch: pytest.MonkeyPatch, training: _FakeTraining, questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    training.is_interrupted = True

    assert train(monkeypatch, "--questions", questions) == 130

    said = "interrupted; the packaged base model stays in service; run the same command again to resume"
    assert said in capsys.readouterr().err


def test_an_interruption_says_that_nothing_has_changed_and_is_right(
    monkeypatch: pytest.MonkeyPatch, training: _FakeTraining, questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scripted(monkeypatch, _BETTER)
    train(monkeypatch, "--questions", questions)
    before = {file: file.stat().st_ino for file in retriever_folder("mine").rglob("*")}
    training.is_interrupted = True

    assert train(monkeypatch, "--questions", questions) == 130

    shown = capsys.readouterr().err
    assert f"interrupted; {retriever_folder('mine')} is unchanged; run the same command again to resume" in shown
    assert {file: file.stat().st_ino for file in retriever_folder("mine").rglob("*")} == before
    assert training_folder(retriever_folder("mine")).is_dir()
    run(monkeypatch, "graphs")
    assert "a training was interrupted" in " ".join(capsys.readouterr().out.split())
    training.is_interrupted = False
    assert train(monkeypatch, "--questions", questions) == 0


def test_a_folder_with_other_files_is_refused_before_anything_is_trained(
    monkeypatch: pytest.MonkeyPatch, training: _FakeTraining, questions: Path, tmp_path: Path
) -> None:
    assert train(monkeypatch, "--questions", questions, "--out", tmp_path) == 1

    assert training.trained == 0
    assert questions.is_file()
