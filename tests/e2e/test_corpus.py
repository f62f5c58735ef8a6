"""`kgqa corpus build` with the real embedded model, killed and started again."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from question_sets.records import open_text
from tests.support.command_line import LLM_KEY, Running
from tests.support.own_process import Ended, kgqa
from tests.support.waiting import HANGS_AFTER_S, wait_until

QUESTIONS = Path(__file__).parents[2] / "examples" / "world" / "questions" / "valid.jsonl"


def command(running: Running, folder: Path, *more: str) -> list[str]:
    """Run the command line on four questions with the embedded model's two adapters."""
    questions = folder / "questions.jsonl"
    with open_text(QUESTIONS) as lines:
        questions.write_text("".join(next(lines) for _ in range(4)), encoding="utf-8")
    words = [sys.executable, "-m", "kgqa", "corpus", "build", "--graph", "world", "--out", str(folder / "pairs.jsonl")]
    models = ["--llm-url", running.urls["embedded_llm"], "--llm-model", "rewriter", "--qa-model", "answerer"]
    return [*words, "--questions", str(questions), *models, *more]


def run(running: Running, folder: Path, *more: str) -> Ended:
    """Run the command in this process."""
    return kgqa(environment(running), *command(running, folder, *more)[3:])


def environment(running: Running) -> dict[str, str]:
    return {**running.environment, "KGQA_CORPUS_LLM_API_KEY": LLM_KEY}


def settled(journal: Path) -> list[str]:
    """Return the keys of the complete lines after the first."""
    whole = journal.read_text(encoding="utf-8").split("\n")[1:-1] if journal.exists() else []
    return [json.loads(line)["key"] for line in whole]


def test_a_corpus_is_built_through_a_kill(running: Running, tmp_path: Path) -> None:
    journal = tmp_path / "pairs.jsonl.journal"
    first = subprocess.Popen(command(running, tmp_path, "--at-once", "2"), env=environment(running))
    wait_until(lambda: len(settled(journal)) >= 2 or first.poll() is not None)
    assert first.poll() is None
    first.send_signal(signal.SIGKILL)
    assert first.wait(HANGS_AFTER_S) == -signal.SIGKILL
    before = settled(journal)

    done = subprocess.run(
        command(running, tmp_path, "--prompt-price", "1"),
        env=environment(running),
        capture_output=True,
        text=True,
        timeout=HANGS_AFTER_S,
        check=True,
    )

    keys = settled(journal)
    assert keys[: len(before)] == before
    assert len(set(keys)) == len(keys)
    lines = [json.loads(line) for line in (tmp_path / "pairs.jsonl").read_text(encoding="utf-8").split("\n")[:-1]]
    kept = [line for line in journal.read_text(encoding="utf-8").split("\n") if '"verdict":"kept"' in line]
    assert len(lines) == len(kept) > len(keys) / 2
    assert "in 2 runs" in done.stdout and "cost" in done.stdout


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--llm-url", "nowhere"), 1, "URL"),
        (("--questions", "missing.jsonl"), 1, "question file not found"),
        (("--graph", "nosuch"), 1, "graph nosuch does not exist"),
        (("--out", "."), 2, "is a folder"),
        (("--at-once", "0"), 2, "greater than or equal to 1"),
    ],
)
def test_wrong_words_are_explained(
    running: Running, tmp_path: Path, words: tuple[str, ...], code: int, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = run(running, tmp_path, *words)

    assert ended.code == code
    assert says in ended.err


def test_parts_that_were_made_apart_are_one_corpus(running: Running, tmp_path: Path) -> None:
    for part in ("1/2", "0/2"):
        assert run(running, tmp_path, "--shard", part).code == 0
        assert not (tmp_path / "pairs.jsonl").exists()
    journals = [tmp_path / f"pairs.jsonl.journal.{index}-of-2" for index in range(2)]
    keys = [key for journal in journals for key in settled(journal)]
    assert run(running, tmp_path, "--merge", "2").code == 0

    kept = [line for journal in journals for line in journal.read_text().split("\n") if '"verdict":"kept"' in line]
    assert len(set(keys)) == len(keys)
    assert len((tmp_path / "pairs.jsonl").read_text(encoding="utf-8").split("\n")) - 1 == len(kept) > 0

    journals[1].write_text("".join(journals[1].read_text(encoding="utf-8").splitlines(keepends=True)[:-1]))
    merged = run(running, tmp_path, "--merge", "2")
    assert merged.code == 1
    assert "shard 1/2 is not finished: 1 item left" in merged.err
