"""A training keeps what is unfinished beside the model folder, and one training at a time uses it."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shared.errors import InvalidInputError
from shared.paths import training_folder
from training.work_folder import open_work_folder, training_state


def test_a_model_appears_when_it_is_published(tmp_path: Path) -> None:
    target = tmp_path / "models" / "retriever"
    with open_work_folder(target) as work:
        (work.part("checkpoints") / "state.pt").touch()
        new = work.empty()
        (new / "manifest.json").touch()
        assert not target.exists()
        work.publish(new)

    assert [file.name for file in target.iterdir()] == ["manifest.json"]
    assert list(target.parent.iterdir()) == [target]


def test_an_interrupted_training_leaves_the_model_and_its_checkpoints(tmp_path: Path) -> None:
    target = tmp_path / "retriever"
    target.mkdir()
    (target / "manifest.json").write_text("old", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt), open_work_folder(target) as work:
        (work.part("checkpoints") / "state.pt").touch()
        (work.empty() / "manifest.json").write_text("half", encoding="utf-8")
        raise KeyboardInterrupt

    assert (target / "manifest.json").read_text(encoding="utf-8") == "old"
    with open_work_folder(target) as work:
        assert (work.part("checkpoints") / "state.pt").is_file()
        assert list(work.empty().iterdir()) == []


def test_two_trainings_of_one_model_do_not_mix(tmp_path: Path) -> None:
    with open_work_folder(tmp_path / "retriever") as work:
        work.part("paths")
        with pytest.raises(InvalidInputError, match="another process trains the same model"):
            open_work_folder(tmp_path / "retriever").__enter__()
        with open_work_folder(tmp_path / "other"):
            pass
    with open_work_folder(tmp_path / "retriever"):
        pass


def test_the_state_says_whether_a_training_runs_or_waits(tmp_path: Path) -> None:
    target = tmp_path / "retriever"
    assert training_state(target) is None
    with open_work_folder(target) as work:
        work.part("paths")
        assert "a training runs" in (training_state(target) or "")
    assert "a training was interrupted" in (training_state(target) or "")
    with open_work_folder(target) as work:
        work.mark_ended()
    assert "installed nothing" in (training_state(target) or "")
    with open_work_folder(target):
        pass
    assert "a training was interrupted" in (training_state(target) or "")
    with open_work_folder(target) as work:
        work.remove()
    assert training_state(target) is None


def test_a_training_that_began_nothing_leaves_nothing(tmp_path: Path) -> None:
    with open_work_folder(tmp_path / "mine" / "retriever"):
        assert training_folder(tmp_path / "mine" / "retriever").is_dir()

    assert list(tmp_path.iterdir()) == []


def test_a_training_that_ended_without_beginning_anything_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "retriever"
    with open_work_folder(target) as work:
        work.mark_ended()

    assert training_state(target) is None
    assert list(tmp_path.iterdir()) == []


def test_a_mount_point_is_refused_before_anything_is_trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_mount", lambda path: path == tmp_path)

    with pytest.raises(InvalidInputError, match="is a mount point"), open_work_folder(tmp_path):
        pass


_PUBLISH = """
import os, signal, sys
from pathlib import Path
from ingestion import atomic_folder
from training.work_folder import open_work_folder

def exchange(*folders, _exchange=atomic_folder._exchange):
    done = sys.argv[2] == "after" and _exchange(*folders)
    os.kill(os.getpid(), signal.SIGKILL)

atomic_folder._exchange = exchange
with open_work_folder(Path(sys.argv[1])) as work:
    new = work.empty()
    (new / "manifest.json").write_text("new")
    work.publish(new)
"""


@pytest.mark.parametrize(("when", "served"), [("before", "old"), ("after", "new")])
def test_a_process_that_is_killed_as_it_publishes_leaves_a_whole_model(tmp_path: Path, when: str, served: str) -> None:
    target = tmp_path / "retriever"
    target.mkdir()
    (target / "manifest.json").write_text("old", encoding="utf-8")

    killed = subprocess.run([sys.executable, "-c", _PUBLISH, str(target), when], check=False)

    assert killed.returncode == -signal.SIGKILL
    assert (target / "manifest.json").read_text(encoding="utf-8") == served
    with open_work_folder(target) as work:  # the lock ended with the process
        work.remove()
    assert list(tmp_path.iterdir()) == [target]
