"""Random query plans return what they would return if the database did not hold the hidden properties."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace

import neo4j
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.plans import PlanRequest
from graph.neo4j.store import Neo4jGraphStore
from graph.plan.schema import GraphSchema
from services.retriever.execution.plans import run_plan
from shared.errors import InvalidInputError, PlanLimitError
from tests import neo4j_server
from tests.support.plan_results import comparable
from tests.support.property_graphs import Neo4jCopy, fill_neo4j, messy_graph
from tests.support.random_plans import random_plans
from tests.support.reference_evaluator import PropertyGraph, evaluate

pytestmark = neo4j_server.needs_neo4j

_HIDDEN = {("A", "value"), ("A", "name"), ("", "size"), ("R", "value"), ("S", "since")}
_SECRET = "078-05-1120"


@dataclass(frozen=True)
class Hiding:
    """Hold a database in which every hidden value is secret, a store that hides them, and the graph without them."""

    copy: Neo4jCopy
    store: Neo4jGraphStore
    visible: PropertyGraph
    schema: GraphSchema
    runner: asyncio.Runner


@pytest.fixture(scope="module")
def hiding() -> Iterator[Hiding]:
    neo4j_server.require_empty()
    hide = ",".join(f"{owner}.{key}" if owner else key for owner, key in sorted(_HIDDEN))
    with asyncio.Runner() as runner:
        try:
            with neo4j.GraphDatabase.driver(neo4j_server.URL, auth=("neo4j", neo4j_server.PASSWORD)) as driver:
                copy = fill_neo4j(_with_hidden(messy_graph(), _SECRET), driver)
            schema = _schema(runner, Neo4jGraphStore(neo4j_server.settings()))
            store = Neo4jGraphStore(neo4j_server.settings(hide=hide))
            yield Hiding(copy, store, _with_hidden(copy.graph, None), schema, runner)
            runner.run(store.close())
        finally:
            neo4j_server.ask("MATCH (n) DETACH DELETE n")


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_plan_depends_on_hidden_values(hiding: Hiding, data: st.DataObject) -> None:
    plan = data.draw(random_plans(hiding.copy.graph, hiding.schema))
    try:
        response = hiding.runner.run(run_plan(hiding.store, PlanRequest(plan=plan, max_rows=1_000)))
        result = hiding.runner.run(hiding.store.run(plan, 1_000))
    except (InvalidInputError, PlanLimitError):
        return  # the checks reject the plan, or it has too many rows

    assert comparable(result.rows, hiding.copy.node_ids) == comparable(evaluate(plan, hiding.visible).rows)
    outputs = (response.rows, response.evidence, response.warnings)
    assert _SECRET not in repr(outputs) or _SECRET in repr(plan)


def _with_hidden(graph: PropertyGraph, value: str | None) -> PropertyGraph:
    """Set each hidden property to a value, or remove it."""

    def changed(owners: frozenset[str], properties: dict[str, object]) -> dict[str, object]:
        keys = {key for owner, key in _HIDDEN if not owner or owner in owners}
        kept = {key: old for key, old in properties.items() if key not in keys}
        return kept if value is None else kept | dict.fromkeys(keys & properties.keys(), value)

    return PropertyGraph(
        tuple(replace(node, properties=changed(node.kinds, dict(node.properties))) for node in graph.nodes),
        tuple(
            replace(one, properties=changed(frozenset({one.type}), dict(one.properties))) for one in graph.relationships
        ),
    )


def _schema(runner: asyncio.Runner, store: Neo4jGraphStore) -> GraphSchema:
    """Read the schema with the hidden properties, so that plans read these too."""
    try:
        return runner.run(store.schema())
    finally:
        runner.run(store.close())
