"""On a real Neo4j, the guard lets harmless queries through, with the rows of the query itself, and nothing else."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.retriever.strategies.guard import checked_plan, read_query
from shared.errors import InvalidInputError
from tests import neo4j_server
from tests.support.both_stores import BothStores, both_stores
from tests.support.guard_queries import HARMLESS, HOSTILE
from tests.support.plan_results import comparable
from tests.support.property_graphs import film_graph

pytestmark = neo4j_server.needs_neo4j


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BothStores]:
    neo4j_server.require_empty()
    file = Path(tmp_path_factory.mktemp("graph")) / "films.sqlite"
    with both_stores(film_graph(), file, neo4j_server.settings()) as opened:
        yield opened


@pytest.mark.parametrize("query", HARMLESS)
def test_a_harmless_query_gives_its_own_rows_on_both_stores(stores: BothStores, query: str) -> None:
    records = [tuple(record.values()) for record in neo4j_server.ask(query.rstrip(";"))]
    expected = _ordered(query, comparable(records))

    for store in (stores.sqlite, stores.neo4j):
        plan = checked_plan(read_query(query), stores.runner.run(store.schema()))
        assert _ordered(query, stores.rows(store, plan)) == expected


def test_no_hostile_query_is_let_through_with_the_schema_of_the_database(stores: BothStores) -> None:
    schema = stores.runner.run(stores.neo4j.schema())
    let_through = []
    for query in HOSTILE:
        try:
            checked_plan(read_query(query), schema)
        except InvalidInputError:
            continue
        let_through.append(query)

    assert let_through == []


def _ordered(query: str, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the rows in their order if the query has one, and otherwise in an order that does not matter."""
    return rows if "ORDER BY" in query else sorted(rows, key=repr)
