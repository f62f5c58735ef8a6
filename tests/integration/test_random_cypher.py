"""Random Cypher queries give the rows of Neo4j when they run as plans on SQLite and on Neo4j, or are refused."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import neo4j
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from shared.graph.neo4j.store import Neo4jGraphStore
from shared.graph.sqlite.store import SqliteGraphStore
from tests import neo4j_server
from tests.support.cypher_agreement import Outcome, Stores, compare
from tests.support.property_graphs import GRAPHS, fill_neo4j, write_graph_file
from tests.support.random_cypher import random_cypher
from tests.support.seeds import SEED

pytestmark = neo4j_server.needs_neo4j

_QUERIES_PER_GRAPH = 100
_LEAST_COMPARED = 50


@pytest.fixture(scope="module", params=GRAPHS)
def stores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    neo4j_server.clear()
    [record] = neo4j_server.ask("MATCH (n) RETURN count(n) AS others")
    assert record["others"] == 0, "the database has nodes of others; use an empty one"
    file: Path = tmp_path_factory.mktemp("graph") / "graph.sqlite"
    driver = neo4j.GraphDatabase.driver(neo4j_server.URL or "", auth=("neo4j", neo4j_server.PASSWORD))
    with asyncio.Runner() as runner, driver:
        try:
            copy = fill_neo4j(GRAPHS[request.param](), driver)
            write_graph_file(copy.graph, file)
            both = SqliteGraphStore(file), Neo4jGraphStore(neo4j_server.settings())
            yield Stores(copy, *both, driver, runner)
            for store in both:
                runner.run(store.close())
        finally:
            neo4j_server.ask("MATCH (n) DETACH DELETE n")


def test_plans_of_random_queries_return_the_rows_of_the_queries(
    stores: Stores, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = stores.runner.run(stores.sqlite.schema())
    outcomes: Counter[Outcome] = Counter()

    @seed(SEED)
    @settings(
        max_examples=_QUERIES_PER_GRAPH,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def run(data: st.DataObject) -> None:
        query = data.draw(random_cypher(stores.copy.graph, schema))
        found = compare(query, stores)
        outcomes[found.outcome] += 1
        assert found.outcome is not Outcome.DIFFERENT, found.detail

    run()
    with capsys.disabled():
        print(f"\n{', '.join(f'{count} {outcome}' for outcome, count in outcomes.items())}")
    assert outcomes[Outcome.EQUAL] >= _LEAST_COMPARED
