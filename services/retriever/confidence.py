"""How sure an answer is: the probability that the best reading is right, from what linking and the beam made of it.

A product of probabilities is not one that holds: the encoder is too sure of what training showed it, and knows nothing
of names that link by chance. So a logistic regression over a few telling numbers is fitted on held-out questions
(Platt 1999).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

_LEAST = 1e-6
_CAP = 6.0


class Calibration(BaseModel):
    """P(right) = 1 / (1 + exp(-(bias + weights . signs))); below `threshold` it is better not to answer.

    An answer comes with its confidence, so that being right is taken to be worth twice what being wrong costs: hence a
    threshold of a third. The default is for a model without questions of people: it was set by hand.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    bias: float = -0.5
    weights: tuple[float, ...] = Field(default=(1.2, 0.6, 1.2, 0.3, 0.3, -2.0, -1.0), min_length=7, max_length=7)
    threshold: float = 0.33

    def probability(self, signs: "Signs") -> float:
        """The probability that the reading with these signs is right."""
        logit = self.bias + sum(weight * sign for weight, sign in zip(self.weights, signs.values(), strict=True))
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))


@dataclass(frozen=True, slots=True)
class Signs:
    """What tells a right reading from a wrong one.

    `path`: the relation path's share of what the model found in the graph; `found`: the probability of all that, which
    is low where the graph lacks what the words rather mean; `link`: the topic entity's score; `next_best`: the score of
    the best other reading that leads to other answers, and `none` that of the graph not knowing, both as shares of this
    reading's; `strange`: the share of the question's words, beside the mention, that training never showed;
    `corrected`: how much had to be corrected to make the mention a name, see `Naming.correction`: a name that the graph
    lacks is often close to one that it has.
    """

    path: float
    found: float
    link: float
    next_best: float
    none: float
    strange: float
    corrected: float = 0.0

    def values(self) -> tuple[float, ...]:
        """The signs as numbers of like size; greater is surer in all but the last two."""
        return (
            _log(self.path),
            _log(self.found),
            _log(self.link),
            min(_CAP, -_log(self.next_best)),
            min(_CAP, -_log(self.none)),
            self.strange,
            self.corrected,
        )


def _log(share: float) -> float:
    return max(-_CAP, math.log(max(share, _LEAST)))


def strangeness(words: Sequence[str], known: frozenset[str]) -> float:
    """The share of words that are not known; 0 where nothing is known of words at all."""
    return sum(word not in known for word in words) / len(words) if words and known else 0.0
