"""Estimate the probability that a plan reads its question right, by logistic regression (Platt 1999)."""

import math
from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel, ConfigDict, Field

_SMALLEST = 1e-6
_LARGEST_SCORE = 10.0


@dataclass(frozen=True, slots=True)
class PlanFeatures:
    """Hold what distinguishes right readings from wrong ones.

    Attributes:
        share: The model's probability of all plans that give the same result.
        best: The probability of the best of these plans.
        weakest: The probability of its least probable action.
        runner_up: The probability of the plans that give the next-best result.
        total: The probability of all plans that ran.
        unread_share: The share of the words that say something that the plan does not account for.
        unread_words: The number of words and phrases that it does not account for.
        unused_values: The number of values in the question that the plan does not use.
        unsupported: The number of connections and properties of the plan that share no word with the question.
        readings: The number of different results among the most probable plans.
        rows: The number of rows of the result.
        is_empty: Whether the result is empty, or a count of zero where the question does not ask whether.
        actions: The number of actions that build the plan.
        is_other_kind: Whether the question asks for nodes of another kind.
        judged: The judge's score of the plan: how much likelier it answers the question than none of the plans does, as
            a logarithm; 0 without a judge.
        judged_share: The judge's probability that the plan, among all of them and none, answers the question.
        lacks_operator: Whether the plan leaves an operator or a constraint of the question unread.
        lacks_name: Whether it leaves another name or a value unread.
        lacks_element: Whether it leaves a word unread that names an element of the schema.
        is_wrong: Whether a doubt finds that the plan contradicts the question, or means nothing.
        is_confirmed: Whether the plan was confirmed for a question that is read alike.
    """

    share: float
    best: float
    weakest: float
    runner_up: float
    total: float
    unread_share: float
    unread_words: int
    unused_values: int
    unsupported: int
    readings: int
    rows: int
    is_empty: bool
    actions: int
    is_other_kind: bool = False
    judged: float = 0.0
    judged_share: float = 1.0
    lacks_operator: bool = False
    lacks_name: bool = False
    lacks_element: bool = False
    is_wrong: bool = False
    is_confirmed: bool = False

    @classmethod
    def of_only_reading(cls, rows: int, is_empty: bool, unread_words: int = 0) -> Self:
        """Return the features of a reading that no model ranked, which is the only one."""
        return cls(
            share=1.0,
            best=1.0,
            weakest=1.0,
            runner_up=0.0,
            total=1.0,
            unread_share=0.0,
            unread_words=unread_words,
            unused_values=0,
            unsupported=0,
            readings=1,
            rows=rows,
            is_empty=is_empty,
            actions=0,
        )

    def values(self) -> tuple[float, ...]:
        """Return the inputs of the regression on similar scales."""
        return (
            math.log(max(_SMALLEST, self.share)),
            math.log(max(_SMALLEST, self.best)) / max(1, self.actions),
            math.log(max(_SMALLEST, self.weakest)),
            math.log(max(_SMALLEST, self.runner_up) / max(_SMALLEST, self.share)),
            math.log(max(_SMALLEST, self.total)),
            self.unread_share,
            float(min(4, self.unread_words)),
            float(min(3, self.unused_values)),
            float(min(3, self.unsupported)),
            float(self.readings),
            math.log10(1 + self.rows),
            float(self.is_empty),
            self.actions / 10.0,
            float(self.is_other_kind),
            max(-_LARGEST_SCORE, min(_LARGEST_SCORE, self.judged)),
            math.log(max(_SMALLEST, self.judged_share)),
            float(self.lacks_operator),
            float(self.lacks_name),
            float(self.lacks_element),
            float(self.is_wrong),
        )


NEVER_BETTER = (5, 6, 7, 8, 11, 13, 16, 17, 18, 19)
"""The places in `PlanFeatures.values` of what a plan leaves unread or unsupported, of unwanted results, and doubts."""

_FEWEST = 14
"""The number of weights of older models, whose features come first."""

_DEFAULT = (1.0, 1.0, 0.0, -0.3, 0.3, -2.0, -0.25, -0.5, -0.2, 0.0, 0.0, -3.0, 0.0, -1.0, 0.0, 0.0)
_DOUBTS = (-8.0, -4.0, -4.0, -8.0)


CONFIRMED_LOGIT = 3.0
"""Added to the logit of the confidence if the plan was confirmed for a question that is read alike."""
CONFIRMED_RANK = 6.0
"""Added then to the logit by which readings are ordered."""


class PlanCalibration(BaseModel):
    """Hold a logistic regression over `PlanFeatures.values`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bias: float = 1.5
    weights: tuple[float, ...] = Field(
        default=(*_DEFAULT, *_DOUBTS), min_length=_FEWEST, max_length=len(_DEFAULT) + len(_DOUBTS)
    )

    def probability(self, features: PlanFeatures, of_confirmed: float = CONFIRMED_LOGIT) -> float:
        """Return the probability that a reading with these features is right; `of_confirmed` adds to its logit."""
        logit = self.bias + sum(weight * value for weight, value in zip(self.weights, features.values(), strict=False))
        logit += of_confirmed * features.is_confirmed
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))
