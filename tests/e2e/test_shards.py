"""An evaluation that several processes share, one of which is killed and started again."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ingestion.importer import import_files
from tests.support.command_line import clean_environment
from tests.support.own_process import kgqa
from tests.support.waiting import HANGS_AFTER_S, wait_until

WORLD = Path(__file__).parents[2] / "examples" / "world"
PARTS = 2
QUESTIONS = 120


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
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("home")
    (folder / "graphs").mkdir()
    import_files([WORLD / "graph.tsv.xz"], folder / "graphs" / "world.sqlite")
    return folder


def run(home: Path, folder: Path, *words: str) -> tuple[int, str]:
    """Run the command in this process; return the exit status, and what is said on standard error."""
    ended = kgqa(clean_environment(home), *command(folder, *words)[3:])
    return ended.code, " ".join(ended.err.split())


def test_parts_of_different_evaluations_are_not_put_together(home: Path, tmp_path: Path) -> None:
    line = '{"question": "capital of France?", "answers": ["Paris"]}\n'
    (tmp_path / "few.jsonl").write_text(2 * line)
    few = ["--questions", str(tmp_path / "few.jsonl")]
    for part, beam in (("0/2", "3"), ("1/2", "4")):
        assert run(home, tmp_path, *few, "--beam", beam, "--shard", part)[0] == 0
    code, said = run(home, tmp_path, *few, "--merge", "2")
    assert code == 1
    assert "was started with beam '4', not '3'" in said


def test_what_is_no_part_is_said(home: Path, tmp_path: Path) -> None:
    code, said = run(home, tmp_path, "--shard=3/3")
    assert code == 1
    assert "expected a shard such as 0/10 (the first of ten)" in said


def test_a_killed_part_loses_and_doubles_nothing(home: Path, tmp_path: Path) -> None:
    def start(part: int) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(command(tmp_path, "--shard", f"{part}/{PARTS}"), env=clean_environment(home))

    parts = [start(part) for part in range(PARTS)]
    wait_until(lambda: len(asked(tmp_path, 1)) >= 5 or parts[1].poll() is not None)
    assert parts[1].poll() is None
    parts[1].send_signal(signal.SIGSTOP)
    code, said = run(home, tmp_path, "--shard", f"1/{PARTS}")
    assert (code, "is in use by another run" in said) == (1, True)
    parts[1].send_signal(signal.SIGKILL)
    assert parts[1].wait(HANGS_AFTER_S) == -signal.SIGKILL
    assert parts[0].wait(HANGS_AFTER_S) == 0
    code, said = run(home, tmp_path, "--merge", str(PARTS))
    assert code == 1
    assert f"shard 1/{PARTS} is not finished" in said

    assert start(1).wait(HANGS_AFTER_S) == 0
    numbers = [number for part in range(PARTS) for number in asked(tmp_path, part)]
    assert sorted(numbers) == list(range(len(numbers)))
    assert run(home, tmp_path, "--merge", str(PARTS))[0] == 0
    together = figures(tmp_path)
    # In a process of its own: the number of BLAS threads, which pytest changes, decides the last digits of products.
    subprocess.run(command(tmp_path), env=clean_environment(home), check=True)
    assert together == figures(tmp_path)
    assert together["questions"] == len(numbers)
