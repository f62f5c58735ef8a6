"""Say in chat how sure a reply is, since OpenAI's format has no place for a confidence."""

import math
from collections.abc import Sequence

from contracts.answers import WITHHELD
from contracts.ask import AskResponse
from contracts.retrieve import RetrieveResponse

_ROUNDING = 1e-9
"""Makes up for binary fractions: 100 times 0.29 is less than 29."""


def how_sure(responses: Sequence[AskResponse]) -> list[str]:
    """Return how sure the answers are; nothing if there are none. Of several, the least sure one counts.

    Example:
        >>> how_sure([response])
        ['I am 97 % sure.']
    """
    confidences = [one.confidence for one in responses if not one.abstained]
    if not confidences:
        return []
    sure = percent(min(confidences))
    return [f"I am {sure} sure." if len(confidences) == 1 else f"I am at least {sure} sure of each answer."]


def percent(confidence: float) -> str:
    """Return a confidence as a percentage, rounded down, since only what is certain is 100 % sure."""
    return f"{math.floor(100 * confidence + _ROUNDING)} %"


def is_withheld(reply: AskResponse | RetrieveResponse) -> bool:
    """Return whether there is no answer only because the likeliest reading is not certain enough for the caller."""
    return any(warning.kind == WITHHELD for warning in reply.warnings)
