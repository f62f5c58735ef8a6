"""The report of one evaluation: figures as JSON, and as a table for people."""

from collections import Counter

from pydantic import BaseModel, ConfigDict

from evaluation.intervals import interval_of_mean
from evaluation.metrics import lenient_hit, percentile, set_scores
from evaluation.outcomes import Outcome


class Latency(BaseModel):
    """Milliseconds a question, from question to answer, one question at a time."""

    p50: float
    p99: float


class Report(BaseModel):
    """Figures over all questions; rates lie in 0..1, None where no question allows the measure.

    `abstained` counts questions; of them `abstained_rightly` have no gold answer. `answerer_hits1` judges the QA
    model's own text: one that names nothing of the graph's answers was replaced in the service's answer, and counts
    as a miss here; one that names some of them was completed, and counts as it was given. `failed` questions met a
    dependency that did not answer, and count as misses; `degraded` counts what was done without.
    `calibration_error`: over the questions that were answered, of which the whole answer set must be right, see
    `QuestionRecord.is_answered_by`. `intervals`: 95 %
    intervals over the questions.
    """

    model_config = ConfigDict(extra="forbid")

    graph: str
    retriever: str
    questions_file: str
    topic: str
    format: str
    questions: int
    unanswerable: int
    strict_hits1: float
    lenient_hits1: float
    set_precision: float
    set_recall: float
    set_f1: float
    evidence_recall: float | None
    path_accuracy: float | None
    hop_accuracy: float | None
    linking_accuracy: float | None
    answerer_hits1: float | None
    intervals: dict[str, tuple[float, float]]
    calibration_error: float | None
    abstained: int
    abstained_rightly: int
    failed: int
    degraded: dict[str, int]
    latency_ms: Latency


def summarise(outcomes: list[Outcome], names: dict[str, str]) -> Report:
    """The figures of all outcomes; `names` says what was evaluated (graph, retriever, questions_file, ...)."""
    scores = _scores(outcomes)
    return Report.model_validate(
        {
            **names,
            "questions": len(outcomes),
            "unanswerable": sum(not o.record.answers for o in outcomes),
            **{name: sum(values) / len(values) if values else None for name, values in scores.items()},
            "intervals": {name: interval_of_mean(values) for name, values in scores.items() if values},
            "calibration_error": _calibration_error([o for o in outcomes if o.answers]),
            "abstained": sum(o.abstained for o in outcomes),
            "abstained_rightly": sum(o.abstained and not o.record.answers for o in outcomes),
            "failed": sum(o.failed for o in outcomes),
            "degraded": Counter(without for o in outcomes for without in o.degraded),
            "latency_ms": {share: percentile([o.ms for o in outcomes], at) for share, at in _PERCENTILES.items()},
        }
    )


def _scores(outcomes: list[Outcome]) -> dict[str, list[float]]:
    """One score a question for each measure; questions that do not allow a measure are left out of it."""
    sets = [_set_scores(o) for o in outcomes]
    return {
        "strict_hits1": [o.is_right for o in outcomes],
        "lenient_hits1": [_lenient(o) for o in outcomes],
        "set_precision": [precision for precision, _, _ in sets],
        "set_recall": [recall for _, recall, _ in sets],
        "set_f1": [f1 for _, _, f1 in sets],
        "evidence_recall": [o.in_evidence for o in outcomes if o.record.answers],
        "path_accuracy": [o.path == o.record.path for o in outcomes if o.record.path],
        "hop_accuracy": [o.hops == len(o.record.path) for o in outcomes if o.record.path is not None],
        "linking_accuracy": [o.topic == o.record.topic for o in outcomes if o.record.topic is not None],
        "answerer_hits1": [_text_hit(o) for o in outcomes if o.text is not None],
    }


def _calibration_error(answered: list[Outcome]) -> float | None:
    """ECE (Naeini et al. 2015): how far confidence and share of right answer sets lie apart, over ten equal bins."""
    bins: dict[int, list[Outcome]] = {}
    for outcome in answered:
        bins.setdefault(min(int(outcome.confidence * _BINS), _BINS - 1), []).append(outcome)
    gaps = (
        abs(sum(o.record.is_answered_by(o.answers, o.path) - o.confidence for o in members))
        for members in bins.values()
    )
    return sum(gaps) / len(answered) if answered else None


def table_rows(report: Report) -> list[tuple[str, str]]:
    """The report as (measure, value) for a table."""
    rows = []
    for name, value in report.model_dump(exclude={"latency_ms", "degraded", "intervals"}).items():
        shown = "–" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
        if name in report.intervals:
            low, high = report.intervals[name]
            shown += f" ({low:.3f} to {high:.3f})"
        rows.append((name, shown))
    rows.append(("degraded", ", ".join(f"{count} {name}" for name, count in report.degraded.items()) or "0"))
    return [*rows, ("latency_ms", f"p50 {report.latency_ms.p50:.1f}, p99 {report.latency_ms.p99:.1f}")]


_BINS = 10
_PERCENTILES = {"p50": 0.5, "p99": 0.99}


def _lenient(outcome: Outcome) -> bool:
    if not outcome.record.answers:
        return outcome.abstained
    return any(lenient_hit(answer, outcome.record.answers) for answer in outcome.answers)


def _text_hit(outcome: Outcome) -> bool:
    if not outcome.record.answers:
        return outcome.abstained
    return lenient_hit(outcome.text or "", outcome.record.answers)


def _set_scores(outcome: Outcome) -> tuple[float, float, float]:
    return (0.0, 0.0, 0.0) if outcome.failed else set_scores(outcome.answers, outcome.record.answers)
