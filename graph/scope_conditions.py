"""Apply the conditions that limit what a caller may see of a graph, such as `Document.tenant = 42`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from graph.plan.algebra import (
    And,
    Comparison,
    Constant,
    Expression,
    HasKind,
    Match,
    NodePattern,
    Not,
    Or,
    Plan,
    Property,
    ShortestPaths,
)
from graph.plan.checks import check_plan
from graph.plan.schema import GraphSchema
from graph.plan.traversal import rewrite
from shared.errors import InvalidInputError
from shared.scope_conditions import HiddenKind, ScopeCondition


def check_condition(condition: ScopeCondition, schema: GraphSchema) -> None:
    """Raise InvalidInputError unless a condition names a property of the graph that can have its value."""
    kind, node = schema.kinds.get(condition.kind), NodePattern("n", (condition.kind,))
    if kind is None or condition.key not in kind.properties:
        raise InvalidInputError(f"there is no property {condition.kind}.{condition.key}")
    check_plan(Plan((Match((node,), where=_holds(condition, node)),)), schema, strict=True)


def scoped_plan(plan: Plan, conditions: Sequence[ScopeCondition | HiddenKind]) -> Plan:
    """Return a plan in which every pattern, also within conditions and counts, matches visible nodes only.

    Nodes enter the rows of a plan through patterns and paths alone, and every node of a pattern has a variable of its
    own, so nothing else in a plan can reach a node that is not visible. Paths lead through visible nodes only, and
    count the relationships with them.
    """

    def replacement(part: Any) -> Match | ShortestPaths | None:
        if isinstance(part, ShortestPaths):
            seen = [_holds(condition, NodePattern(part.node)) for condition in conditions]
            own = [] if part.where is None else [part.where]
            return replace(part, where=And((*own, *seen)))
        if not isinstance(part, Match):
            return None
        visible = [_holds(condition, node) for node in part.nodes for condition in conditions]
        where = [] if part.where is None else [rewrite(part.where, replacement)]
        return Match(part.nodes, part.relationships, And((*where, *visible)), part.optional)

    return rewrite(plan, replacement)


def _holds(condition: ScopeCondition | HiddenKind, node: NodePattern) -> Expression:
    """Return the condition under which the node of a pattern is visible."""
    if isinstance(condition, HiddenKind):
        return Not(HasKind(node.variable, condition.kind))
    has_value = Comparison("=", Property(node.variable, condition.key), Constant(condition.value))
    if condition.kind in node.kinds:
        return has_value
    return Or((Not(HasKind(node.variable, condition.kind)), has_value))
