"""Properties that hold durations in Neo4j give the same rows there and in an imported graph file."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest
from neo4j.time import Date, Duration

from graph.cypher.reader import read_cypher
from graph.neo4j.durations import stored_duration
from graph.neo4j.store import Neo4jGraphStore
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from ingestion.neo4j_snapshot import import_database
from shared.errors import InvalidInputError
from tests import neo4j_server

pytestmark = neo4j_server.needs_neo4j

Rows = list[tuple[object, ...]]
_T = TypeVar("_T")
_GRAPH = """
UNWIND ['PT1H37M', 'P1Y2M3DT-0.5S', 'PT-1H-1M-1.25S', 'P1W', 'PT0S'] AS text
CREATE (:Visit {took: duration(text), exact: duration(text)}) CREATE (:Visit {took: text + ' or so'})
"""


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (v:Visit) RETURN v.took AS took",
        "MATCH (v:Visit) WHERE v.took.seconds > 60 RETURN v.took.seconds AS seconds, v.took.hours AS hours",
        "MATCH (v:Visit) RETURN v.took.months AS months, v.took.days AS days, count(v) AS n",
        "MATCH (v:Visit) WHERE v.took = duration('P7D') OR v.took = duration({minutes: 97}) RETURN v.took AS took",
    ],
)
def test_both_stores_read_stored_durations(query: str, tmp_path: Path) -> None:
    rows, _ = _answers(query, tmp_path, with_neo4j=False)

    assert rows[0]
    assert rows[0] == rows[1]


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (v:Visit) WHERE v.exact IS NOT NULL RETURN v.exact AS exact ORDER BY exact LIMIT 3",
        "MATCH (v:Visit) WITH v.exact AS exact, count(*) AS n RETURN exact, n ORDER BY exact DESC LIMIT 3",
        "MATCH (v:Visit) RETURN min(v.exact) AS shortest, max(v.exact) AS longest",
        "MATCH (v:Visit) WHERE v.exact < duration('P1Y') OR v.exact > v.exact RETURN count(*) AS n",
        "MATCH (v:Visit) WHERE v.exact IS NOT NULL RETURN date('2020-01-31') + v.exact AS day",
    ],
)
def test_stored_durations_are_sorted_and_added_as_by_neo4j(query: str, tmp_path: Path) -> None:
    rows, expected = _answers(query, tmp_path, with_neo4j=True)

    assert expected
    assert rows == [expected, expected]


def test_durations_beside_other_texts_are_not_sorted(tmp_path: Path) -> None:
    async def refused(store: GraphStore) -> None:
        with pytest.raises(InvalidInputError, match="holds durations and other values"):
            await store.run(read_cypher("MATCH (v:Visit) RETURN v.took AS took ORDER BY took"))

    with _loaded(tmp_path) as file:
        asyncio.run(_on_both_stores(file, refused))


@contextmanager
def _loaded(folder: Path) -> Iterator[Path]:
    """Write the graph to Neo4j, and import it to a file."""
    neo4j_server.clear()
    try:
        neo4j_server.ask(_GRAPH)
        import_database(neo4j_server.settings(), folder / "graph.sqlite")
        yield folder / "graph.sqlite"
    finally:
        neo4j_server.ask("MATCH (n) DETACH DELETE n")


def _answers(query: str, folder: Path, with_neo4j: bool) -> tuple[list[Rows], Rows]:
    """Return the rows of the plan on both stores, and those of the query itself."""

    async def rows(store: GraphStore) -> Rows:
        return sorted((await store.run(read_cypher(query), 100)).rows, key=repr)

    with _loaded(folder) as file:
        found = asyncio.run(_on_both_stores(file, rows))
        records = neo4j_server.ask(query) if with_neo4j else []
    return found, sorted((tuple(map(_plan_value, record.values())) for record in records), key=repr)


async def _on_both_stores(file: Path, use: Callable[[GraphStore], Awaitable[_T]]) -> list[_T]:
    stores: tuple[GraphStore, ...] = (SqliteGraphStore(file), Neo4jGraphStore(neo4j_server.settings()))
    try:
        return [await use(store) for store in stores]
    finally:
        for store in stores:
            await store.close()


def _plan_value(value: object) -> object:
    match value:
        case Duration():
            return stored_duration(value)
        case Date():
            return value.to_native()
    return value
