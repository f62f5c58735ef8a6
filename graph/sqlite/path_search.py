"""Find shortest paths in a graph file by a breadth-first search from both ends."""

import heapq
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from graph.sqlite.list_functions import node_item, relationship_item
from graph.sqlite.values import Stored, list_of

if TYPE_CHECKING:
    from graph.sqlite.connection import GraphConnection

_NODES_PER_QUERY = 500


class _Link(NamedTuple):
    """Hold a relationship that leads to a node, and the node before it."""

    before: int
    triple: int
    relation: int


class _Part(NamedTuple):
    """Hold a part of a path from one of its ends; parts are sorted by their fields, in this order, and differ in nodes.

    Attributes:
        weight: The relationships of the nodes between the ends, added up.
        nodes, triples: The row ids, in the order of the whole path.
        relations: The row ids of the types of the triples.
    """

    weight: int
    nodes: tuple[int, ...]
    triples: tuple[int, ...]
    relations: tuple[int, ...]


@dataclass(slots=True)
class _Side:
    """Hold what a search has reached from one end: each node with the relationships by which it was reached.

    Of several relationships between the same nodes, it is the first one of the graph.
    """

    start: int
    links: dict[int, list[_Link]] = field(default_factory=dict)
    frontier: set[int] = field(default_factory=set)
    depth: int = 0

    def __post_init__(self) -> None:
        self.links[self.start], self.frontier = [], {self.start}


@dataclass(frozen=True, slots=True)
class PathSearch:
    """Find the shortest paths between two nodes, as `graph.plan.algebra.ShortestPaths` defines them.

    The queries take a JSON list of row ids as the parameter `nodes`, beside `parameters`.

    Attributes:
        neighbours: Returns the nodes, each with a triple, its relation, and the node at its other end.
        admitted: Returns those of the nodes that paths may lead through; None if they may lead through all.
        degrees: Returns the nodes with the number of their relationships.
        max_length: The most relationships of a path.
        limit: The most paths.
    """

    neighbours: str
    admitted: str | None
    degrees: str
    parameters: Mapping[str, Stored]
    max_length: int
    limit: int

    def paths(self, connection: "GraphConnection", source: int, target: int) -> Stored:
        """Return the paths as a stored list, best first: each a list of its rank, nodes, relationships, and degrees.

        Raises:
            sqlite3.Error: The deadline of the connection has passed, or its query was cancelled.
        """
        return _Search(self, connection).paths(source, target)


@dataclass(frozen=True, slots=True)
class _Search:
    plan: PathSearch
    connection: "GraphConnection"

    def paths(self, source: int, target: int) -> Stored:
        if source == target:
            return list_of([])
        ends = _Side(source), _Side(target)
        met = self._meet(*ends)
        degrees = self._degrees({*_between(ends[0], met), *_between(ends[1], met)} - {source, target})
        firsts, lasts = _Parts(self, ends[0], degrees, False), _Parts(self, ends[1], degrees, True)
        best = heapq.nsmallest(
            self.plan.limit,
            (
                _joined(first, last, degrees.get(node, 0))
                for node in met
                for first in firsts.to(node)
                for last in lasts.to(node)
            ),
        )
        return list_of([_stored(rank, one, degrees) for rank, one in enumerate(best, 1)])

    def _meet(self, first: _Side, second: _Side) -> set[int]:
        """Extend the side with fewer nodes at its end until both sides meet; return where they do.

        Both sides have all nodes up to their depths, so they meet first at the least length.
        """
        while first.depth + second.depth < self.plan.max_length:
            near, far = sorted((first, second), key=lambda side: len(side.frontier))
            self._extend(near, far)
            if met := near.frontier & far.links.keys():
                return met
            if not near.frontier:
                break
        return set()

    def _extend(self, near: _Side, far: _Side) -> None:
        """Reach the nodes that are one relationship further from one end; those of the other side are admitted."""
        found: dict[int, dict[int, _Link]] = {}
        for before, triple, relation, node in self._rows(self.plan.neighbours, sorted(near.frontier)):
            if node not in near.links:
                links = found.setdefault(node, {})
                if before not in links or triple < links[before].triple:
                    links[before] = _Link(before, triple, relation)
        if self.plan.admitted is not None:
            unsure = sorted(found.keys() - far.links.keys())
            admitted = {node for (node,) in self._rows(self.plan.admitted, unsure)}
            found = {node: links for node, links in found.items() if node in admitted or node in far.links}
        near.links |= {node: list(links.values()) for node, links in found.items()}
        near.frontier = set(found)
        near.depth += 1

    def _degrees(self, nodes: Iterable[int]) -> dict[int, int]:
        return {row[0]: row[1] for row in self._rows(self.plan.degrees, sorted(nodes))}

    def _rows(self, query: str, nodes: Sequence[int]) -> Iterator[tuple[int, ...]]:
        for start in range(0, len(nodes), _NODES_PER_QUERY):
            self.connection.deadline.check()
            asked = {**self.plan.parameters, "nodes": json.dumps(nodes[start : start + _NODES_PER_QUERY])}
            yield from self.connection.execute(query, asked)


def _between(side: _Side, met: Iterable[int]) -> set[int]:
    """Return the nodes on the shortest ways from an end to where the sides meet."""
    found = set(met)
    layer = set(met)
    while layer := {link.before for node in layer for link in side.links[node]} - found:
        found |= layer
    return found


@dataclass(frozen=True, slots=True)
class _Parts:
    """Find the best parts of paths between one end and each node; those from the target are built backward."""

    search: _Search
    side: _Side
    degrees: Mapping[int, int]
    is_backward: bool
    _known: dict[int, list[_Part]] = field(default_factory=dict)

    def to(self, node: int) -> list[_Part]:
        """Return the best parts, of which any longer best part consists."""
        if node == self.side.start:
            return [_Part(0, (node,), (), ())]
        if node not in self._known:
            self.search.connection.deadline.check()
            parts = (
                self._extended(part, link, node) for link in self.side.links[node] for part in self.to(link.before)
            )
            self._known[node] = heapq.nsmallest(self.search.plan.limit, parts)
        return self._known[node]

    def _extended(self, part: _Part, link: _Link, node: int) -> _Part:
        weight = part.weight + self.degrees.get(node, 0)
        if self.is_backward:
            return _Part(weight, (node, *part.nodes), (link.triple, *part.triples), (link.relation, *part.relations))
        return _Part(weight, (*part.nodes, node), (*part.triples, link.triple), (*part.relations, link.relation))


def _joined(first: _Part, last: _Part, shared: int) -> _Part:
    """Join two parts at a node whose relationships both of them count."""
    return _Part(
        first.weight + last.weight - shared,
        first.nodes + last.nodes[1:],
        first.triples + last.triples,
        first.relations + last.relations,
    )


def _stored(rank: int, path: _Part, degrees: Mapping[int, int]) -> Stored:
    links = [relationship_item(triple, type_) for triple, type_ in zip(path.triples, path.relations, strict=True)]
    counts: list[Stored] = [degrees[node] for node in path.nodes[1:-1]]
    return list_of([rank, list_of(list(map(node_item, path.nodes))), list_of(links), list_of(counts)])
