"""Points of a real Neo4j are read as Neo4j reads them, also from a snapshot, and hidden points stay hidden."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph.cypher.reader import read_cypher
from graph.neo4j.store import Neo4jGraphStore
from graph.plan.result import rounded
from graph.sqlite.store import SqliteGraphStore
from ingestion.neo4j_snapshot import import_database
from shared.errors import InvalidInputError
from tests.neo4j_server import ask, clear, needs_neo4j, settings

pytestmark = needs_neo4j

_CREATE = """
CREATE (a:PointsTest {name: 'Oslo', at: point({latitude: 59.91, longitude: 10.75}), north: 59.91, east: 10.75}),
    (b:PointsTest {name: 'Lima', at: point({latitude: -12.05, longitude: -77.04}), north: -12.05, east: -77.04}),
    (c:PointsTest {name: 'Nowhere', flat: point({x: 1, y: 2}), high: point({latitude: 1, longitude: 2, height: 3})}),
    (a)-[:POINTS_TEST_FLIGHT {over: point({latitude: 30, longitude: -40})}]->(b)
"""
_QUERIES = (
    "MATCH (p:PointsTest) RETURN p.name AS name, p.at.latitude AS north, p.at.longitude AS east",
    "MATCH (p:PointsTest) WHERE p.at.x > 0 RETURN p.name AS name, p.at.y AS north",
    "MATCH (p:PointsTest) WHERE p.at.latitude > 0 RETURN p.name AS name",
    "MATCH (p:PointsTest), (q:PointsTest) RETURN p.name AS p, q.name AS q, point.distance(p.at, q.at) AS metres",
    "MATCH (p:PointsTest) RETURN p.name AS name, "
    "point.distance(p.at, point({latitude: 48.85, longitude: 2.35})) / 1000 AS kilometres",
    "MATCH (p:PointsTest) WHERE p.north IS NOT NULL RETURN p.name AS name, "
    "round(point.distance(point({latitude: p.north, longitude: p.east}), p.at)) AS metres",
    "MATCH ()-[r:POINTS_TEST_FLIGHT]->(q) RETURN point.distance(r.over, q.at) AS metres",
)


@pytest.fixture
def graph() -> Iterator[None]:
    clear()
    [others] = ask("MATCH (n) WHERE NOT n:PointsTest RETURN count(n) AS count")
    assert others["count"] == 0, "the database has nodes of others; use an empty one"
    ask("MATCH (n:PointsTest) DETACH DELETE n")
    ask(_CREATE)
    yield
    ask("MATCH (n:PointsTest) DETACH DELETE n")


def _rows(query: str) -> list[tuple[object, ...]]:
    rows = (record.values() for record in ask(query))
    return sorted((tuple(rounded(v) if isinstance(v, float) else v for v in row) for row in rows), key=str)


@pytest.mark.usefixtures("graph")
async def test_queries_of_points_give_the_rows_of_neo4j(tmp_path: Path) -> None:
    await asyncio.to_thread(import_database, settings(), tmp_path / "graph.sqlite")
    stores = SqliteGraphStore(tmp_path / "graph.sqlite"), Neo4jGraphStore(settings())

    for query in _QUERIES:
        for store in stores:
            assert sorted((await store.run(read_cypher(query))).rows, key=str) == _rows(query)
    for store in stores:
        await store.close()


@pytest.mark.usefixtures("graph")
@pytest.mark.parametrize("key", ["flat", "high"])
async def test_points_of_other_systems_are_left_out(key: str) -> None:
    store = Neo4jGraphStore(settings())

    with pytest.raises(InvalidInputError, match="unknown property"):
        await store.run(read_cypher(f"MATCH (p:PointsTest) RETURN p.{key}.latitude AS north"))
    schema = await store.schema()
    await store.close()
    assert f"PointsTest.{key} (values of type point)" in schema.omitted


@pytest.mark.usefixtures("graph")
async def test_hidden_points_have_no_parts() -> None:
    store = Neo4jGraphStore(settings(hide="PointsTest.at"))

    with pytest.raises(InvalidInputError, match="unknown property"):
        await store.run(read_cypher("MATCH (p:PointsTest) RETURN p.at.latitude AS north"))
    await store.close()
