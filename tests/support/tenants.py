"""Build a graph of documents that belong to two tenants, for tests of scopes."""

from tests.support.reference_evaluator import Node, PropertyGraph, Relationship

VISIBLE_SCOPE = "Document.tenant = 42"
HIDDEN = ("Coal Memo", "Oil Memo", "Gas Memo")
"""The titles of documents of the other tenant."""
HIDDEN_WORDS = ("Coal", "Oil Memo", "Gas Memo", "whispers", "REFUTES", "codename", "Kraken")
"""Texts that occur only with documents of the other tenant."""


def tenant_graph() -> PropertyGraph:
    """Build the graph: people wrote documents, which cite others, also those of the other tenant."""
    documents = [
        Node(place, frozenset({"Document"}), {"title": title, "tenant": tenant, "pages": 10 * (place + 1)})
        for place, (title, tenant) in enumerate(
            [("Solar Report", 42), ("Wind Report", 42), *((title, 43) for title in HIDDEN)]
        )
    ]
    documents[2] = Node(2, frozenset({"Document"}), {**documents[2].properties, "codename": "Kraken"})
    people = [Node(5 + n, frozenset({"Person"}), {"name": name}) for n, name in enumerate(["Ada Lind", "Bo Rask"])]
    wrote = [(5, 0), (5, 1), (5, 2), (6, 2), (6, 3), (6, 4), (6, 0)]
    links = [Relationship(place, "WROTE", *ends) for place, ends in enumerate(wrote)]
    links += [Relationship(7, "CITES", 0, 2), Relationship(8, "CITES", 0, 1), Relationship(9, "REFUTES", 2, 1)]
    return PropertyGraph((*documents, *people), tuple(links))
