"""Names mean one node in Neo4j as on a graph file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from graph.plan.algebra import Plan
from services.retriever.plans.names.meant_in_plans import with_meant_nodes_only
from tests import neo4j_server
from tests.support.both_stores import BothStores, both_stores
from tests.support.namesakes import PLANS, about_the_younger, namesakes

pytestmark = neo4j_server.needs_neo4j


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BothStores]:
    neo4j_server.require_empty()
    file = tmp_path_factory.mktemp("graph") / Path("people.sqlite")
    with both_stores(namesakes(), file, neo4j_server.settings()) as both:
        yield both


@pytest.mark.parametrize(("plan", "without", "born"), PLANS)
def test_a_name_stands_for_the_meant_node_alone(
    stores: BothStores, plan: Plan, without: list[int], born: list[int]
) -> None:
    for store in (stores.sqlite, stores.neo4j):
        asked = stores.runner.run(about_the_younger(store))
        kept = with_meant_nodes_only(plan, asked, frozenset({"name"}))

        assert sorted(row[0] for row in stores.runner.run(store.run(plan)).rows) == without
        assert sorted(row[0] for row in stores.runner.run(store.run(kept)).rows) == born
