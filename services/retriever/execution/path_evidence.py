"""Collect the facts of the paths in a plan's result: the relationships, in the order of each path."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from contracts.answers import Evidence
from graph.plan.algebra import Column, Match, NodePattern, Plan, Project, RelationshipPattern, ShortestPaths, Variable
from graph.plan.result import PlanResult
from graph.plan.traversal import walk
from graph.plan.values import NodeRef, RelationshipRef
from graph.store import GraphStore
from services.retriever.execution.facts import Fact, Owner
from services.retriever.execution.namesakes import namesake_labels
from services.retriever.execution.support import Support
from texts.verbalise.template import join_names

_MAX_ROWS = 10_000
_ROWS_PER_QUERY = 10
"""The rows whose relationships one query reads: between the nodes of few paths, few others are read in vain."""


def has_paths(plan: Plan) -> bool:
    """Return whether a plan finds paths."""
    return any(isinstance(part, ShortestPaths) for part in walk(plan))


async def path_evidence(
    store: GraphStore, plan: Plan, result: PlanResult, max_items: int
) -> tuple[list[Evidence], list[list[int]]]:
    """Return the evidence of a plan that finds paths, and for each row the indexes of its items.

    A row whose columns have no relationships has no evidence. Without rows, the only item says that there is no path.

    Raises:
        DependencyError: The graph store does not respond.
        PlanLimitError: There are too many relationships between the nodes of the paths.
    """
    if not result.rows:
        return [Evidence(triples=[], text=await _absence(store, plan))], []
    rows = result.rows[:max_items]
    facts: dict[str, Fact] = {}
    for start in range(0, len(rows), _ROWS_PER_QUERY):
        facts |= await _facts(store, [part for row in rows[start : start + _ROWS_PER_QUERY] for part in _parts(row)])
    supports = [Support() for _ in rows]
    for row, support in zip(rows, supports, strict=True):
        for part in _parts(row):
            if isinstance(part, RelationshipRef) and part.id in facts:
                support.add([facts[part.id]])
    labels = await namesake_labels(store, [node for support in supports for node in support.nodes])
    items: list[Evidence] = []
    of_rows: list[list[int]] = [[] for _ in result.rows]
    for place, support in enumerate(supports):
        if (item := support.item(labels)) is not None:
            of_rows[place].append(len(items))
            items.append(item)
    return items, of_rows


def _parts(cells: Iterable[Any]) -> Iterator[NodeRef | RelationshipRef]:
    """Yield the nodes and relationships of a row, also those in its lists."""
    for cell in cells:
        if isinstance(cell, tuple):
            yield from _parts(cell)
        elif isinstance(cell, NodeRef | RelationshipRef):
            yield cell


async def _facts(store: GraphStore, parts: Iterable[NodeRef | RelationshipRef]) -> Mapping[str, Fact]:
    """Return the facts that relationships between some nodes state, by the ids of the relationships."""
    listed = list(parts)
    nodes = tuple(dict.fromkeys(one.id for one in listed if isinstance(one, NodeRef)))
    types = tuple(dict.fromkeys(one.type for one in listed if isinstance(one, RelationshipRef)))
    if not types:
        return {}
    link = RelationshipPattern("a", "b", types, variable="r")
    match = Match((NodePattern("a", ids=nodes), NodePattern("b", ids=nodes)), (link,))
    columns = tuple(Column(name, Variable(name)) for name in ("r", "a", "b"))
    found = await store.run(Plan((match, Project(columns))), _MAX_ROWS)
    return {
        relation.id: Fact(Owner((source,)), relation.type, target, relation) for relation, source, target in found.rows
    }


async def _absence(store: GraphStore, plan: Plan) -> str:
    """Say that no path connects the ends, by their names if each end is one node."""
    for place, step in enumerate(plan.steps):
        if isinstance(step, ShortestPaths):
            ends = tuple(Column(name, Variable(name)) for name in (step.source, step.target))
            before = await store.run(Plan((*plan.steps[:place], Project(ends, distinct=True))), _MAX_ROWS)
            if not before.rows:
                return "Nothing in the graph meets the conditions on the ends of the paths."
            if len(before.rows) == 1:
                return no_path(step, [str(getattr(node, "name", node)) for node in before.rows[0]])
            return no_path(step, ["any two of these nodes"])
    return "No path meets the conditions."


def no_path(step: ShortestPaths, names: list[str]) -> str:
    """Say that no path of a step connects things of these names."""
    steps = "1 relationship" if step.max_length == 1 else f"at most {step.max_length} relationships"
    kinds = f" of the types {join_names(list(step.types))}" if step.types else ""
    return f"No path of {steps}{kinds} connects {join_names(names)}."
