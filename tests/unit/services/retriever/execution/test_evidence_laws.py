"""Test that the evidence for any plan's result states only facts of the graph."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.retriever.execution.evidence import MAX_FACTS, CollectedEvidence, collect_evidence
from shared.errors import InvalidInputError
from shared.graph.sqlite.store import SqliteGraphStore
from shared.plan.algebra import Plan
from shared.plan.result import PlanResult
from shared.plan.schema import GraphSchema
from shared.verbalise.values import value_text
from tests.support.property_graphs import GRAPHS, write_graph_file
from tests.support.random_plans import random_plans
from tests.support.reference_evaluator import Node, PropertyGraph

_MAX_ITEMS = 10


@dataclass(frozen=True)
class Graph:
    """Hold a graph, its store, and its facts in the form in which evidence states them."""

    graph: PropertyGraph
    store: SqliteGraphStore
    schema: GraphSchema
    runner: asyncio.Runner
    names: dict[int, str]

    def evidence(self, plan: Plan) -> tuple[PlanResult, CollectedEvidence]:
        result = self.runner.run(self.store.run(plan, 3_000))
        return result, self.runner.run(collect_evidence(self.store, plan, result, _MAX_ITEMS))

    def has_relationship(self, subject: str, relation: str, object_: str) -> bool:
        return any(
            (self.names[link.source], link.type, self.names[link.target]) == (subject, relation, object_)
            for link in self.graph.relationships
        )

    def has_property(self, subject: str, key: str) -> bool:
        nodes = [node.properties for node in self.graph.nodes if self.names[node.id] == subject]
        links = [
            link.properties
            for link in self.graph.relationships
            if f"{self.names[link.source]} {link.type} {self.names[link.target]}" == subject
        ]
        return any(key in properties for properties in nodes + links) or (key == "kind" and bool(nodes))


@pytest.fixture(scope="module", params=GRAPHS)
def graph(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    made: PropertyGraph = GRAPHS[request.param]()
    file: Path = tmp_path_factory.mktemp("graph") / "graph.sqlite"
    write_graph_file(made, file)
    store = SqliteGraphStore(file)
    with asyncio.Runner() as runner:
        schema = runner.run(store.schema())
        yield Graph(made, store, schema, runner, {node.id: _name(node, schema) for node in made.nodes})
        runner.run(store.close())


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_evidence_states_only_facts_of_the_graph(graph: Graph, data: st.DataObject) -> None:
    try:
        result, evidence = graph.evidence(data.draw(random_plans(graph.graph, graph.schema)))
    except InvalidInputError:
        return  # the checks reject the plan, or it has too many rows

    assert len(evidence.of_rows) == len(result.rows)
    assert sorted(index for of_row in evidence.of_rows for index in of_row) == list(range(len(evidence.items)))
    assert len(evidence.items) <= _MAX_ITEMS
    for item in evidence.items:
        assert item.text
        assert len(item.triples) <= MAX_FACTS
        for fact in item.triples:
            assert graph.has_relationship(fact.subject, fact.relation, fact.object) or graph.has_property(
                fact.subject, fact.relation
            ), fact


def _name(node: Node, schema: GraphSchema) -> str:
    keys = [schema.kinds[kind].name_property for kind in sorted(node.kinds)]
    found = next((node.properties[key] for key in keys if key and key in node.properties), None)
    return " ".join(value_text(found).split()) if found is not None and value_text(found).strip() else str(node.id)
