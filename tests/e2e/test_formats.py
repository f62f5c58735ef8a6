"""Run `kgqa evaluate --formats` with the real embedded model, and resume it."""

import json
import subprocess
import sys
from pathlib import Path

from evaluation.error_analysis import FormatError
from evaluation.report import FormatsReport
from tests.support.command_line import LLM_KEY, Running

ROOT = Path(__file__).parents[2]
QUESTIONS = ROOT / "examples" / "world" / "questions" / "valid.jsonl"
RETRIEVER = ROOT / "examples" / "world" / "retriever"


def compare(running: Running, folder: Path, *formats: str) -> str:
    """Run the command on three questions, and return its output."""
    url = running.urls["embedded_llm"]
    environment = dict(running.environment)
    for service in ("REWRITER", "ANSWERER"):
        environment |= {f"KGQA_{service}_LLM_URL": url, f"KGQA_{service}_LLM_API_KEY": LLM_KEY}
    words = ["--graph", "world", "--retriever", str(RETRIEVER), "--questions", str(QUESTIONS), "--sample", "3"]
    words += ["--report", str(folder / "r.json"), "--errors", str(folder / "e.jsonl"), "--formats", ",".join(formats)]
    command = [sys.executable, "-m", "kgqa", "evaluate", *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_formats_are_compared_and_the_comparison_resumes(running: Running, tmp_path: Path) -> None:
    shown = compare(running, tmp_path, "none", "triples")
    outcomes = tmp_path / "r.json.outcomes.jsonl"
    before = outcomes.read_bytes()
    assert before.count(b"\n") == 1 + 2 * 3
    assert "triples" in shown and "vs none" in shown

    outcomes.write_bytes(before[:-30])
    compare(running, tmp_path, "none", "triples", "text")
    report = FormatsReport.model_validate_json((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert outcomes.read_bytes().startswith(before[: before.rindex(b"\n", 0, -1) + 1])
    assert outcomes.read_bytes().count(b"\n") == 1 + 3 * 3
    none, triples, text = report.forms
    assert [found.questions for found in report.forms] == [3, 3, 3]
    assert (triples.hits1, text.covered, report.sample) == (1.0, 1.0, "3 by seed 0")
    assert none.prompt_tokens < min(text.prompt_tokens, triples.prompt_tokens)
    errors = [FormatError.model_validate(json.loads(line)) for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    assert len(errors) == sum(round(3 * (1 - found.hits1)) for found in report.forms)
