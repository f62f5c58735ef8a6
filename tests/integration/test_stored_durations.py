"""Properties that hold durations in Neo4j give the same rows there and in an imported graph file."""

import asyncio
from pathlib import Path

import pytest

from ingestion.neo4j_snapshot import import_database
from shared.cypher.reader import read_cypher
from shared.graph.neo4j.store import Neo4jGraphStore
from shared.graph.sqlite.store import SqliteGraphStore
from tests import neo4j_server

pytestmark = neo4j_server.needs_neo4j

_GRAPH = """
UNWIND ['PT1H37M', 'P1Y2M3DT-0.5S', 'PT-1H-1M-1.25S', 'P1W', 'PT0S'] AS text
CREATE (:Visit {took: duration(text)}) CREATE (:Visit {took: text + ' or so'})
"""


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (v:Visit) RETURN v.took AS took ORDER BY took",
        "MATCH (v:Visit) WHERE v.took.seconds > 60 RETURN v.took.seconds AS seconds, v.took.hours AS hours",
        "MATCH (v:Visit) RETURN v.took.months AS months, v.took.days AS days, count(v) AS n",
        "MATCH (v:Visit) WHERE v.took = duration('P7D') OR v.took = duration({minutes: 97}) RETURN v.took AS took",
    ],
)
def test_both_stores_read_stored_durations(query: str, tmp_path: Path) -> None:
    neo4j_server.clear()
    try:
        neo4j_server.ask(_GRAPH)
        import_database(neo4j_server.settings(), tmp_path / "graph.sqlite")
        rows = asyncio.run(_rows(query, tmp_path / "graph.sqlite"))
    finally:
        neo4j_server.ask("MATCH (n) DETACH DELETE n")

    assert rows[0]
    assert rows[0] == rows[1]


async def _rows(query: str, file: Path) -> list[list[tuple[object, ...]]]:
    found = []
    for store in (SqliteGraphStore(file), Neo4jGraphStore(neo4j_server.settings())):
        result = await store.run(read_cypher(query), 100)
        found.append(sorted(result.rows, key=repr))
        await store.close()
    return found
