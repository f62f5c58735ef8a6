"""A training that is killed in any state leaves what is served as it was, and the next run goes on from there."""

import asyncio
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from contracts.answers import answer_names
from contracts.retrieve import RetrieveRequest
from evaluation.in_process import open_retriever
from kgqa.status import model_state
from services.retriever.plans.predictor.plan_manifest import BASE_MODEL, MANIFEST_FILE, read_plan_manifest
from services.retriever.serving.hot_reload import fingerprint
from services.retriever.serving.served_graph import watched_files
from services.retriever.settings import RetrieverSettings
from shared.paths import retriever_folder, training_folder
from tests.e2e.test_own_graph import write_films
from tests.support.command_line import clean_environment

pytestmark = pytest.mark.train

# Runs `kgqa` with a short training that saves each state, and sends itself a signal when it reaches a state.
_KILLED = """
import os, signal, sys
from functools import partial
from training import checkpoint
from training.planning import adapt
from training.retriever import training_loop
from ingestion import atomic_folder
from evaluation import model_comparison

state, number = sys.argv[1], getattr(signal, sys.argv[2])
checkpoint.SECONDS_BETWEEN = 0.0
training_loop.Hyperparameters = partial(training_loop.Hyperparameters, max_examples=64, validations=2)
adapt.AdaptOptions = partial(adapt.AdaptOptions, per_element=4, passes=1.0)


def reach(reached):
    if reached == state:
        print("reached", reached, flush=True)
        os.kill(os.getpid(), number)


def save(self, state, is_last=False, _save=checkpoint.Checkpoint.save):
    _save(self, state, is_last)
    reach(self._file.parent.name)


def exchange(*folders, _exchange=atomic_folder._exchange):
    reach("before the exchange")
    done = _exchange(*folders)
    reach("after the exchange")
    return done


def score(*given, _score=model_comparison.score):
    reach("comparison")
    return _score(*given)


checkpoint.Checkpoint.save = save
atomic_folder._exchange = exchange
model_comparison.score = score
sys.argv = ["kgqa", *sys.argv[3:]]
from kgqa.cli import main
main()
"""


class _Graph:
    """A graph with a trained plan model in service, and questions to train with."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.environment = clean_environment(folder / "home")
        monkeypatch.setenv("KGQA_HOME", str(folder / "home"))
        facts, self._questions = write_films(folder)
        command = [sys.executable, "-m", "kgqa", "import", str(facts), "--graph", "films"]
        subprocess.run(command, env=self.environment, check=True)
        self.plans = retriever_folder("films") / "plans"
        self.plans.mkdir(parents=True)
        for file in BASE_MODEL.iterdir():
            shutil.copyfile(file, self.plans / file.name)
        manifest = read_plan_manifest(BASE_MODEL).model_copy(update={"trained_on": "own"})
        (self.plans / MANIFEST_FILE).write_text(manifest.model_dump_json(), encoding="utf-8")

    def train(self, state: str, number: str) -> "subprocess.CompletedProcess[str]":
        """Train until a state is reached, and send this signal then."""
        words = ["train", "retriever", "--graph", "films", "--questions", str(self._questions), "--force"]
        command = [sys.executable, "-c", _KILLED, state, number, *words]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)

    def served(self) -> tuple[object, object]:
        """Return which files a service would load again, and what it answers."""
        return fingerprint(*watched_files(RetrieverSettings(graph="films"))), asyncio.run(_answers())


async def _answers() -> list[tuple[list[str], float]]:
    async with open_retriever("films", retriever_folder("films")) as loaded:
        asked = [RetrieveRequest(question=text) for text in ("who directed Red Dust", "How many films are there?")]
        replies = [await loaded.retriever.retrieve(one) for one in asked]
        return [(answer_names(one.answers), one.confidence) for one in replies]


_STATES = [
    ("path-checkpoints", "SIGINT"),
    ("path-checkpoints", "SIGKILL"),
    ("plan-checkpoints", "SIGINT"),
    ("plan-checkpoints", "SIGKILL"),
    ("comparison", "SIGINT"),
    ("before the exchange", "SIGKILL"),
]


def test_a_killed_training_changes_nothing_and_the_next_run_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = _Graph(tmp_path, monkeypatch)
    before = graph.served()
    for state, number in _STATES:
        done = graph.train(state, number)

        assert f"reached {state}" in done.stdout, done.stderr
        assert done.returncode == (130 if number == "SIGINT" else -signal.SIGKILL)
        assert (number != "SIGINT") or "is unchanged; run the same command again to resume" in done.stderr
        assert graph.served() == before, state
        said = model_state("films", retriever_folder("films"), is_file=True)
        assert said.startswith("plans trained") and "a training was interrupted" in said

    done = graph.train("after the exchange", "SIGKILL")

    assert done.returncode == -signal.SIGKILL, done.stderr
    assert graph.served() != before
    # The new folder is whole, and the old one, which was not removed yet, in nobody's way.
    assert read_plan_manifest(graph.plans).graph_version is not None
    done = graph.train("none", "SIGKILL")
    assert done.returncode == 0, done.stderr
    assert not training_folder(retriever_folder("films")).exists()


def test_a_resumed_training_does_not_begin_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = _Graph(tmp_path, monkeypatch)
    graph.train("plan-checkpoints", "SIGKILL")
    checkpoints = training_folder(retriever_folder("films")) / "path-checkpoints"
    [finished] = [file for file in checkpoints.iterdir() if file.suffix == ".pt"]
    before = finished.stat()

    done = graph.train("comparison", "SIGKILL")

    assert "reached comparison" in done.stdout, done.stderr
    assert (finished.stat().st_ino, finished.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
