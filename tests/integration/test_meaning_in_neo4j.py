"""What the owner of a graph hides is hidden in a Neo4j database as in a graph file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.meaning_file import parse_meaning
from graph.plan.algebra import Match, NodePattern, Plan, ShortestPaths
from graph.plan.checks import check_plan
from graph.store import GraphStore
from services.retriever.scopes.described_store import described_store
from shared.errors import InvalidInputError, PlanLimitError
from tests import neo4j_server
from tests.support.both_stores import BothStores, both_stores
from tests.support.hidden_parts import HIDING, graph_with_hidden_parts, without_hidden_parts
from tests.support.plan_results import comparable
from tests.support.random_plans import random_plans
from tests.support.reference_evaluator import evaluate

pytestmark = neo4j_server.needs_neo4j


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BothStores]:
    neo4j_server.require_empty()
    file: Path = tmp_path_factory.mktemp("graph") / "graph.sqlite"
    with both_stores(graph_with_hidden_parts(), file, neo4j_server.settings()) as loaded:
        yield loaded


@pytest.fixture(scope="module")
def hiding(stores: BothStores) -> GraphStore:
    return described_store(stores.neo4j, parse_meaning(HIDING))


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_plans_return_what_they_return_without_what_is_hidden(
    stores: BothStores, hiding: GraphStore, data: st.DataObject
) -> None:
    schema = stores.runner.run(hiding.schema())
    plan = data.draw(random_plans(without_hidden_parts(stores.copy.graph), schema))
    try:
        check_plan(plan, schema)
        expected = evaluate(plan, without_hidden_parts(stores.copy.graph))
        found = stores.runner.run(hiding.run(plan, 3_000))
    except (InvalidInputError, OverflowError, PlanLimitError):
        return
    assert comparable(found.rows, stores.copy.node_ids) == comparable(expected.rows)


def test_paths_neither_follow_nor_count_what_is_hidden(stores: BothStores, hiding: GraphStore) -> None:
    plan = Plan((Match((NodePattern("a"), NodePattern("b"))), ShortestPaths("a", "b", limit=10)))
    everything = evaluate(plan, stores.copy.graph)
    expected = evaluate(plan, without_hidden_parts(stores.copy.graph))
    found = stores.runner.run(hiding.run(plan, 3_000))

    assert 0 < len(expected.rows) < len(everything.rows)
    assert comparable(found.rows, stores.copy.node_ids) == comparable(expected.rows)


def test_names_schema_and_steps_leave_out_what_is_hidden(stores: BothStores, hiding: GraphStore) -> None:
    run = stores.runner.run
    schema = run(hiding.schema())

    assert schema.kinds.keys() - {""} == {"Document", "Person"}
    assert "pages" not in schema.kinds["Document"].properties
    assert run(hiding.relations()) == ("REFUTES", "WROTE")
    assert run(hiding.entities_named(["lind ltd"])) == [[]]
    [[ada]] = run(hiding.entities_named(["ada lind"]))
    assert run(hiding.steps_after([(ada.entity, ())])) == [{"WROTE"}]
