"""Describe a graph file in its table `meta`."""

import sqlite3
from dataclasses import asdict

from pydantic import TypeAdapter

from graph.plan.schema import GraphSchema
from graph.sqlite.schema import LAYOUT
from ingestion.graph_counts import GraphCounts

_VERSION_LENGTH = 16


def write_meta(connection: sqlite3.Connection, content: str, counts: GraphCounts, schema: GraphSchema) -> None:
    """Write the layout of the file, the version by the hash of its content, the counts, and the schema."""
    numbers = {name: str(number) for name, number in asdict(counts).items() if isinstance(number, int)}
    meta = {"layout": LAYOUT, "version": content[:_VERSION_LENGTH], **numbers}
    meta["schema"] = TypeAdapter(GraphSchema).dump_json(schema).decode()
    connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
