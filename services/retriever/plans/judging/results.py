"""Compare the results of plans, and tell whether they have anything in them."""

from graph.plan.result import PlanResult
from graph.plan.values import NodeRef, RelationshipRef


def answers_of(result: PlanResult) -> frozenset[object]:
    """Return what makes two results equal: the set of the first column's values."""
    return frozenset(_key(row[0]) for row in result.rows)


def _key(cell: object) -> object:
    if isinstance(cell, NodeRef | RelationshipRef):
        return cell.id
    if isinstance(cell, list | tuple):
        return tuple(map(_key, cell))
    return float(cell) if isinstance(cell, int) and not isinstance(cell, bool) else cell


def is_empty(result: PlanResult) -> bool:
    """Return whether a result has no values."""
    return not any(cell is not None and cell != () for row in result.rows for cell in row[:1])


def finds_nothing(result: PlanResult, asks_whether: bool) -> bool:
    """Return whether a result is empty or a count of zero, which people seldom ask for unless they ask whether."""
    is_zero = len(result.rows) == 1 and len(result.rows[0]) == 1 and result.rows[0][0] == 0
    return is_empty(result) or (is_zero and not asks_whether)
