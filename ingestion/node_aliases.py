"""Take the other names of a node from a property, as in Neo4j."""

from graph.plan.values import Value
from ingestion.source_lines import field_problem
from ingestion.sqlite_writer import GraphWriter

ALIASES = "aliases"
"""The property that holds the other names of a node in files: a string, or a list of strings."""


def add_node_aliases(writer: GraphWriter, node: str, value: Value | None) -> None:
    """Add the names in a property of the node with this key; other values than strings are no names."""
    for alias in value if isinstance(value, tuple) else (value,):
        name = writer.clean(" ".join(alias.split())) if isinstance(alias, str) else ""
        if field_problem("alias", name) is None:
            writer.add_alias(node, name)
