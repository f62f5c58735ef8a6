"""State the inferred kinds of a graph of triples in plans that people wrote for the triples."""

from dataclasses import replace
from typing import Any

from graph.plan.algebra import (
    And,
    Comparison,
    Constant,
    Exists,
    Expression,
    IsMissing,
    ListOf,
    Match,
    NodePattern,
    Not,
    Plan,
    Property,
    Variable,
)
from graph.plan.traversal import rewrite, walk
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.plans.schema.inferred_kinds import NAME
from services.retriever.plans.schema.schema_elements import SchemaElements


async def with_kinds(plan: Plan, view: GraphView) -> Plan:
    """Return a plan that reads values as properties of nodes, and names the kinds of nodes, as predicted plans do.

    Triples store `start_dt` as a relation to a date, so that people write it as one. The plan is returned as it is if
    the graph has kinds of its own, or if nothing tells the kind of a node.

    Raises:
        DependencyError: The graph store does not respond.
    """
    if view.inferred is None:
        return plan
    elements = SchemaElements.of(view.schema)
    read = _ValueReader(elements).rewritten(plan)
    kinds = _kinds_by_properties(read, elements) | await _kinds_by_names(read, view)

    def replacement(part: Any) -> Any:
        if isinstance(part, NodePattern) and not part.kinds and part.variable in kinds:
            return replace(part, kinds=(kinds[part.variable],))
        return None

    return rewrite(read, replacement)


class _ValueReader:
    """Replace the nodes of values by the properties that hold the values."""

    def __init__(self, elements: SchemaElements) -> None:
        connections = {one.type for one in elements.connections}
        self._keys = {one.key for one in elements.properties if not one.of_relationship} - connections
        self._properties: dict[str, Property] = {}  # by the variable of the value
        self._matched: set[str] = set()  # variables outside of conditions

    def rewritten(self, plan: Plan) -> Plan:
        steps = [step for step in plan.steps if isinstance(step, Match)]
        self._matched = {node.variable for step in steps for node in step.nodes}
        for match in walk(plan):
            if isinstance(match, Match):
                self._note(match)
        return rewrite(plan, self._replacement)

    def _note(self, match: Match) -> None:
        for link in match.relationships:
            if len(link.types) == 1 and link.types[0] in self._keys and link.variable is None:
                self._properties[link.target] = Property(link.source, link.types[0])

    def _replacement(self, part: Any) -> Any:
        match part:
            case Exists(match=Match() as inner):
                return self._exists(inner)
            case Match():
                return self._match(part)
            case Variable() if part.name in self._properties:
                return self._properties[part.name]
            case Property(key=key) if key == NAME and part.variable in self._properties:
                return self._properties[part.variable]
        return None

    def _exists(self, inner: Match) -> Expression:
        found = self._match(inner)
        is_condition = not found.relationships and {node.variable for node in found.nodes} <= self._matched
        return found.where if is_condition and found.where is not None else Exists(found)

    def _match(self, part: Match) -> Match:
        values = {link.target for link in part.relationships} & self._properties.keys()
        links = tuple(link for link in part.relationships if link.target not in values)
        where = [rewrite(part.where, self._replacement)] if part.where is not None else []
        where += [Not(IsMissing(self._properties[name])) for name in sorted(values)]
        nodes = tuple(node for node in part.nodes if node.variable not in values)
        condition = where[0] if len(where) == 1 else And(tuple(where)) if where else None
        return replace(part, nodes=nodes, relationships=links, where=condition)


def _kinds_by_properties(plan: Plan, elements: SchemaElements) -> dict[str, str]:
    """Return the kinds of the nodes whose properties only one kind has."""
    read: dict[str, set[str]] = {}
    for part in walk(plan):
        if isinstance(part, Property) and part.key != NAME:
            read.setdefault(part.variable, set()).add(part.key)
    own: dict[str, set[str]] = {}
    for one in elements.properties:
        if not one.of_relationship:
            own.setdefault(one.owner, set()).add(one.key)
    fitting = {name: [kind for kind, has in own.items() if keys <= has] for name, keys in read.items()}
    return {name: kinds[0] for name, kinds in fitting.items() if len(kinds) == 1}


async def _kinds_by_names(plan: Plan, view: GraphView) -> dict[str, str]:
    """Return the kinds of the nodes that have a name."""
    found: dict[str, str] = {}
    for part in walk(plan):
        if not (isinstance(part, Comparison) and isinstance(part.left, Property) and part.left.key == NAME):
            continue
        names = [one.value for one in walk(part.right) if isinstance(one, Constant) and isinstance(one.value, str)]
        if part.operator not in ("=", "in") or not isinstance(part.right, Constant | ListOf) or not names:
            continue
        entities = [match.entity for several in await view.store.entities_named(names) for match in several]
        kinds = set((await view.kinds_of(entities)).values())
        if len(kinds) == 1:
            found[part.left.variable] = kinds.pop()
    return found
