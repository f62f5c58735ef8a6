"""Keep query plans from the relationships and properties of a graph that its owner hides."""

from dataclasses import replace
from typing import Any

from graph.plan.algebra import (
    Branch,
    Case,
    Comparison,
    Constant,
    Expression,
    Filter,
    HasKind,
    Match,
    Plan,
    Property,
    RelationshipPattern,
    RelationshipType,
    ShortestPaths,
    Step,
)
from graph.plan.meaning import Meanings, hidden_keys
from graph.plan.schema import GraphSchema
from graph.plan.scope import Scope
from graph.plan.scoped_rewriting import rewrite_plan
from graph.plan.traversal import conjunction, conjuncts, rewrite
from graph.plan.values import ValueType

_NEVER = Comparison("=", Constant(0), Constant(1))


def without_hidden(plan: Plan, meanings: Meanings, whole: GraphSchema, visible: GraphSchema) -> Plan:
    """Return a plan that reads nothing hidden.

    Args:
        plan: A plan that has been checked against the visible schema, so that it names nothing hidden by itself.
        meanings: What the owner says of the graph.
        whole: The schema with what is hidden.
        visible: The schema without it.
    """
    if types := whole.relationships.keys() - visible.relationships.keys():
        plan = _with_types(plan, tuple(sorted(whole.relationships.keys() - types)))
    hidden = frozenset(hidden_keys(meanings))
    return _without_values(plan, hidden, whole, visible) if hidden else plan


def _with_types(plan: Plan, types: tuple[str, ...]) -> Plan:
    """Let patterns and paths whose relationships may have any type have only those of the given types."""

    def replacement(part: Any) -> Plan | Match | ShortestPaths | None:
        if isinstance(part, Plan) and not types:
            return Plan(tuple(one for step in part.steps for one in _without_paths(rewrite(step, replacement))))
        if isinstance(part, ShortestPaths) and not part.types:
            return replace(part, types=types)
        if not isinstance(part, Match) or all(link.types for link in part.relationships):
            return None
        where = [rewrite(one, replacement) for one in conjuncts(part.where)]
        if not types:
            where.append(_NEVER)
        return replace(part, relationships=tuple(map(typed, part.relationships)), where=conjunction(where))

    def typed(link: RelationshipPattern) -> RelationshipPattern:
        return link if link.types else replace(link, types=types)

    return rewrite(plan, replacement)


def _without_paths(step: Step) -> tuple[Step, ...]:
    """Drop the rows before a step that finds paths, if no relationship is left that a path could have."""
    return (Filter(_NEVER), step) if isinstance(step, ShortestPaths) else (step,)


def _without_values(plan: Plan, hidden: frozenset[tuple[str, str]], whole: GraphSchema, visible: GraphSchema) -> Plan:
    """Read the properties that are hidden for some kinds or types, but not for all, as missing values there."""

    def replacement(part: Any, scope: Scope) -> Case | None:
        if not isinstance(part, Property):
            return None
        is_node = scope.variables[part.variable].only(ValueType.NODE)
        owners = whole.kinds if is_node else whole.relationships
        hiding = sorted(owner for owner, key in hidden if key == part.key and owner in owners)
        if not hiding:
            return None
        tests = [_belongs(part.variable, owner, is_node) for owner in hiding]
        return Case(tuple(Branch(test, Constant(None)) for test in tests), part)

    return rewrite_plan(plan, Scope(visible), replacement)


def _belongs(variable: str, owner: str, is_node: bool) -> Expression:
    if is_node:
        return HasKind(variable, owner)
    return Comparison("=", RelationshipType(variable), Constant(owner))
