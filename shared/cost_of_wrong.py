"""Turn what a wrong answer costs into the confidence from which on an answer is worth its risk.

If a right answer is worth 1, silence 0, and a wrong answer -c, answering with a calibrated confidence p is worth
p - c (1 - p), which is positive above c / (1 + c) (EHRSQL 2024 shared task; TrustSQL).
"""

import math
from contextvars import ContextVar

MAX_COST_OF_WRONG = 1000
"""The greatest cost that a caller may state; it takes a confidence of 0.999."""

callers_cost: ContextVar[float | None] = ContextVar("callers_cost", default=None)
"""The cost that belongs to the API key of the current request; None if it has none."""


def least_confidence(cost: float) -> float:
    """Return the confidence from which on an answer is worth its risk, if a wrong one outweighs `cost` right ones."""
    return cost / (1 + cost)


def affordable_cost(confidence: float) -> float:
    """Return the greatest cost, in tenths and within bounds, at which an answer of this confidence is given."""
    if confidence >= least_confidence(MAX_COST_OF_WRONG):
        return float(MAX_COST_OF_WRONG)
    tenths = math.floor(10 * confidence / (1 - confidence))
    # The quotient may be rounded up to a whole number of tenths.
    return max(0, tenths - (least_confidence(tenths / 10) > confidence)) / 10


def is_cost_of_wrong(value: object) -> bool:
    """Return whether a value is a cost that a caller may state."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value <= MAX_COST_OF_WRONG
