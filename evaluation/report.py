"""The report of one evaluation: figures as JSON, and as a table for people."""

from collections import Counter

from pydantic import BaseModel, ConfigDict

from evaluation.metrics import lenient_hit, percentile, set_f1, strict_hit
from evaluation.outcomes import Outcome


class Latency(BaseModel):
    """Milliseconds a question, from question to answer, one question at a time."""

    p50: float
    p99: float


class Report(BaseModel):
    """Figures over all questions; rates lie in 0..1, None where no question allows the measure.

    `abstained` counts questions; of them `abstained_rightly` have no gold answer. `answerer_hits1` judges the QA
    model's own text: one that names nothing of the graph's answers was replaced in the service's answer, and counts
    as a miss here. `failed` questions met a dependency that did not answer, and count as misses; `degraded` counts
    what was done without.
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
    set_f1: float
    path_accuracy: float | None
    hop_accuracy: float | None
    linking_accuracy: float | None
    answerer_hits1: float | None
    abstained: int
    abstained_rightly: int
    failed: int
    degraded: dict[str, int]
    latency_ms: Latency


def summarise(outcomes: list[Outcome], names: dict[str, str]) -> Report:
    """The figures of all outcomes; `names` says what was evaluated (graph, retriever, questions_file, ...)."""
    gold = [outcome.record.answers for outcome in outcomes]
    return Report.model_validate(
        {
            **names,
            "questions": len(outcomes),
            "unanswerable": sum(not answers for answers in gold),
            "strict_hits1": _mean([not o.failed and strict_hit(o.answers, o.record.answers) for o in outcomes]),
            "lenient_hits1": _mean([_lenient(o) for o in outcomes]),
            "set_f1": _mean([0.0 if o.failed else set_f1(o.answers, o.record.answers) for o in outcomes]),
            "path_accuracy": _mean([o.path == o.record.path for o in outcomes if o.record.path]),
            "hop_accuracy": _mean([o.hops == len(o.record.path) for o in outcomes if o.record.path is not None]),
            "linking_accuracy": _mean([o.topic == o.record.topic for o in outcomes if o.record.topic is not None]),
            "answerer_hits1": _mean([_text_hit(o) for o in outcomes if o.text is not None]),
            "abstained": sum(o.abstained for o in outcomes),
            "abstained_rightly": sum(o.abstained and not o.record.answers for o in outcomes),
            "failed": sum(o.failed for o in outcomes),
            "degraded": Counter(without for o in outcomes for without in o.degraded),
            "latency_ms": {share: percentile([o.ms for o in outcomes], at) for share, at in _PERCENTILES.items()},
        }
    )


def table_rows(report: Report) -> list[tuple[str, str]]:
    """The report as (measure, value) for a table."""
    rows = []
    for name, value in report.model_dump(exclude={"latency_ms", "degraded"}).items():
        shown = "–" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
        rows.append((name, shown))
    rows.append(("degraded", ", ".join(f"{count} {name}" for name, count in report.degraded.items()) or "0"))
    return [*rows, ("latency_ms", f"p50 {report.latency_ms.p50:.1f}, p99 {report.latency_ms.p99:.1f}")]


_PERCENTILES = {"p50": 0.5, "p99": 0.99}


def _lenient(outcome: Outcome) -> bool:
    if not outcome.record.answers:
        return outcome.abstained
    return any(lenient_hit(answer, outcome.record.answers) for answer in outcome.answers)


def _text_hit(outcome: Outcome) -> bool:
    if not outcome.record.answers:
        return outcome.abstained
    return lenient_hit(outcome.text or "", outcome.record.answers)


def _mean(values: list[bool] | list[float]) -> float | None:
    return sum(values) / len(values) if values else None
