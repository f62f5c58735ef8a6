"""The project's own command line, as the measurements use it."""

import os
import subprocess
import sys
import time
from pathlib import Path

from evaluation.report import Report, table_rows

_LEFT_OUT = {"graph", "retriever", "questions_file", "topic", "format"}


def kgqa(home: Path, *words: str) -> float:
    """Run one command with `home` as KGQA_HOME; its seconds. Ends the benchmark when it fails."""
    environment = {**os.environ, "KGQA_HOME": str(home)}
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "kgqa", *words], env=environment, check=True)
    return time.perf_counter() - started


def evaluate(home: Path, *words: str) -> dict[str, str]:
    """`kgqa evaluate` with these words; its figures as text."""
    return shown(report(home, *words))


def report(home: Path, *words: str) -> Report:
    """`kgqa evaluate` with these words; its figures."""
    file = home / "report.json"
    kgqa(home, "evaluate", *words, "--report", str(file))
    return Report.model_validate_json(file.read_text(encoding="utf-8"))


def shown(figures: Report) -> dict[str, str]:
    """A report's figures as text, by measure."""
    return {measure: value for measure, value in table_rows(figures) if measure not in _LEFT_OUT}
