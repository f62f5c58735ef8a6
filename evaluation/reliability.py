"""Score systems that may stay silent, by what a wrong answer costs (EHRSQL 2024 shared task; TrustSQL)."""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.cost_of_wrong import least_confidence

COSTS = (1, 5, 10)
"""What a wrong answer may cost, against a right one that is worth 1."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Hold what became of a question.

    Attributes:
        confidence: The confidence of the answer, from 0 to 1; 0 for no answer.
        is_right: Whether the answer is right; False if there is none.
        is_answerable: Whether the graph has the answer.
    """

    confidence: float
    is_right: bool
    is_answerable: bool


def reliability_scores(verdicts: Sequence[Verdict]) -> dict[str, float]:
    """Return RS(c), in percent, for each of the costs, if what is worth its risk is answered."""
    return {f"RS({cost})": reliability_score(verdicts, cost, least_confidence(cost)) for cost in COSTS}


def reliability_score(verdicts: Sequence[Verdict], cost: float, threshold: float) -> float:
    """Return RS(cost), in percent: the mean over all questions of what each of them scores.

    A right answer and a right silence score 1, a needless silence 0, and a wrong answer -cost. A system that is always
    silent scores the share of the questions that cannot be answered.

    Args:
        verdicts: What became of the questions.
        cost: What a wrong answer costs.
        threshold: The confidence from which on a question counts as answered.
    """
    total = sum(_score(one, cost, threshold) for one in verdicts)
    return 100 * total / len(verdicts) if verdicts else 0.0


def _score(one: Verdict, cost: float, threshold: float) -> float:
    if not one.confidence or one.confidence < threshold:
        return float(not one.is_answerable)
    return 1.0 if one.is_right else -cost
