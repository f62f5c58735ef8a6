"""Find shortest paths with networkx, as `docs/reference/query-plans.md` defines the step `path`."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import networkx

from graph.plan.algebra import ShortestPaths
from ingestion.property_graph import Node, PropertyGraph


class ReferencePath(NamedTuple):
    """Hold a path by the ids of its nodes and relationships, and the degrees of the nodes between its ends."""

    nodes: tuple[int, ...]
    relationships: tuple[int, ...]
    degrees: tuple[int, ...]


def shortest_paths(
    step: ShortestPaths, ends: tuple[int, int], graph: PropertyGraph, meets: Callable[[Any, Node], bool]
) -> list[ReferencePath]:
    """Return the paths between two nodes, best first.

    Args:
        step: The step.
        ends: The ids of its source and its target.
        graph: The graph.
        meets: Returns whether a node meets a condition of the step.
    """
    known = {node.id: node for node in graph.nodes}
    admitted = {id_ for id_, node in known.items() if step.admitted is None or meets(step.admitted, node)} | {*ends}
    links = networkx.MultiGraph()
    links.add_nodes_from(ends)
    for one in graph.relationships:
        if {one.source, one.target} <= admitted and (not step.types or one.type in step.types):
            links.add_edge(one.source, one.target, key=one.id)
    source, target = ends
    if source == target or not networkx.has_path(links, source, target):
        return []
    if networkx.shortest_path_length(links, source, target) > step.max_length:
        return []
    counted = {id_ for id_, node in known.items() if step.where is None or meets(step.where, node)}

    def degree(node: int) -> int:
        allowed = (one for one in graph.relationships if not step.types or one.type in step.types)
        others = ((one.source, one.target) for one in allowed if node in (one.source, one.target))
        return sum((first if second == node else second) in counted for first, second in others)

    # Between the same nodes, networkx finds a path once, whatever the number of relationships.
    found = [
        ReferencePath(
            tuple(nodes),
            tuple(min(links[before][after]) for before, after in pairwise(nodes)),
            tuple(map(degree, nodes[1:-1])),
        )
        for nodes in {tuple(one) for one in networkx.all_shortest_paths(links, source, target)}
    ]
    return sorted(found, key=lambda path: (sum(path.degrees), path.nodes))[: step.limit]
