"""Score the replies of strategies to questions, and sum the scores up."""

from collections.abc import Mapping, Sequence
from statistics import fmean, median

from pydantic import BaseModel

from evaluation.metrics import interval_of_mean, set_scores, strict_hit

CONFIDENT = 0.5
_SUMMED = ("hit@1", "F1", "EX")


class StrategyOutcome(BaseModel, extra="forbid", frozen=True):
    """Score a strategy's reply to one question, as one line of a journal.

    Attributes:
        number: The place of the question in its file, from 0.
        hit: Whether the first answer is right; without gold answers, whether there is none.
        f1: The F1 of the answer set.
        exact: Whether the answer set is right (execution accuracy).
        answered: Whether there are answers.
        confidence: The confidence; None for methods that have none.
        tokens: The length of the evidence, in tokens.
        ms: The milliseconds from question to answer.
        failed: Whether there is no reply because of an error.
    """

    number: int
    hit: bool
    f1: float
    exact: bool
    answered: bool
    confidence: float | None
    tokens: int
    ms: float
    failed: bool = False

    @property
    def is_confidently_wrong(self) -> bool:
        """Return whether the reply has wrong answers, and a confidence of at least `CONFIDENT`."""
        return self.answered and not self.exact and (self.confidence or 0.0) >= CONFIDENT


def outcome_of_answers(
    number: int, answers: Sequence[str], gold: Sequence[str], tokens: int, ms: float
) -> StrategyOutcome:
    """Score plain answers, without a confidence."""
    *_, f1 = set_scores(answers, gold)
    hit = strict_hit(answers, gold)
    return StrategyOutcome(
        number=number,
        hit=hit,
        f1=f1,
        exact=f1 == 1.0,
        answered=bool(answers),
        confidence=None,
        tokens=tokens,
        ms=ms,
    )


def failure(number: int, ms: float) -> StrategyOutcome:
    """Score a question that ended in an error, which is never right."""
    return StrategyOutcome(
        number=number, hit=False, f1=0.0, exact=False, answered=False, confidence=None, tokens=0, ms=ms, failed=True
    )


def column(outcomes: Sequence[StrategyOutcome]) -> dict[str, str]:
    """Return the figures of a strategy as text, keyed by measure."""
    wrong = [float(one.is_confidently_wrong) for one in outcomes]
    with_evidence = [one.tokens for one in outcomes if one.answered]
    return {
        "questions": f"{len(outcomes):,}",
        **_scores([(float(one.hit), one.f1, float(one.exact)) for one in outcomes]),
        "answered": f"{sum(one.answered for one in outcomes):,}",
        "confidently wrong": "–" if all(one.confidence is None for one in outcomes) else share_text(wrong),
        "tokens of evidence": f"{fmean(with_evidence):.0f}" if with_evidence else "–",
        "latency, ms (p50)": f"{median(one.ms for one in outcomes):.0f}",
        "failed": f"{sum(one.failed for one in outcomes):,}",
    }


def oracle(by_strategy: Mapping[str, Sequence[StrategyOutcome]]) -> dict[str, str]:
    """Return the scores of choosing the best strategy for each question by its gold answer: the upper bound.

    All strategies have the same questions in the same order.
    """
    questions = list(zip(*by_strategy.values(), strict=True))
    best = [
        (
            float(any(one.hit for one in of_question)),
            max(one.f1 for one in of_question),
            float(any(one.exact for one in of_question)),
        )
        for of_question in questions
    ]
    return {"questions": f"{len(questions):,}", **_scores(best)}


def _scores(scores: Sequence[tuple[float, float, float]]) -> dict[str, str]:
    return {measure: share_text(values) for measure, values in zip(_SUMMED, zip(*scores, strict=True), strict=True)}


def share_text(values: Sequence[float]) -> str:
    """Return the mean of values from 0 to 1 as a percentage, with its 95 % confidence interval."""
    low, high = interval_of_mean(values)
    return f"{100 * fmean(values):.1f} ({100 * low:.1f} to {100 * high:.1f})"
