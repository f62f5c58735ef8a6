"""Measure how well confidences tell right replies from wrong ones."""

from collections.abc import Sequence
from itertools import groupby

from pydantic import BaseModel

_BINS = 10
_THRESHOLDS = tuple(tenths / 10 for tenths in range(10))


class Judged(BaseModel, extra="forbid", frozen=True):
    """Hold the confidence of a reply, and whether the reply is right."""

    confidence: float
    is_right: bool


class RiskAtThreshold(BaseModel, extra="forbid", frozen=True):
    """Report what a threshold costs: the share of questions answered at it, and the share of these that are wrong."""

    threshold: float
    coverage: float
    risk: float | None


class ConfidenceBin(BaseModel, extra="forbid", frozen=True):
    """Report on the replies whose confidence is at least `least`, and less than that of the next bin.

    Attributes:
        least: The lowest confidence of the bin.
        replies: The number of replies.
        confidence: Their mean confidence.
        right: The share of them that is right.
    """

    least: float
    replies: int
    confidence: float
    right: float


def reliability_diagram(judged: Sequence[Judged]) -> list[ConfidenceBin]:
    """Return the bins of a reliability diagram (DeGroot and Fienberg 1983), ten of equal width, without empty ones."""
    bins: dict[int, list[Judged]] = {}
    for one in judged:
        bins.setdefault(min(int(one.confidence * _BINS), _BINS - 1), []).append(one)
    return [
        ConfidenceBin(
            least=number / _BINS,
            replies=len(members),
            confidence=sum(one.confidence for one in members) / len(members),
            right=sum(one.is_right for one in members) / len(members),
        )
        for number, members in sorted(bins.items())
    ]


def calibration_error(judged: Sequence[Judged]) -> float | None:
    """Return the expected calibration error (Naeini et al. 2015) over ten equal-width bins of confidence."""
    gaps = (one.replies * abs(one.right - one.confidence) for one in reliability_diagram(judged))
    return sum(gaps) / len(judged) if judged else None


def auroc(judged: Sequence[Judged]) -> float | None:
    """Return the probability that a right reply has a higher confidence than a wrong one; ties count half.

    Returns None if all replies are right, or all wrong.
    """
    right = sum(one.is_right for one in judged)
    wrong = len(judged) - right
    if not right or not wrong:
        return None
    wins, wrong_below = 0.0, 0
    for _, tied in groupby(sorted(judged, key=lambda one: one.confidence), key=lambda one: one.confidence):
        group = list(tied)
        right_here = sum(one.is_right for one in group)
        wins += right_here * (wrong_below + (len(group) - right_here) / 2)
        wrong_below += len(group) - right_here
    return wins / (right * wrong)


def risk_at_coverage(judged: Sequence[Judged], coverage: float) -> float | None:
    """Return the share of wrong replies among the most confident ones (Geifman and El-Yaniv 2017).

    Args:
        judged: The replies.
        coverage: The share of the replies to look at, from 0 to 1.
    """
    chosen = sorted(judged, key=lambda one: -one.confidence)[: round(coverage * len(judged))]
    return sum(not one.is_right for one in chosen) / len(chosen) if chosen else None


def coverage_at_risk(judged: Sequence[Judged], risk: float) -> float | None:
    """Return the largest share of the replies, the most confident ones, of which at most a share `risk` is wrong.

    Replies of equal confidence are taken together, since no threshold separates them. Returns None without replies.
    """
    best = count = wrong = 0
    for _, tied in groupby(sorted(judged, key=lambda one: -one.confidence), key=lambda one: one.confidence):
        for one in tied:
            count += 1
            wrong += not one.is_right
        if wrong <= risk * count:
            best = count
    return best / len(judged) if judged else None


def risk_coverage_curve(judged: Sequence[Judged]) -> list[RiskAtThreshold]:
    """Return coverage and risk at thresholds from 0 to 0.9."""
    curve = []
    for threshold in _THRESHOLDS:
        answered = [one for one in judged if one.confidence >= threshold]
        risk = sum(not one.is_right for one in answered) / len(answered) if answered else None
        coverage = len(answered) / len(judged) if judged else 0.0
        curve.append(RiskAtThreshold(threshold=threshold, coverage=coverage, risk=risk))
    return curve
