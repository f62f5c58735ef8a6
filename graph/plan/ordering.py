"""Make the order of rows explicit wherever a result depends on it, so that all stores return the same."""

from dataclasses import replace

from graph.plan.algebra import (
    AggregateFunction,
    Filter,
    Group,
    Order,
    Plan,
    Project,
    Slice,
    SortKey,
    Step,
    Union,
    Variable,
)
from graph.plan.scope import Scope


def with_explicit_order(plan: Plan) -> Plan:
    """Sort unsorted rows by all columns at the end of a plan, before `slice`, and before `collect`.

    Slices do not need this if a sort precedes them. Plans inside a union need no order at their end.
    """
    steps = _ordered_steps(plan)
    if not _is_sorted(steps):
        steps.append(_by_all_columns(steps))
    return Plan(tuple(steps))


def _ordered_steps(plan: Plan) -> list[Step]:
    steps: list[Step] = []
    for step in plan.steps:
        if isinstance(step, Union):
            step = replace(step, plans=tuple(Plan(tuple(_ordered_steps(part))) for part in step.plans))
        collects = isinstance(step, Group) and any(one.function is AggregateFunction.COLLECT for one in step.aggregates)
        if (collects or isinstance(step, Slice)) and not _is_sorted(steps):
            steps.append(_by_all_columns(steps))
        steps.append(step)
    return steps


def _is_sorted(steps: list[Step]) -> bool:
    for step in reversed(steps):
        if isinstance(step, Order | Slice):
            return True
        if not isinstance(step, Filter) and not (isinstance(step, Project) and not step.distinct):
            return False
    return False


def _by_all_columns(steps: list[Step]) -> Order:
    variables = Scope(None).after_all(Plan(tuple(steps))).variables
    return Order(tuple(SortKey(Variable(name)) for name in variables))
