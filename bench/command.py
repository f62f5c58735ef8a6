"""Run `kgqa evaluate`, and read its report."""

from pathlib import Path

from evaluation.report import Report
from tests.support.command_line import run_kgqa

_NOT_SHOWN = {"graph", "retriever", "questions_file", "topic", "format"}


def evaluate(home: Path, *words: str) -> Report:
    """Run `kgqa evaluate` with these options and `home` as KGQA_HOME, and return its report."""
    file = home / "report.json"
    run_kgqa(home, "evaluate", *words, "--report", str(file))
    return Report.model_validate_json(file.read_text(encoding="utf-8"))


def as_column(report: Report) -> dict[str, str]:
    """Return the figures in a report as text, keyed by measure."""
    [(_, rows)] = report.tables()
    return {measure: value for measure, value in rows if measure not in _NOT_SHOWN}
