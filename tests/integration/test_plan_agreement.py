"""Random query plans give the same rows on SQLite, on Neo4j, and with the reference evaluator."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import neo4j
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.errors import InvalidInputError
from shared.graph.neo4j.store import Neo4jGraphStore
from shared.graph.sqlite.store import SqliteGraphStore
from shared.graph.store import GraphStore
from shared.plan.algebra import (
    Arithmetic,
    Call,
    Column,
    Comparison,
    Constant,
    Filter,
    Function,
    IsMissing,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
)
from shared.plan.result import PlanLimitError
from shared.request_context import request_time_of
from tests import neo4j_server
from tests.support.plan_results import comparable
from tests.support.property_graphs import GRAPHS, Neo4jCopy, fill_neo4j, write_graph_file
from tests.support.random_plans import random_plans
from tests.support.reference_evaluator import evaluate

pytestmark = neo4j_server.needs_neo4j

_MAX_ROWS = 3_000
_PLANS_PER_GRAPH = 100


@dataclass(frozen=True)
class Stores:
    """Hold one graph in both stores, and the event loop in which they run."""

    copy: Neo4jCopy
    sqlite: SqliteGraphStore
    neo4j: Neo4jGraphStore
    runner: asyncio.Runner

    def rows(self, store: GraphStore, plan: Plan) -> list[tuple[object, ...]]:
        result = self.runner.run(store.run(plan, _MAX_ROWS))
        return comparable(result.rows, self.copy.node_ids if store is self.neo4j else None)


@pytest.fixture(scope="module", params=GRAPHS)
def stores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    neo4j_server.clear()
    [record] = neo4j_server.ask("MATCH (n) RETURN count(n) AS others")
    assert record["others"] == 0, "the database has nodes of others; use an empty one"
    file: Path = tmp_path_factory.mktemp("graph") / "graph.sqlite"
    with asyncio.Runner() as runner:
        try:
            with neo4j.GraphDatabase.driver(neo4j_server.URL or "", auth=("neo4j", neo4j_server.PASSWORD)) as driver:
                copy = fill_neo4j(GRAPHS[request.param](), driver)
            write_graph_file(copy.graph, file)
            both = Stores(copy, SqliteGraphStore(file), Neo4jGraphStore(neo4j_server.settings()), runner)
            yield both
            runner.run(both.sqlite.close())
            runner.run(both.neo4j.close())
        finally:
            neo4j_server.ask("MATCH (n) DETACH DELETE n")


@settings(max_examples=_PLANS_PER_GRAPH, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_both_stores_and_the_reference_agree(stores: Stores, data: st.DataObject) -> None:
    schema = stores.runner.run(stores.sqlite.schema())
    plan = data.draw(random_plans(stores.copy.graph, schema))
    try:
        in_sqlite = stores.rows(stores.sqlite, plan)
    except (InvalidInputError, PlanLimitError):
        return  # the checks reject the plan, or it has too many rows
    expected = evaluate(plan, stores.copy.graph)

    assert in_sqlite == comparable(expected.rows)
    assert stores.rows(stores.neo4j, plan) == comparable(expected.rows)


@pytest.mark.parametrize("stores", ["messy"], indirect=True)
def test_a_filter_does_not_compute_with_rows_that_an_earlier_one_removes(stores: Stores) -> None:
    odd_key, tags = Property("n", "a `key\\u0060 ]} $p0 '\"", as_stored=True), Property("n", "tags", as_stored=True)
    removes_all = Filter(Comparison("=", Constant("x'); DROP"), odd_key))
    overflows = Filter(IsMissing(Arithmetic("*", tags, tags)))
    match = Match((NodePattern("n"),))
    with pytest.raises(PlanLimitError):
        stores.rows(stores.neo4j, Plan((match, overflows)))

    for store in (stores.sqlite, stores.neo4j):
        assert stores.rows(store, Plan((match, removes_all, overflows))) == []


@pytest.mark.parametrize("day", ["2020-03-29", "2020-02-30", "0001-01-01", "9999-12-31"])
@pytest.mark.parametrize("clock", ["", " 01:30", "T01:30:05", " 01:30:05.123456789", "T25:00", "T01"])
@pytest.mark.parametrize("zone", ["", "Z", " UTC", "+02", "-0530", " +18:00", "-18:30", " PST"])
def test_text_converts_to_the_same_datetime(stores: Stores, day: str, clock: str, zone: str) -> None:
    text = Constant(day + clock + zone)
    columns = tuple(Column(one, Call(Function(one), (text,))) for one in ("to_date", "to_datetime"))
    plan = Plan((Project(columns),))
    expected = comparable(evaluate(plan, stores.copy.graph).rows)

    assert stores.rows(stores.sqlite, plan) == expected
    assert stores.rows(stores.neo4j, plan) == expected


def test_both_stores_use_the_time_of_the_request(stores: Stores) -> None:
    plan = Plan((Project((Column("now", Call(Function.NOW, ())), Column("today", Call(Function.TODAY, ())))),))
    moment = datetime(2024, 2, 29, 23, 59, 59)

    async def run(store: GraphStore) -> tuple[tuple[object, ...], ...]:
        with request_time_of(moment):
            return (await store.run(plan)).rows

    for store in (stores.sqlite, stores.neo4j):
        assert stores.runner.run(run(store)) == ((moment, moment.date()),)
