"""Restrict the rows of a plan to those that have some values."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from graph.plan.algebra import (
    And,
    Comparison,
    Constant,
    Expression,
    Filter,
    IsMissing,
    Match,
    NodePattern,
    Or,
    Order,
    Slice,
    Step,
    Variable,
)
from graph.plan.values import MapValue, NodeRef, RelationshipRef, identity
from services.retriever.execution.stages import Stage

# Floats in results are rounded to 12 significant digits.
_TOLERANCE = 1e-11
Target = Mapping[str, Any]
"""The values by which a row of a result is recognised, keyed by column."""


def can_restrict(value: Expression, wanted: Sequence[Any]) -> bool:
    """Return whether a condition can test that a column has one of some values."""
    if any(isinstance(one, NodeRef) for one in wanted):
        return isinstance(value, Variable) and all(isinstance(one, NodeRef) for one in wanted)
    return not any(isinstance(one, RelationshipRef | MapValue | tuple) for one in wanted)


def restricted(stage: Stage, columns: Mapping[str, Expression], targets: Sequence[Target]) -> tuple[Step, ...]:
    """Keep the witnesses whose columns have values of the wanted rows, column by column."""
    steps = stage.opened
    may_move = not any(isinstance(step, Slice | Order) for step in stage.steps)
    for name, value in columns.items():
        wanted = list({identity(target[name]): target[name] for target in targets}.values())
        if not can_restrict(value, wanted):
            continue
        if isinstance(value, Variable) and isinstance(wanted[0], NodeRef):
            steps = _with_ids(steps, value.name, tuple(one.id for one in wanted), len(stage.before), may_move)
        else:
            conditions = tuple(_equals(value, one) for one in wanted)
            condition = conditions[0] if len(conditions) == 1 else Or(conditions)
            steps = _with_condition(steps, condition, len(stage.before), may_move)
    return steps


def _with_ids(
    steps: tuple[Step, ...], variable: str, ids: tuple[str, ...], start: int, may_move: bool
) -> tuple[Step, ...]:
    """Restrict a node, in the pattern that binds it if that does not change the result."""
    for place, step in enumerate(steps):
        if may_move and place >= start and isinstance(step, Match) and not step.optional:
            nodes = tuple(_with_these(node, ids) if node.variable == variable else node for node in step.nodes)
            if nodes != step.nodes:
                return (*steps[:place], replace(step, nodes=nodes), *steps[place + 1 :])
    return (*steps, Match((NodePattern(variable, ids=ids),)))


def _with_these(node: NodePattern, ids: tuple[str, ...]) -> NodePattern:
    return replace(node, ids=ids if node.ids is None else tuple(one for one in node.ids if one in ids))


def _with_condition(steps: tuple[Step, ...], condition: Expression, start: int, may_move: bool) -> tuple[Step, ...]:
    last = len(steps) - 1
    step = steps[last] if steps else None
    if may_move and last >= start and isinstance(step, Match) and not step.optional:
        return (*steps[:last], replace(step, where=_both(step.where, condition)))
    return (*steps, Filter(condition))


def _both(first: Expression | None, second: Expression) -> Expression:
    """Require two conditions, in one list, because plans must not be nested deeply."""
    if first is None:
        return second
    return And((*(first.conditions if isinstance(first, And) else (first,)), second))


def _equals(expression: Expression, value: Any) -> Expression:
    if value is None:
        return IsMissing(expression)
    if isinstance(value, float):
        margin = abs(value) * _TOLERANCE
        return And(
            (
                Comparison(">=", expression, Constant(value - margin)),
                Comparison("<=", expression, Constant(value + margin)),
            )
        )
    return Comparison("=", expression, Constant(value))
