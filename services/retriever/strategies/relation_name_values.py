"""Replace names of relations that are values: a graph may have one relationship type, whose property names relations.

OwnThink, the graph of SpCQL, is an example: `-[:Relationship {name: "capital"}]->`.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from services.retriever.planning.graph_view import GraphView
from services.retriever.strategies.likeness import nearest
from shared.plan.algebra import (
    Column,
    Comparison,
    Constant,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Slice,
)
from shared.plan.traversal import rewrite, walk
from shared.plan.values import ValueType

MAX_VALUES = 20_000
"""The number of values of a property up to which they may be names of relations."""

_Sought = tuple[str, str, str]
"""A relationship type, the key of its property, and the value that a query compares it with."""


async def align_relation_values(plan: Plan, view: GraphView) -> tuple[Plan, dict[str, str]]:
    """Replace values that a query equates with a text of a relationship, where the graph has a similar one instead.

    Args:
        plan: The plan, with types that the graph has.
        view: The graph.

    Returns:
        The plan, and the value that replaces each value.

    Raises:
        DependencyError: The graph store does not respond.
    """
    types = _types_of_variables(plan)
    used: dict[_Sought, str] = {}
    for sought in dict.fromkeys(one for part in walk(plan) if (one := _sought(part, types))):
        stored = await _values(view, sought)
        if stored and sought[2] not in stored and (found := nearest(sought[2], dict.fromkeys(stored, ()))) is not None:
            used[sought] = found
    aligned = rewrite(plan, lambda part: _replaced(part, types, used))
    return aligned, {value: found for (_, _, value), found in used.items()}


def _types_of_variables(plan: Plan) -> Mapping[str, str]:
    """Return the type of each relationship variable that has one type."""
    links = [link for part in walk(plan) if isinstance(part, Match) for link in part.relationships]
    return {link.variable: link.types[0] for link in links if link.variable and len(link.types) == 1}


def _sought(part: Any, types: Mapping[str, str]) -> _Sought | None:
    match part:
        case Comparison("=", Property(variable, key), Constant(value=str() as value)) if variable in types:
            return types[variable], key, value
    return None


def _replaced(part: Any, types: Mapping[str, str], used: Mapping[_Sought, str]) -> Comparison | None:
    sought = _sought(part, types)
    return replace(part, right=Constant(used[sought])) if sought is not None and sought in used else None


async def _values(view: GraphView, sought: _Sought) -> Collection[str]:
    """Return the texts that relationships of a type have; none if they are too many to be names of relations."""
    type_, key, _ = sought
    described = view.schema.relationships.get(type_)
    if described is None or key not in described.properties or described.properties[key].content != ValueType.STRING:
        return ()
    pattern = Match((NodePattern("a"), NodePattern("b")), (RelationshipPattern("a", "b", (type_,), variable="x"),))
    columns = Project((Column("value", Property("x", key)),), distinct=True)
    result = await view.store.run(view.runnable(Plan((pattern, columns, Slice(MAX_VALUES + 1)))), MAX_VALUES + 1)
    return {row[0] for row in result.rows if isinstance(row[0], str)} if len(result.rows) <= MAX_VALUES else ()
