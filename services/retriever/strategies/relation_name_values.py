"""Replace names of relations that are values: a graph may have one relationship type, whose property names relations.

OwnThink, the graph of SpCQL, is an example: `-[:Relationship {name: "capital"}]->`.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from graph.plan.algebra import Comparison, Constant, Match, Plan, Property
from graph.plan.traversal import rewrite, walk
from graph.plan.values import ValueType
from services.retriever.plans.names.stored_texts import distinct_values
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.plans.schema.schema_elements import SchemaElements
from services.retriever.strategies.likeness import nearest

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
    sought = dict.fromkeys(one for part in walk(plan) if (one := _sought(part, types)))
    stored = {owned: await _texts_of(view, *owned) for owned in dict.fromkeys(one[:2] for one in sought)}
    used: dict[_Sought, str] = {}
    for type_, key, value in sought:
        known = stored[type_, key]
        if value not in known and (found := nearest(value, dict.fromkeys(known, ()))) is not None:
            used[type_, key, value] = found
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


async def _texts_of(view: GraphView, type_: str, key: str) -> Collection[str]:
    """Return the texts that relationships of a type have; none if they are too many to be names of relations."""
    elements = SchemaElements.of(view.schema)
    number = elements.property_numbers.get((True, type_, key))
    if number is None or elements.properties[number].schema.content is not ValueType.STRING:
        return ()
    values = await distinct_values(view, elements, number, MAX_VALUES + 1)
    return {value for value in values if isinstance(value, str)} if len(values) <= MAX_VALUES else ()
