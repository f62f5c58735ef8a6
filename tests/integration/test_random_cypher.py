"""Random Cypher queries give the rows of Neo4j when they run as plans on SQLite and on Neo4j, or are refused."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests import neo4j_server
from tests.support.both_stores import BothStores, both_stores
from tests.support.cypher_agreement import Outcome, compare
from tests.support.property_graphs import GRAPHS
from tests.support.random_cypher import random_cypher
from tests.support.seeds import SEED

pytestmark = neo4j_server.needs_neo4j

_QUERIES_PER_GRAPH = 30
_LEAST_COMPARED = 15


@pytest.fixture(scope="module", params=GRAPHS)
def stores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BothStores]:
    neo4j_server.require_empty()
    file: Path = tmp_path_factory.mktemp("graph") / "graph.sqlite"
    with both_stores(GRAPHS[request.param](), file, neo4j_server.settings()) as loaded:
        yield loaded


def test_plans_of_random_queries_return_the_rows_of_the_queries(
    stores: BothStores, capsys: pytest.CaptureFixture[str]
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
