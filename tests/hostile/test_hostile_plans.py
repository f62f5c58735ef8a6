"""Run 200 hostile plans on both stores: each is refused or ends at its deadline, and honest plans are answered."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import neo4j
import pytest
from neo4j.exceptions import Neo4jError

from graph.cypher.reader import read_cypher
from graph.neo4j.cypher_text import quote
from graph.neo4j.store import Neo4jGraphStore
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from shared.errors import DependencyError, InvalidInputError, PlanLimitError
from tests import neo4j_server
from tests.support.hostile_plans import HostilePlan, crowded_graph, hostile_plans
from tests.support.property_graphs import write_graph_file
from tests.support.reference_evaluator import PropertyGraph
from tests.support.waiting import HANGS_AFTER_S, wait_until

pytestmark = [pytest.mark.hostile, pytest.mark.timeout(3_000)]

_FILE_LIMIT_S, _DATABASE_LIMIT_S = 0.5, 2.0
_AT_ONCE = 4
_FULL = 0.75
_HONEST = {
    "MATCH (f:Film {title: 'Film 7'}) RETURN f.year AS year": ((1987,),),
    "MATCH (p:Person)-[:ACTED_IN]->(f:Film {title: 'Film 0'}) RETURN count(p) AS n": ((900,),),
    "MATCH (p:Person) WHERE p.name =~ '(?i).*(son|daughter) 11.?' RETURN count(*) AS n": ((11,),),
    "MATCH (f:Film) WITH collect(f.year) AS ys RETURN size([y IN ys WHERE y < 1985]) AS n": ((25,),),
}
_OTHERS = "SHOW TRANSACTIONS YIELD currentQuery AS query WHERE NOT query STARTS WITH 'SHOW' RETURN query"
_POOLS = (
    "CALL dbms.queryJmx('java.lang:type=MemoryPool,*') YIELD attributes "
    "RETURN attributes.Type.value AS type, attributes.CollectionUsage.value.properties AS after"
)
_HEAP = (
    "CALL dbms.queryJmx('java.lang:type=Memory') YIELD attributes "
    "RETURN attributes.HeapMemoryUsage.value.properties.max AS most"
)


class Attack:
    """Run all hostile plans on a store, and honest ones beside them on another store of the same graph."""

    def __init__(self, attacked: GraphStore, honest: GraphStore, watch: Callable[[], None] = lambda: None) -> None:
        self._attacked = attacked
        self._honest = honest
        self._watch = watch
        self._waiting: list[HostilePlan] = list(reversed(hostile_plans()))
        self.refused: set[str] = set()
        self.ended: set[str] = set()
        self.answered: set[str] = set()
        self.wrong: list[tuple[str, Any]] = []
        self.honest = 0

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            asking = tasks.create_task(self._ask())
            await asyncio.gather(*(self._send() for _ in range(_AT_ONCE)))
            asking.cancel()

    async def _send(self) -> None:
        while self._waiting:
            one = self._waiting.pop()
            try:
                await self._attacked.run(one.plan)
                self.answered.add(one.text)
            except PlanLimitError as error:
                assert not _is_out_of_memory(error), one.text
                self.ended.add(one.text)
            except InvalidInputError:
                self.refused.add(one.text)
            except DependencyError as error:
                # A machine that is busy with the other plans may not even reply in time.
                assert not _is_out_of_memory(error), one.text
                await self._ask_once()
                self._waiting.append(one)
            # In a thread, since the database holds memory for results that this loop has to fetch meanwhile.
            await asyncio.to_thread(self._watch)

    async def _ask(self) -> None:
        while True:
            await self._ask_once()

    async def _ask_once(self) -> None:
        for query, expected in _HONEST.items():
            rows = (await self._honest.run(read_cypher(query))).rows
            self.wrong += [(query, rows)] * (rows != expected)
            self.honest += 1


def _is_out_of_memory(error: BaseException | None) -> bool:
    """Return whether the heap of the database was full; its limit for one transaction is no fault."""
    while error is not None:
        if isinstance(error, Neo4jError) and (error.code or "").endswith("General.OutOfMemoryError"):
            return True
        error = error.__cause__
    return False


def _check(attack: Attack) -> None:
    outcomes = (attack.refused, attack.ended, attack.answered)
    assert sum(map(len, outcomes)) == len(hostile_plans())
    assert min(map(len, outcomes)) > 10
    assert attack.honest > len(_HONEST)
    assert attack.wrong == []


async def test_a_graph_file_outlasts_hostile_plans(tmp_path: Path) -> None:
    write_graph_file(crowded_graph(), tmp_path / "crowd.sqlite")
    attacked, honest = SqliteGraphStore(tmp_path / "crowd.sqlite", _FILE_LIMIT_S), SqliteGraphStore(
        tmp_path / "crowd.sqlite", HANGS_AFTER_S
    )  # fmt: skip
    attack = Attack(attacked, honest)

    await attack.run()

    _check(attack)
    await attacked.close()
    await honest.close()


@pytest.fixture
def database() -> Iterator[neo4j.Driver]:
    neo4j_server.require_empty()
    auth = ("neo4j", neo4j_server.PASSWORD)
    with neo4j.GraphDatabase.driver(neo4j_server.URL, auth=auth) as driver:
        _fill(driver, crowded_graph())
        yield driver
        driver.execute_query("MATCH (n) DETACH DELETE n")


@neo4j_server.needs_neo4j
async def test_neo4j_outlasts_hostile_plans(database: neo4j.Driver, tmp_path: Path) -> None:
    write_graph_file(crowded_graph(), tmp_path / "crowd.sqlite")
    file = SqliteGraphStore(tmp_path / "crowd.sqlite", _FILE_LIMIT_S)
    attacked = Neo4jGraphStore(neo4j_server.settings(seconds_allowed=_DATABASE_LIMIT_S))
    honest = Neo4jGraphStore(neo4j_server.settings())
    await honest.schema()
    heap: list[float] = []
    attack = Attack(attacked, honest, lambda: heap.append(_heap_after_collection(database)))

    await attack.run()

    _check(attack)
    assert max(heap) < _FULL
    # A transaction that has ended does not always free its thread.
    wait_until(lambda: not database.execute_query(_OTHERS).records, "a hostile query still runs")
    schemas = [await store.schema() for store in (file, attacked)]
    assert {kind: one.count for kind, one in schemas[0].kinds.items()} == {
        kind: one.count for kind, one in schemas[1].kinds.items()
    }
    for store in (file, attacked, honest):
        await store.close()


def _heap_after_collection(driver: neo4j.Driver) -> float:
    """Return the share of the heap that was in use after the last collection of each of its parts."""
    pools = driver.execute_query(_POOLS).records
    used = sum(pool["after"]["used"] for pool in pools if pool["after"] is not None)
    return float(used / driver.execute_query(_HEAP).records[0]["most"])


def _fill(driver: neo4j.Driver, graph: PropertyGraph) -> None:
    for kind in ("Person", "Film"):
        rows = [{**node.properties, "id": node.id} for node in graph.nodes if kind in node.kinds]
        driver.execute_query(f"UNWIND $rows AS row CREATE (n:{quote(kind)}:Crowd) SET n = row", rows=rows)
    driver.execute_query("CREATE INDEX crowd IF NOT EXISTS FOR (n:Crowd) ON (n.id)")
    driver.execute_query("CALL db.awaitIndexes(60)")
    links = [[link.source, link.target] for link in graph.relationships]
    driver.execute_query(
        "UNWIND $links AS link MATCH (a:Crowd {id: link[0]}) MATCH (b:Crowd {id: link[1]}) CREATE (a)-[:ACTED_IN]->(b)",
        links=links,
    )
    driver.execute_query("DROP INDEX crowd")
    driver.execute_query("MATCH (n:Crowd) REMOVE n:Crowd, n.id")
