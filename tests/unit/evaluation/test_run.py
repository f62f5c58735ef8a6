from pathlib import Path

import pytest

from evaluation.error_analysis import Cause, FormatCause, FormatError, PipelineError
from evaluation.formats import ComparedFormat
from evaluation.options import OutputFiles
from evaluation.report import FormatsReport
from evaluation.run import Evaluation, ask_all
from question_sets.records import QuestionRecord
from shared.errors import InvalidInputError

QUESTIONS = [(number, QuestionRecord(question="q", answers=())) for number in (3, 5, 8)]
REPORT = FormatsReport(**{name: "x" for name in FormatsReport.model_fields if name != "forms"}, forms=())


def pipeline_error(why: Cause) -> PipelineError:
    return PipelineError(
        question="q",
        why=why,
        topic=None,
        linked=None,
        path=None,
        predicted=(),
        confidence=0.1,
        answers=("a",),
        answered=(),
    )


def format_error(form: ComparedFormat) -> FormatError:
    return FormatError(
        question="q", form=form, why=FormatCause.OTHER, harmful=None, answers=("a",), said="b", said_from_triples="",
        knowledge="",
    )  # fmt: skip


async def test_progress_counts_questions_and_includes_finished_ones() -> None:
    kept: list[str] = []
    progress: list[tuple[int, int]] = []

    async def ask(system: str, number: int) -> str:
        return f"{system}{number}"

    await ask_all(
        QUESTIONS,
        {"a": lambda number, _: ask("a", number), "b": lambda number, _: ask("b", number)},
        {(5, "a")},
        kept.append,
        lambda done, total: progress.append((done, total)),
    )
    assert kept == ["a3", "a8", "b3", "b5", "b8"]
    assert progress == [(0, 3), (1, 3), (1, 3), (2, 3), (2, 3), (3, 3)]


def test_errors_are_counted_by_cause_most_frequent_first() -> None:
    errors = [pipeline_error(cause) for cause in (Cause.SILENT, Cause.PATH, Cause.PATH)]
    assert Evaluation(REPORT, errors).error_counts() == ["2 errors: wrong relation path", "1 error: abstained"]


def test_errors_without_knowledge_are_not_counted() -> None:
    errors = [format_error(form) for form in (ComparedFormat.NONE, ComparedFormat.YAML)]
    assert Evaluation(REPORT, errors).error_counts() == ["1 error with yaml: the QA model says something else"]


def test_report_and_errors_are_written(tmp_path: Path) -> None:
    files = OutputFiles(tmp_path / "q", tmp_path / "r", tmp_path / "e")
    error = pipeline_error(Cause.PATH)
    Evaluation(REPORT, [error, error]).write(files)
    assert FormatsReport.model_validate_json(files.report.read_bytes()) == REPORT
    lines = (tmp_path / "e").read_text(encoding="utf-8").splitlines()
    assert [PipelineError.model_validate_json(line) for line in lines] == [error, error]


@pytest.mark.parametrize(
    ("report", "errors"), [("q", None), ("r", "q"), ("r", "r"), ("r", "r.outcomes.jsonl"), (".", None), ("no/r", None)]
)
def test_files_that_would_be_lost_or_cannot_be_written_are_rejected(
    tmp_path: Path, report: str, errors: str | None
) -> None:
    with pytest.raises(InvalidInputError, match=r"set a different file|specify a file|create it first"):
        OutputFiles(tmp_path / "q", tmp_path / report, tmp_path / errors if errors else None)
