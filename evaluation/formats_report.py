"""The comparison of forms as figures: RRA's tables 2 and 3, prompt tokens, latency."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from evaluation.formats import Form, FormOutcome, Outcomes, pairs
from evaluation.intervals import interval_of_mean
from evaluation.metrics import percentile


class Against(BaseModel):
    """RRA, table 3: questions that a form answers and the other does not (helpful), and the reverse (harmful)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    helpful: int
    harmful: int
    questions: int


class FormFigures(BaseModel):
    """Figures of one form. `hits1`: the QA model's text names a gold answer (RRA, table 2), with a 95 % interval.

    `by_template`: the share of the items whose text was not faithful to its facts; `covered`: the share of the texts
    given that name every entity that they should; latencies are medians.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    form: Form
    questions: int
    hits1: float
    interval: tuple[float, float]
    against_none: Against | None
    against_triples: Against | None
    prompt_tokens: float
    by_template: float | None
    covered: float | None
    rewrite_ms: float
    answer_ms: float


class FormsReport(BaseModel):
    """All forms, and what they were measured with."""

    model_config = ConfigDict(extra="forbid", frozen=True)

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
    forms: tuple[FormFigures, ...]


def figures(outcomes: Outcomes, numbers: Sequence[int], forms: Sequence[Form], names: Mapping[str, str]) -> FormsReport:
    """The figures of the forms over the questions of these numbers."""
    found = {form: outcomes.of(numbers, form) for form in Form}
    return FormsReport(**names, forms=tuple(_figures(form, found) for form in forms if found[form]))


def _figures(form: Form, found: Mapping[Form, Sequence[FormOutcome]]) -> FormFigures:
    own = found[form]
    hits = [float(outcome.hit) for outcome in own]
    items = sum(outcome.rewritten for outcome in own)
    return FormFigures(
        form=form,
        questions=len(own),
        hits1=sum(hits) / len(hits),
        interval=interval_of_mean(hits),
        against_none=_against(own, found[Form.NONE]) if form is not Form.NONE else None,
        against_triples=_against(own, found[Form.TRIPLES]) if form is not Form.TRIPLES else None,
        prompt_tokens=sum(outcome.prompt_tokens for outcome in own) / len(own),
        by_template=sum(outcome.by_template for outcome in own) / items if form is Form.TEXT and items else None,
        covered=1 - sum(outcome.uncovered for outcome in own) / items if items else None,
        rewrite_ms=percentile([outcome.rewrite_ms for outcome in own], 0.5),
        answer_ms=percentile([outcome.answer_ms for outcome in own], 0.5),
    )


def _against(own: Sequence[FormOutcome], others: Sequence[FormOutcome]) -> Against | None:
    both = list(pairs(own, others))
    if not both:
        return None
    helpful = sum(mine.hit and not other.hit for mine, other in both)
    harmful = sum(other.hit and not mine.hit for mine, other in both)
    return Against(helpful=helpful, harmful=harmful, questions=len(both))


HITS_HEAD = ("form", "questions", "hit@1", "95 % interval", "vs none", "vs triples")
COST_HEAD = ("form", "tokens", "by template", "covered", "rewrite ms", "answer ms")


def hits_rows(report: FormsReport) -> list[tuple[str, ...]]:
    """RRA's tables 2 and 3: a row for each form, under `HITS_HEAD`; `+` helpful, `-` harmful."""
    return [
        (
            figures.form.value,
            f"{figures.questions:,}",
            f"{100 * figures.hits1:.2f}",
            f"{100 * figures.interval[0]:.2f} to {100 * figures.interval[1]:.2f}",
            _shown(figures.against_none),
            _shown(figures.against_triples),
        )
        for figures in report.forms
    ]


def cost_rows(report: FormsReport) -> list[tuple[str, ...]]:
    """What each form takes, and how its texts came about: a row for each, under `COST_HEAD`."""
    return [
        (
            figures.form.value,
            f"{figures.prompt_tokens:.0f}",
            _percent(figures.by_template),
            _percent(figures.covered),
            f"{figures.rewrite_ms:.0f}",
            f"{figures.answer_ms:.0f}",
        )
        for figures in report.forms
    ]


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _shown(against: Against | None) -> str:
    return "–" if against is None else f"+{against.helpful} -{against.harmful}"
