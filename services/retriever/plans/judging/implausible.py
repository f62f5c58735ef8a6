"""Recognise results that people seldom ask for, so that other readings of the question come first."""

from graph.plan.algebra import AggregateFunction, Arithmetic, Group, Order, Plan, Slice, Variable
from graph.plan.result import PlanResult
from graph.plan.traversal import walk


def lacks_rows(plan: Plan, result: PlanResult) -> bool:
    """Return whether a plan asks for a number of rows, such as `the four largest`, and its result has fewer."""
    wanted = [step.limit for step in plan.steps if isinstance(step, Slice) and step.limit is not None]
    return bool(wanted) and len(result.rows) < min(wanted)


def counts_once(plan: Plan, result: PlanResult) -> bool:
    """Return whether a plan sorts by a count, the greatest first, and nothing is counted more than once.

    Such a count often counts what each group has one of: `the actor with the most films` by the actor's births.
    """
    counts = {
        one.name
        for step in plan.steps
        if isinstance(step, Group)
        for one in step.aggregates
        if one.function is AggregateFunction.COUNT
    }
    sorted_by = {
        key.value.name
        for step in plan.steps
        if isinstance(step, Order)
        for key in step.keys
        if key.descending and isinstance(key.value, Variable)
    }
    places = [place for place, name in enumerate(result.columns) if name in counts & sorted_by]
    return any(result.rows and max(_count(row[place]) for row in result.rows) == 1 for place in places)


def combines_with_itself(plan: Plan) -> bool:
    """Return whether a plan combines a value with itself, as `salary / salary`, which nobody asks for."""
    return any(isinstance(part, Arithmetic) and part.left == part.right for part in walk(plan))


def _count(cell: object) -> int:
    return cell if isinstance(cell, int) else 0
