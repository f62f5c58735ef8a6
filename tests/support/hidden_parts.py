"""A graph of which its owner hides a kind, a relationship, and properties, and the same graph without them."""

from dataclasses import replace

from tests.support.reference_evaluator import Node, PropertyGraph, Relationship
from tests.support.tenants import tenant_graph

HIDING = """
[kinds.Firm]
hidden = true
[kinds.Document.properties.pages]
hidden = true
[relationships.CITES]
hidden = true
[properties.codename]
hidden = true
"""


def graph_with_hidden_parts() -> PropertyGraph:
    """Build the graph; some keys of what is hidden also stay visible, with other kinds or relationships."""
    whole = tenant_graph()
    firm = Node(7, frozenset({"Firm"}), {"name": "Lind Ltd", "pages": 3, "tenant": 42})
    links = (Relationship(20, "OWNS", 5, 7, {"since": 1999}), Relationship(21, "WROTE", 7, 0, {"since": 2001}))
    return PropertyGraph((*whole.nodes, firm), (*whole.relationships, *links))


def without_hidden_parts(graph: PropertyGraph) -> PropertyGraph:
    """Return the graph without what `HIDING` hides."""
    nodes = tuple(
        replace(node, properties={k: v for k, v in node.properties.items() if k not in ("pages", "codename")})
        for node in graph.nodes
        if "Firm" not in node.kinds
    )
    ids = {node.id for node in nodes}
    links = (one for one in graph.relationships if one.type != "CITES" and {one.source, one.target} <= ids)
    return PropertyGraph(nodes, tuple(links))
