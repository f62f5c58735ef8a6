"""Replace the expressions of a plan where the replacement depends on the variables of the row."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from graph.plan.algebra import (
    CollectMatches,
    Comprehension,
    Expression,
    Loop,
    Match,
    Plan,
    ShortestPaths,
    Step,
    Subquery,
    Union,
)
from graph.plan.scope import Scope
from graph.plan.traversal import rewrite

Replacement = Callable[[Any, Scope], Any]
"""Returns the new part for a part in a scope, or None to keep the part and look at its children."""


def rewrite_plan(plan: Plan, scope: Scope, replacement: Replacement) -> Plan:
    """Copy a plan that takes rows with the scope; the scope of each step follows from the steps before it."""
    steps = []
    for step in plan.steps:
        steps.append(rewrite_step(step, scope, replacement))
        scope = scope.after(steps[-1])
    return Plan(tuple(steps))


def rewrite_step(step: Step, scope: Scope, replacement: Replacement) -> Step:
    """Copy a step that takes rows with the scope."""
    match step:
        case Union():
            return replace(
                step, plans=tuple(rewrite_plan(plan, Scope(scope.schema), replacement) for plan in step.plans)
            )
        case Match():
            return _rewritten_match(step, scope, replacement)
        case ShortestPaths():
            return rewrite(step, _in_scope(scope.along(step), replacement))
    return rewrite(step, _in_scope(scope, replacement))


def rewrite_expression(expression: Expression, scope: Scope, replacement: Replacement) -> Expression:
    """Copy an expression over a row with the scope."""
    return rewrite(expression, _in_scope(scope, replacement))


def _rewritten_match(match: Match, scope: Scope, replacement: Replacement) -> Match:
    if match.where is None:
        return match
    where = rewrite(match.where, _in_scope(scope.within(match), replacement))
    return match if where is match.where else replace(match, where=where)


def rewrite_loop(loop: Loop, scope: Scope, replacement: Callable[[Scope], Callable[[Any], Any]]) -> Loop:
    """Copy a loop; `replacement` returns what replaces parts in the scope of the row, and in that of an item."""
    loop = replace(loop, items=rewrite(loop.items, replacement(scope)))
    of_item = replacement(scope.inside(loop))
    changed = {"condition": rewrite(loop.condition, of_item)}
    if isinstance(loop, Comprehension):
        changed["value"] = rewrite(loop.value, of_item)
    return replace(loop, **changed)  # type: ignore[arg-type]


def _in_scope(scope: Scope, replacement: Replacement) -> Callable[[Any], Any]:
    def replaced(part: Any) -> Any:
        if isinstance(part, Subquery):
            match = _rewritten_match(part.match, scope, replacement)
            if isinstance(part, CollectMatches):
                value = rewrite(part.value, _in_scope(scope.within(match), replacement))
                return replace(part, match=match, value=value)
            return replace(part, match=match)
        if isinstance(part, Loop):
            return rewrite_loop(part, scope, lambda inner: _in_scope(inner, replacement))
        return replacement(part, scope)

    return replaced
