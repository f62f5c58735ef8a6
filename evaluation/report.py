"""Aggregate outcomes into reports, and format the reports as JSON and as tables."""

from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from evaluation.confidence_metrics import (
    ConfidenceBin,
    Judged,
    RiskAtThreshold,
    auroc,
    calibration_error,
    coverage_at_risk,
    reliability_diagram,
    risk_at_coverage,
    risk_coverage_curve,
)
from evaluation.formats import ComparedFormat, FormatOutcome
from evaluation.metrics import interval_of_mean, lenient_hit, percentile, set_scores
from evaluation.outcomes import Outcome
from evaluation.reliability import Verdict, reliability_scores

_RISKS = (5, 2)  # percent
_PERCENTILES = {"p50": 0.5, "p99": 0.99}

_SHOWN_APART = ("by_kind", "risk_coverage", "reliability", "coverage_at_risk", "reliability_diagram")
_BAR = 40  # characters, for a share of 1

Table = tuple[tuple[str, ...], Sequence[tuple[str, ...]]]
"""The column labels and the rows."""
FormatOutcomes = Mapping[ComparedFormat, Sequence[FormatOutcome]]


class KindFigures(BaseModel, extra="forbid", frozen=True):
    """Report on one kind of question; `right` is the execution accuracy, with its 95 % confidence interval."""

    questions: int
    right: float
    interval: tuple[float, float]
    silent: int
    confidently_wrong: int

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> "KindFigures":
        """Count the outcomes of one kind."""
        right = [float(one.is_exact) for one in outcomes]
        return cls(
            questions=len(outcomes),
            right=sum(right) / len(right),
            interval=interval_of_mean(right),
            silent=sum(one.abstained for one in outcomes),
            confidently_wrong=sum(one.is_confidently_wrong for one in outcomes),
        )

    def row(self) -> tuple[str, str, str, str]:
        """Return the figures as text."""
        low, high = (f"{100 * bound:.1f}" for bound in self.interval)
        right = f"{100 * self.right:.1f} % ({low} to {high})"
        return str(self.questions), right, str(self.silent), str(self.confidently_wrong)


class Report(BaseModel, extra="forbid"):
    """Report measures over all questions. Rates range from 0 to 1; a rate is None if it applies to no question.

    Attributes:
        answerer_hits1: share of the questions for which the QA model's own text names a gold answer. A text that the
            service replaced counts as a miss; a text that it only completed counts as the model's own.
        intervals: 95 % confidence intervals over the questions, by measure.
        execution_accuracy: share of the questions whose whole answer set is right; without gold answers, silence is.
        calibration_error: expected calibration error over the answered questions.
        auroc: area under the ROC curve of the confidence over all questions. Only right answers count as right, so an
            unanswerable question should have a low confidence.
        risk_at_80: share of wrong replies among the 80 % of the questions with the highest confidence.
        reliability: RS(c) for several c, in percent: the mean over all questions of 1 for a right answer or a right
            silence, 0 for a needless silence or a failure, and -c for a wrong answer, if a question is answered at a
            confidence of at least c/(1+c); and the score of silence (EHRSQL 2024; TrustSQL).
        coverage_at_risk: the largest share of the questions, those with the highest confidence, of whose replies at
            most 5 %, or 2 %, are wrong.
        confidently_wrong: number of wrong answers with a confidence of at least 0.8.
        by_kind: figures for each kind of question, if the questions name their kinds.
        risk_coverage: what share of the questions is answered at a threshold, and what share of these is wrong.
        reliability_diagram: how many of the answers in each tenth of the confidence are right.
        abstained: number of questions that the system chose not to answer.
        abstained_rightly: number of abstentions on questions that have no gold answers.
        failed: number of questions for which a dependency failed; they count as misses.
        degraded: number of affected answers for each part that was unavailable or replaced.
        latency_ms: percentiles of the time from question to answer, with one question asked at a time.
    """

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
    execution_accuracy: float
    intervals: dict[str, tuple[float, float]]
    calibration_error: float | None
    auroc: float | None
    risk_at_80: float | None
    reliability: dict[str, float]
    coverage_at_risk: dict[str, float | None]
    abstained: int
    abstained_rightly: int
    confidently_wrong: int
    by_kind: dict[str, KindFigures]
    risk_coverage: tuple[RiskAtThreshold, ...]
    reliability_diagram: tuple[ConfidenceBin, ...]
    failed: int
    degraded: dict[str, int]
    latency_ms: dict[str, float]

    def tables(self) -> list[Table]:
        """Return a table of measures, one of kinds of questions if there are any, and the risk-coverage curve."""
        rows = []
        apart = {*_SHOWN_APART, "latency_ms", "degraded", "intervals"}
        for name, value in self.model_dump(exclude=apart).items():
            shown = "–" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
            if name in self.intervals:
                low, high = self.intervals[name]
                shown += f" ({low:.3f} to {high:.3f})"
            rows.append((name, shown))
        rows += [(name, f"{score:.1f}") for name, score in self.reliability.items()]
        rows += [(name, "–" if share is None else f"{share:.4f}") for name, share in self.coverage_at_risk.items()]
        rows.append(("degraded", ", ".join(f"{count} {name}" for name, count in self.degraded.items()) or "0"))
        rows.append(("latency_ms", ", ".join(f"{name} {ms:.1f}" for name, ms in self.latency_ms.items())))
        kinds = [(name, *one.row()) for name, one in self.by_kind.items()]
        tables: list[Table] = [(("measure", "value"), rows)]
        if kinds:
            tables.append((("kind of question", "questions", "right", "silent", "confidently wrong"), kinds))
        tables.append((("threshold", "answered", "of these wrong"), [_curve_row(one) for one in self.risk_coverage]))
        tables += [self.diagram()] if self.reliability_diagram else []
        return tables

    def diagram(self) -> Table:
        """Return the reliability diagram: a bar for the share of right answers, and a mark at the mean confidence.

        The confidence is right where bars end at their marks; where one ends before it, answers are too sure.
        """
        head = ("confidence", "answers", "right", f"{'0 %':{_BAR // 2 - 2}}50 %{'100 %':>{_BAR // 2 - 2}}")
        return head, [_diagram_row(one) for one in self.reliability_diagram]


def _diagram_row(one: ConfidenceBin) -> tuple[str, str, str, str]:
    bar = f"{'█' * round(_BAR * one.right):·<{_BAR}}"
    mark = min(_BAR - 1, int(_BAR * one.confidence))
    return f"{one.least:.1f}", str(one.replies), f"{100 * one.right:.1f} %", f"{bar[:mark]}┃{bar[mark + 1 :]}"


def _curve_row(point: RiskAtThreshold) -> tuple[str, str, str]:
    risk = "–" if point.risk is None else f"{100 * point.risk:.1f} %"
    return f"{point.threshold:.1f}", f"{100 * point.coverage:.1f} %", risk


def summarise(outcomes: Sequence[Outcome], described: Mapping[str, str]) -> Report:
    """Summarise all outcomes in a report; `described` holds its descriptive fields, such as `graph`."""
    scores = _scores(outcomes)
    judged = [_judged(o) for o in outcomes]
    kinds: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.record.kind is not None:
            kinds.setdefault(outcome.record.kind, []).append(outcome)
    return Report.model_validate(
        {
            **described,
            "questions": len(outcomes),
            "unanswerable": sum(not o.record.answers for o in outcomes),
            **{name: sum(values) / len(values) if values else None for name, values in scores.items()},
            "intervals": {name: interval_of_mean(values) for name, values in scores.items() if values},
            "calibration_error": calibration_error([_judged(o) for o in outcomes if o.answers]),
            "auroc": auroc(judged),
            "risk_at_80": risk_at_coverage(judged, 0.8),
            "reliability": _reliability(outcomes),
            "coverage_at_risk": {
                f"coverage at {risk} % wrong": coverage_at_risk(judged, risk / 100) for risk in _RISKS
            },
            "confidently_wrong": sum(o.is_confidently_wrong for o in outcomes),
            "by_kind": {name: KindFigures.of(found) for name, found in sorted(kinds.items())},
            "risk_coverage": risk_coverage_curve(judged),
            "reliability_diagram": reliability_diagram([_judged(o) for o in outcomes if o.answers]),
            "abstained": sum(o.abstained for o in outcomes),
            "abstained_rightly": sum(o.abstained and not o.record.answers for o in outcomes),
            "failed": sum(o.failed for o in outcomes),
            "degraded": Counter(part for o in outcomes for part in o.degraded),
            "latency_ms": {name: percentile([o.ms for o in outcomes], share) for name, share in _PERCENTILES.items()},
        }
    )


def _reliability(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return RS(c) for several c, and the score of silence; 0 without questions."""
    verdicts = [
        Verdict(o.confidence if o.answers else 0.0, bool(o.answers) and o.is_exact, bool(o.record.answers) or o.failed)
        for o in outcomes
    ]
    unanswerable = sum(not o.record.answers for o in outcomes)
    return {**reliability_scores(verdicts), "RS of silence": 100 * unanswerable / max(1, len(outcomes))}


def _scores(outcomes: Sequence[Outcome]) -> dict[str, list[float]]:
    """Return the scores for each measure: one score per question to which the measure applies."""
    sets = [(0.0, 0.0, 0.0) if o.failed else set_scores(o.answers, o.record.answers) for o in outcomes]
    return {
        "strict_hits1": [o.is_correct for o in outcomes],
        "lenient_hits1": [_names_gold(o, o.answers) for o in outcomes],
        "set_precision": [precision for precision, _, _ in sets],
        "set_recall": [recall for _, recall, _ in sets],
        "set_f1": [f1 for _, _, f1 in sets],
        "evidence_recall": [o.in_evidence for o in outcomes if o.record.answers],
        "path_accuracy": [o.path == o.record.path for o in outcomes if o.record.path],
        "hop_accuracy": [o.hops == len(o.record.path) for o in outcomes if o.record.path is not None],
        "linking_accuracy": [o.topic == o.record.topic for o in outcomes if o.record.topic is not None],
        "execution_accuracy": [o.is_exact for o in outcomes],
        "answerer_hits1": [_names_gold(o, [o.text]) for o in outcomes if o.text is not None],
    }


def _names_gold(outcome: Outcome, texts: Sequence[str]) -> bool:
    """Return whether any text names a gold answer or, if there are no gold answers, whether the system abstained."""
    if not outcome.record.answers:
        return outcome.abstained
    return any(lenient_hit(text, outcome.record.answers) for text in texts)


def _judged(outcome: Outcome) -> Judged:
    return Judged(confidence=outcome.confidence, is_right=bool(outcome.answers) and outcome.is_exact)


class Comparison(BaseModel, extra="forbid", frozen=True):
    """Compare a format with a baseline format, over the questions that were asked in both (RRA, table 3).

    `helpful` counts the questions answered correctly in the format but not in the baseline, and `harmful` the reverse.
    """

    helpful: int
    harmful: int
    questions: int

    def __str__(self) -> str:
        return f"+{self.helpful} -{self.harmful}"


class FormatFigures(BaseModel, extra="forbid", frozen=True):
    """Report the measures for one format.

    Attributes:
        hits1: share of the questions for which the QA model's text names a gold answer (RRA, table 2).
        interval: 95 % confidence interval for `hits1`.
        by_template: share of the evidence that a template verbalised, because the model's text was unfaithful.
        covered: share of the texts that name every entity that they should.
        rewrite_ms: median time to verbalise the evidence, in milliseconds.
        answer_ms: median time that the QA model takes to answer, in milliseconds.
    """

    form: ComparedFormat
    questions: int
    hits1: float
    interval: tuple[float, float]
    against_none: Comparison | None
    against_triples: Comparison | None
    prompt_tokens: float
    by_template: float | None
    covered: float | None
    rewrite_ms: float
    answer_ms: float


class FormatsReport(BaseModel, extra="forbid", frozen=True):
    """Report on all compared formats, and record the settings of the comparison."""

    graph: str
    retriever: str
    questions_file: str
    sample: str
    topic: str
    beam: str
    max_paths: str
    rewriter_model: str
    base_model: str
    qa_model: str
    forms: tuple[FormatFigures, ...]

    def tables(self) -> list[Table]:
        """Return two tables with one row per format: tables 2 and 3 of RRA combined, and the costs."""
        hits, costs = [], []
        for f in self.forms:
            low, high = (f"{100 * bound:.2f}" for bound in f.interval)
            versus = str(f.against_none or "–"), str(f.against_triples or "–")
            hits.append((f.form.value, f"{f.questions:,}", f"{100 * f.hits1:.2f}", f"{low} to {high}", *versus))
            shares = ("–" if share is None else f"{100 * share:.1f} %" for share in (f.by_template, f.covered))
            costs.append((f.form.value, f"{f.prompt_tokens:.0f}", *shares, f"{f.rewrite_ms:.0f}", f"{f.answer_ms:.0f}"))
        return [
            (("form", "questions", "hit@1", "95 % interval", "vs none", "vs triples"), hits),
            (("form", "tokens", "by template", "covered", "rewrite ms", "answer ms"), costs),
        ]


def summarise_formats(
    outcomes: FormatOutcomes, formats: Sequence[ComparedFormat], described: Mapping[str, str]
) -> FormatsReport:
    """Summarise in a report those `formats` that have outcomes.

    `outcomes` includes the baseline formats `none` and `triples`. `described` holds the report's descriptive fields.
    """
    return FormatsReport(**described, forms=tuple(_figures(form, outcomes) for form in formats if outcomes.get(form)))


def _figures(form: ComparedFormat, outcomes: FormatOutcomes) -> FormatFigures:
    own = outcomes[form]
    hits = [float(outcome.hit) for outcome in own]
    items = sum(outcome.rewritten for outcome in own)
    has_templates = form is ComparedFormat.TEXT and items
    return FormatFigures(
        form=form,
        questions=len(own),
        hits1=sum(hits) / len(hits),
        interval=interval_of_mean(hits),
        against_none=_compare(form, ComparedFormat.NONE, outcomes),
        against_triples=_compare(form, ComparedFormat.TRIPLES, outcomes),
        prompt_tokens=sum(outcome.prompt_tokens for outcome in own) / len(own),
        by_template=sum(outcome.by_template for outcome in own) / items if has_templates else None,
        covered=1 - sum(outcome.uncovered for outcome in own) / items if items else None,
        rewrite_ms=percentile([outcome.rewrite_ms for outcome in own], 0.5),
        answer_ms=percentile([outcome.answer_ms for outcome in own], 0.5),
    )


def _compare(form: ComparedFormat, baseline: ComparedFormat, outcomes: FormatOutcomes) -> Comparison | None:
    """Compare a format with a baseline format on the questions that were asked in both."""
    others = {outcome.number: outcome.hit for outcome in outcomes.get(baseline, ())}
    pairs = [(outcome.hit, others[outcome.number]) for outcome in outcomes[form] if outcome.number in others]
    if form is baseline or not pairs:
        return None
    return Comparison(
        helpful=sum(hit and not other for hit, other in pairs),
        harmful=sum(other and not hit for hit, other in pairs),
        questions=len(pairs),
    )
