"""Decide from which confidence on a request gets an answer."""

from dataclasses import dataclass

from contracts.ask import AskRequest
from shared.cost_of_wrong import callers_cost, least_confidence


@dataclass(frozen=True, slots=True)
class AnswerThreshold:
    """The confidence below which there is no answer; None for the thresholds of the retriever.

    `is_default` is whether neither the request nor the API key states it.
    """

    min_confidence: float | None = None
    is_default: bool = False

    @classmethod
    def of(cls, request: AskRequest, default_cost: float | None) -> "AnswerThreshold":
        """Return what the request says, or else the caller's API key, or else the default."""
        if request.min_confidence is not None:
            return cls(request.min_confidence)
        for cost in (request.cost_of_wrong, callers_cost.get()):
            if cost is not None:
                return cls(least_confidence(cost))
        return cls() if default_cost is None else cls(least_confidence(default_cost), is_default=True)
