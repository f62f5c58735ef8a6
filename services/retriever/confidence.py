"""Estimate the confidence of an answer: the probability that the best pair of topic entity and relation path is right.

The product of the model's probabilities is not calibrated: the encoder is overconfident on wordings it was trained on
and does not know which names were linked by chance. A logistic regression over a few features is therefore fitted to
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
    """Features that tell a right answer from a wrong one; scores of other hypotheses are ratios to the best pair's.

    Attributes:
        path_share: The relation path's share of the probability of all paths that the graph has.
        coverage: The probability of all paths that the graph has; low if it lacks what the question asks for.
        link_score: The topic entity's score.
        runner_up_ratio: The score of the best other pair that reaches other answers.
        unanswerable_ratio: The score of the graph not having the answer.
        oov_rate: The share of words outside the mention that no training question contains.
        correction: How much of the mention had to be corrected, see `ScoredMatch`; a name that the graph lacks is
            often similar to one that it has.
    """

    path_share: float
    coverage: float
    link_score: float
    runner_up_ratio: float
    unanswerable_ratio: float
    oov_rate: float
    correction: float = 0.0

    def values(self) -> tuple[float, ...]:
        """Return the regression's inputs, on similar scales; all but the last two grow with the confidence."""
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
    """A logistic regression, P(right) = 1 / (1 + exp(-(bias + weights . features))), with a threshold for answering.

    Every answer comes with its confidence, so a right answer is worth twice what a wrong one costs; this makes the
    threshold a third. The default weights, for models without questions written by people, were set by hand.
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
