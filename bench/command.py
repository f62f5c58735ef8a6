"""Run `kgqa evaluate` and the training of paths, each in a process of its own."""

import os
import subprocess
import sys
import time
from pathlib import Path

from evaluation.report import Report
from tests.support.command_line import run_kgqa

_NOT_SHOWN = {"graph", "retriever", "questions_file", "topic", "format"}


def evaluate(home: Path, *words: str) -> Report:
    """Run `kgqa evaluate` with these options and `home` as KGQA_HOME, and return its report."""
    file = home / "report.json"
    run_kgqa(home, "evaluate", *words, "--report", str(file))
    return Report.model_validate_json(file.read_text(encoding="utf-8"))


def train_paths(home: Path, graph: str, model: Path, *questions: Path) -> float:
    """Run `bench.paths.path_training` with `home` as KGQA_HOME, and return the seconds it took."""
    command = [sys.executable, "-m", "bench.paths.path_training", graph, *map(str, (model, *questions))]
    started = time.perf_counter()
    subprocess.run(command, env={**os.environ, "KGQA_HOME": str(home)}, check=True)
    return time.perf_counter() - started


def as_column(report: Report) -> dict[str, str]:
    """Return the figures in a report as text, keyed by measure."""
    (_, rows), *_ = report.tables()
    return {measure: value for measure, value in rows if measure not in _NOT_SHOWN}
