"""An evaluation that several processes share, one of which is killed and started again."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import clean_environment
from tests.support.waiting import HANGS_AFTER_S, wait_until

WORLD = Path(__file__).parents[2] / "examples" / "world"
PARTS = 3
QUESTIONS = 180


def command(folder: Path, *more: str) -> list[str]:
    words = [sys.executable, "-m", "kgqa", "evaluate", "--graph", "world", "--report", str(folder / "report.json")]
    words += ["--retriever", str(WORLD / "retriever"), "--questions", str(_questions(folder))]
    return [*words, "--no-answerer", "--topic", "linked", *more]


def _questions(folder: Path) -> Path:
    """Write enough questions to kill a shard before it has finished."""
    chosen = folder / "questions.jsonl"
    if not chosen.exists():
        lines = (WORLD / "questions" / "test.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        chosen.write_text("".join(lines[:QUESTIONS]), encoding="utf-8")
    return chosen


def asked(folder: Path, part: int) -> list[int]:
    """Return the numbers of the questions in a shard's journal."""
    journal = folder / f"report.json.outcomes.jsonl.{part}-of-{PARTS}"
    lines = journal.read_text(encoding="utf-8").split("\n")[1:-1] if journal.exists() else []
    return [json.loads(line)["number"] for line in lines]


def figures(folder: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    del report["latency_ms"]
    return report


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    chosen = clean_environment(tmp_path_factory.mktemp("home"))
    words = [sys.executable, "-m", "kgqa", "import", str(WORLD / "graph.tsv.xz"), "--graph", "world"]
    subprocess.run(words, env=chosen, check=True, capture_output=True)
    return chosen


def test_a_part_that_another_is_at_work_on_is_refused(environment: dict[str, str], tmp_path: Path) -> None:
    first = subprocess.Popen(command(tmp_path, "--shard", "0/1"), env=environment)
    begun = tmp_path / "report.json.outcomes.jsonl.0-of-1"
    wait_until(lambda: begun.exists() or first.poll() is not None)
    first.send_signal(signal.SIGSTOP)
    assert first.poll() is None
    words = command(tmp_path, "--shard", "0/1")
    second = subprocess.run(words, env=environment, capture_output=True, text=True)
    first.send_signal(signal.SIGKILL)
    first.wait(HANGS_AFTER_S)
    assert second.returncode == 1
    assert "is in use by another run" in " ".join(second.stderr.split())


def test_parts_of_different_evaluations_are_not_put_together(environment: dict[str, str], tmp_path: Path) -> None:
    line = '{"question": "capital of France?", "answers": ["Paris"]}\n'
    (tmp_path / "few.jsonl").write_text(2 * line)
    few = ["--questions", str(tmp_path / "few.jsonl")]
    for part, beam in (("0/2", "3"), ("1/2", "4")):
        subprocess.run(command(tmp_path, *few, "--beam", beam, "--shard", part), env=environment, check=True)
    merged = subprocess.run(command(tmp_path, *few, "--merge", "2"), env=environment, capture_output=True, text=True)
    assert merged.returncode == 1
    assert "was started with beam '4', not '3'" in " ".join(merged.stderr.split())


def test_what_is_no_part_is_said(environment: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(command(tmp_path, "--shard=3/3"), env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "expected a shard such as 0/10 (the first of ten)" in " ".join(done.stderr.split())


def test_a_killed_part_loses_and_doubles_nothing(environment: dict[str, str], tmp_path: Path) -> None:
    def start(part: int) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(command(tmp_path, "--shard", f"{part}/{PARTS}"), env=environment)

    parts = [start(part) for part in range(PARTS)]
    wait_until(lambda: len(asked(tmp_path, 1)) >= 5 or parts[1].poll() is not None)
    assert parts[1].poll() is None
    parts[1].send_signal(signal.SIGKILL)
    assert parts[1].wait(HANGS_AFTER_S) == -signal.SIGKILL
    assert [parts[part].wait(HANGS_AFTER_S) for part in (0, 2)] == [0, 0]
    too_early = subprocess.run(
        command(tmp_path, "--merge", str(PARTS)), env=environment, capture_output=True, text=True
    )
    assert too_early.returncode == 1
    assert f"shard 1/{PARTS} is not finished" in " ".join(too_early.stderr.split())

    assert start(1).wait(HANGS_AFTER_S) == 0
    numbers = [number for part in range(PARTS) for number in asked(tmp_path, part)]
    assert sorted(numbers) == list(range(len(numbers)))
    subprocess.run(command(tmp_path, "--merge", str(PARTS)), env=environment, check=True, capture_output=True)
    together = figures(tmp_path)
    subprocess.run(command(tmp_path), env=environment, check=True, capture_output=True)
    assert together == figures(tmp_path)
    assert together["questions"] == len(numbers)
