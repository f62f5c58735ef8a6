"""Random query plans give the same rows on SQLite, on Neo4j, and with the reference evaluator."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.plan.algebra import (
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
from graph.store import GraphStore
from shared.errors import InvalidInputError, PlanLimitError
from shared.request_context import request_time_of
from tests import neo4j_server
from tests.support.both_stores import BothStores, both_stores
from tests.support.plan_results import comparable
from tests.support.property_graphs import GRAPHS
from tests.support.random_plans import random_plans
from tests.support.reference_evaluator import evaluate

pytestmark = neo4j_server.needs_neo4j

_PLANS_PER_GRAPH = 30


@pytest.fixture(scope="module", params=GRAPHS)
def stores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BothStores]:
    neo4j_server.require_empty()
    file: Path = tmp_path_factory.mktemp("graph") / "graph.sqlite"
    with both_stores(GRAPHS[request.param](), file, neo4j_server.settings()) as loaded:
        yield loaded


@settings(max_examples=_PLANS_PER_GRAPH, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_both_stores_and_the_reference_agree(stores: BothStores, data: st.DataObject) -> None:
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
def test_a_filter_does_not_compute_with_rows_that_an_earlier_one_removes(stores: BothStores) -> None:
    odd_key, tags = Property("n", "a `key\\u0060 ]} $p0 '\"", as_stored=True), Property("n", "tags", as_stored=True)
    removes_all = Filter(Comparison("=", Constant("x'); DROP"), odd_key))
    overflows = Filter(IsMissing(Arithmetic("*", tags, tags)))
    match = Match((NodePattern("n"),))
    with pytest.raises(PlanLimitError):
        stores.rows(stores.neo4j, Plan((match, overflows)))

    for store in (stores.sqlite, stores.neo4j):
        assert stores.rows(store, Plan((match, removes_all, overflows))) == []


@pytest.mark.parametrize("stores", ["films"], indirect=True)
@pytest.mark.parametrize("day", ["2020-03-29", "2020-02-30", "0001-01-01", "9999-12-31"])
@pytest.mark.parametrize("clock", ["", " 01:30", "T01:30:05", " 01:30:05.123456789", "T25:00", "T01"])
@pytest.mark.parametrize("zone", ["", "Z", " UTC", "+02", "-0530", " +18:00", "-18:30", " PST"])
def test_text_converts_to_the_same_datetime(stores: BothStores, day: str, clock: str, zone: str) -> None:
    text = Constant(day + clock + zone)
    columns = tuple(Column(one, Call(Function(one), (text,))) for one in ("to_date", "to_datetime"))
    plan = Plan((Project(columns),))
    expected = comparable(evaluate(plan, stores.copy.graph).rows)

    assert stores.rows(stores.sqlite, plan) == expected
    assert stores.rows(stores.neo4j, plan) == expected


@pytest.mark.parametrize("stores", ["films"], indirect=True)
def test_both_stores_use_the_time_of_the_request(stores: BothStores) -> None:
    plan = Plan((Project((Column("now", Call(Function.NOW, ())), Column("today", Call(Function.TODAY, ())))),))
    moment = datetime(2024, 2, 29, 23, 59, 59)

    async def run(store: GraphStore) -> tuple[tuple[object, ...], ...]:
        with request_time_of(moment):
            return (await store.run(plan)).rows

    for store in (stores.sqlite, stores.neo4j):
        assert stores.runner.run(run(store)) == ((moment, moment.date()),)
