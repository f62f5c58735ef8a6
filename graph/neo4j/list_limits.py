"""Limit the items that loops within each other visit while a query runs.

The check of a plan estimates sizes on average, and a list of one row may be far longer. Neo4j cannot end the evaluation
of an expression, so that the query fails before it visits the lists.
"""

from collections.abc import Sequence

from graph.plan.list_checks import MAX_ITEMS

MAX_VISITED = 10 * MAX_ITEMS
_MAX, _ZERO = "maxVisited", "zeroStep"
LIMIT_PARAMETERS = {_MAX: MAX_VISITED, _ZERO: 0}
ERROR_CODE = "ArgumentError"
"""The part of Neo4j's error code for a range without steps, which no other part of a compiled plan has."""


def limited(lists: Sequence[str]) -> str:
    """Return the last of some lists, or an error if the sizes of all multiply to more than `MAX_VISITED`."""
    sizes = " * ".join(f"toFloat(size({name}))" for name in lists)
    return f"CASE WHEN {sizes} > ${_MAX} THEN range(1, 1, ${_ZERO}) ELSE {lists[-1]} END"
