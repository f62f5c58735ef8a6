"""Hold a property graph in memory, and write it to a graph file."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from graph.plan.values import Value
from ingestion.sqlite_writer import GraphWriter


@dataclass(frozen=True)
class Node:
    """Represent a node; `id` is its position in the graph."""

    id: int
    kinds: frozenset[str] = frozenset()
    properties: Mapping[str, Value] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Relationship:
    """Represent a relationship; `id` is its position in the graph, and the ends are ids of nodes."""

    id: int
    type: str
    source: int
    target: int
    properties: Mapping[str, Value] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class PropertyGraph:
    """Represent a graph of nodes and relationships."""

    nodes: tuple[Node, ...]
    relationships: tuple[Relationship, ...] = ()


def write_graph_file(graph: PropertyGraph, file: Path) -> None:
    """Write a graph file whose entity keys are the node ids."""
    with closing(GraphWriter(file)) as writer:
        for node in graph.nodes:
            writer.add_node(str(node.id), sorted(node.kinds), node.properties)
        for link in graph.relationships:
            writer.add_relationship(str(link.source), link.type, str(link.target), link.properties)
        writer.finish()
