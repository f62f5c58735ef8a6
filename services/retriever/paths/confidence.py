"""Estimate the confidence in an answer: the probability that the best pair of topic entity and relation path is right.

The product of the model's probabilities is not calibrated: the encoder is overconfident on wordings it was trained on,
and it cannot tell which names were linked by chance. A logistic regression over a few features is therefore fitted to
held-out questions (Platt 1999).
"""

import math
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

_MIN_SHARE = 1e-6
_MAX_LOG = 6.0
_MAX_LOGIT = 30.0


@dataclass(frozen=True, slots=True)
class ConfidenceFeatures:
    """Hold the features that distinguish a right answer from a wrong one.

    `coverage` is the total probability of all paths that exist in the graph; it is low if the graph lacks what the
    question asks for. `path_share` is the best path's fraction of that total. Two ratios are relative to the best
    pair's score: `runner_up_ratio` is for the next-best pair that reaches different answers, and `unanswerable_ratio`
    is for the hypothesis that the graph lacks the answer. `oov_rate` is the fraction of words outside the mention that
    occur in no training question. `correction` is defined in `ScoredMatch`; a large value may mean that the question
    names something that the graph lacks but that resembles a name in the graph.
    """

    path_share: float
    coverage: float
    link_score: float
    runner_up_ratio: float
    unanswerable_ratio: float
    oov_rate: float
    correction: float = 0.0

    def values(self) -> tuple[float, ...]:
        """Return the inputs to the regression on similar scales; all but the last two increase with confidence."""
        return (
            _log(self.path_share),
            _log(self.coverage),
            _log(self.link_score),
            min(_MAX_LOG, -_log(self.runner_up_ratio)),
            min(_MAX_LOG, -_log(self.unanswerable_ratio)),
            self.oov_rate,
            self.correction,
        )


class Calibration(BaseModel):
    """Hold a logistic regression, P(right) = 1 / (1 + exp(-(bias + weights . features))), and an answer threshold.

    Since every answer is returned with its confidence, a right answer is valued at twice the cost of a wrong one. The
    default threshold is therefore one third. The default weights were set by hand, for models trained without
    questions written by people.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    bias: float = -0.5
    weights: tuple[float, ...] = Field(default=(1.2, 0.6, 1.2, 0.3, 0.3, -2.0, -1.0), min_length=7, max_length=7)
    threshold: float = 0.33

    def probability(self, features: ConfidenceFeatures) -> float:
        """Return the probability that an answer with these features is right."""
        logit = self.bias + sum(weight * value for weight, value in zip(self.weights, features.values(), strict=True))
        return 1.0 / (1.0 + math.exp(-max(-_MAX_LOGIT, min(_MAX_LOGIT, logit))))


def _log(share: float) -> float:
    return max(-_MAX_LOG, math.log(max(share, _MIN_SHARE)))
