"""Define the result of a plan."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shared.errors import PlanLimitError

DEFAULT_MAX_ROWS = 1_000
_SIGNIFICANT_DIGITS = 12


@dataclass(frozen=True, slots=True)
class PlanResult:
    """Hold the rows that a plan returns.

    Attributes:
        columns: The names of the columns.
        rows: The rows, whose items are values, `NodeRef`, `RelationshipRef`, or None if the value is missing.
        query: The query that ran, in SQL or Cypher.
        parameters: The parameters of the query.
        warnings: What the plan asks for although the graph does not have it, such as an unknown property.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    query: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def rounded(value: float) -> float:
    """Round a float to 12 significant digits; raise PlanLimitError if it is not finite."""
    if not math.isfinite(value):
        raise PlanLimitError("a number in the result is too large for a float")
    return float(f"{value:.{_SIGNIFICANT_DIGITS}g}")
