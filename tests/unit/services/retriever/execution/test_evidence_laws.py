"""Test that the evidence for any plan's result states only facts of the graph."""

import asyncio
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Constant,
    CountMatches,
    Expression,
    Filter,
    Group,
    IsMissing,
    Match,
    NodePattern,
    Not,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Slice,
    SortKey,
    Step,
    Union,
    Variable,
)
from graph.plan.naming import readable_value
from graph.plan.result import PlanResult
from graph.plan.schema import GraphSchema
from graph.plan.value_text import value_text
from graph.plan.values import NodeRef, identity
from graph.sqlite.store import SqliteGraphStore
from services.retriever.execution import emptiness, evidence, support, tracing
from services.retriever.execution.absence import absence_sentence, noun_of
from services.retriever.execution.counts import Count, Counted, described_count
from services.retriever.execution.evidence import CollectedEvidence, collect_evidence
from services.retriever.execution.evidence_text import missing_sentence
from services.retriever.execution.support import MAX_FACTS
from shared.errors import InvalidInputError
from shared.triple import Triple
from tests.support.property_graphs import GRAPHS, write_graph_file
from tests.support.random_plans import random_plans, random_unions
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

    def rows(self, plan: Plan) -> tuple[tuple[Any, ...], ...]:
        return self.runner.run(self.store.run(plan, 3_000)).rows

    def facts_by_row(self, plan: Plan) -> dict[tuple[Hashable, ...], tuple[set[Triple], bool]]:
        """Return the facts of each row, and whether they are all of its facts."""
        result = self.runner.run(self.store.run(plan, 3_000))
        evidence = self.runner.run(collect_evidence(self.store, plan, result, 3_000))
        found = {}
        for row, of_row in zip(result.rows, evidence.of_rows, strict=True):
            items = [evidence.items[index] for index in of_row]
            facts = {fact for item in items for fact in item.triples if fact.relation != "kind"}
            is_complete = not evidence.warnings and not any(item.omitted for item in items)
            found[tuple(map(identity, row))] = facts, is_complete
        return found

    def values_like(self, key: Hashable) -> list[Any]:
        """Return the values of properties that are equal to a value in a plan."""
        return [v for node in self.graph.nodes for v in node.properties.values() if identity(v) == key]

    def is_absent(self, match: Match, row: Mapping[str, Any]) -> bool:
        """Return whether a pattern does not match for the nodes of a row; rows with other values are not tested."""
        if not all(isinstance(value, NodeRef) for value in row.values()):
            return True
        nodes = tuple(Match((NodePattern(name, ids=(value.id,)),)) for name, value in row.items())
        return not self.rows(Plan((*nodes, replace(match, optional=False), Slice(1))))

    def is_noun_for(self, noun: str, names: Sequence[str]) -> bool:
        """Return whether each name belongs to a node that the noun describes."""
        kinds = [
            {noun_of([kind]) for node in self.graph.nodes if self.names[node.id] == name for kind in node.kinds}
            for name in names
        ]
        return noun == "entity" or all(noun in one for one in kinds)

    def properties_of(self, owner: str) -> list[Mapping[str, Any]]:
        """Return the properties of the nodes and relationships with a name."""
        nodes = [node.properties for node in self.graph.nodes if self.names[node.id] == owner]
        links = [
            link.properties
            for link in self.graph.relationships
            if f"{self.names[link.source]} {link.type} {self.names[link.target]}" == owner
        ]
        return nodes + links

    def has_property(self, subject: str, key: str, text: str) -> bool:
        values = [one[key] for one in self.properties_of(subject) if key in one]
        return text in map(value_text, values) or (key == "kind" and self.is_noun_for(noun_of([text]), [subject]))


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


@dataclass(frozen=True)
class Claims:
    """Hold what the texts of evidence claim, beside the facts that they list."""

    absences: list[tuple[Match, Mapping[str, Any]]] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)
    counts: list[tuple[Count, bool]] = field(default_factory=list)

    def record(self, patch: pytest.MonkeyPatch) -> None:
        """Record the claims of all texts that are written from now on."""

        def absent(match: Match, row: Mapping[str, Any], schema: GraphSchema) -> str | None:
            self.absences.append((match, row))
            return absence_sentence(match, row, schema)

        def missing(key: str, owners: Sequence[str]) -> str:
            self.missing.extend((key, owner) for owner in owners)
            return missing_sentence(key, owners)

        def counted(stage: Any, aggregate: Any, number: int, witnesses: Counted, column: str | None) -> Count:
            count = described_count(stage, aggregate, number, witnesses, column)
            self.counts.append((count, witnesses.is_complete))
            return count

        async def without_labels(store: SqliteGraphStore, nodes: Iterable[NodeRef]) -> dict[str, str]:
            return {}  # the claims are compared with the graph by the names of nodes

        patch.setattr(evidence, "namesake_labels", without_labels)
        patch.setattr(tracing, "absence_sentence", absent)
        patch.setattr(emptiness, "absence_sentence", absent)
        patch.setattr(support, "missing_sentence", missing)
        patch.setattr(tracing, "described_count", counted)


@pytest.fixture
def claims(monkeypatch: pytest.MonkeyPatch) -> Claims:
    found = Claims()
    found.record(monkeypatch)
    return found


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_evidence_states_only_facts_of_the_graph(graph: Graph, claims: Claims, data: st.DataObject) -> None:
    for found in (claims.absences, claims.missing, claims.counts):
        found.clear()
    try:
        result, evidence = graph.evidence(data.draw(random_plans(graph.graph, graph.schema)))
    except InvalidInputError:
        return  # the checks reject the plan, or it has too many rows

    assert len(evidence.of_rows) == len(result.rows)
    of_rows = [index for of_row in evidence.of_rows for index in of_row]
    assert sorted(of_rows) == (list(range(len(evidence.items))) if result.rows else [])
    assert result.rows or len(evidence.items) == 1
    assert len(evidence.items) <= _MAX_ITEMS
    for item in evidence.items:
        assert item.text
        assert "None" not in item.text
        assert len(item.triples) <= MAX_FACTS
        for fact in item.triples:
            assert graph.has_relationship(fact.subject, fact.relation, fact.object) or graph.has_property(
                fact.subject, fact.relation, fact.object
            ), fact
    for match, row in claims.absences:
        assert graph.is_absent(match, row), (match, row)
    for key, owner in claims.missing:
        assert any(key not in properties for properties in graph.properties_of(owner)), (key, owner)
    for count, is_complete in claims.counts:
        assert not count.names or not is_complete or len(count.names) == count.number, count
        assert not count.names or graph.is_noun_for(count.noun, count.names), count


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_rows_of_a_union_have_the_evidence_of_the_plans_that_return_them(graph: Graph, data: st.DataObject) -> None:
    plan = data.draw(random_unions(graph.graph, graph.schema))
    [union] = plan.steps
    assert isinstance(union, Union)
    try:
        together = graph.facts_by_row(plan)
        apart = [graph.facts_by_row(one) for one in union.plans]
    except InvalidInputError:
        return

    for row, (facts, is_complete) in together.items():
        expected = [part[row] for part in apart if row in part]
        if is_complete and all(is_whole for _, is_whole in expected):
            assert facts == set[Triple]().union(*(one for one, _ in expected))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_tie_is_reported_if_and_only_if_a_limit_separates_equal_rows(graph: Graph, data: st.DataObject) -> None:
    [order, *between], cut = data.draw(sorted_steps(graph.schema)), Slice(data.draw(st.integers(1, 6)))
    assert isinstance(order, Order)
    cut = replace(cut, offset=data.draw(st.integers(0, 2)))
    kind = data.draw(st.sampled_from(sorted(filter(None, graph.schema.kinds))))
    start = Match((NodePattern("n", (kind,)),))
    keys = Project(tuple(Column(f"k{place}", key.value) for place, key in enumerate(order.keys)))
    try:
        values = graph.rows(Plan((start, order, *(step for step in between if isinstance(step, Filter)), keys)))
        _, evidence = graph.evidence(Plan((start, order, *between, cut)))
    except InvalidInputError:
        return

    last = cut.offset + cut.limit
    compared = [list(map(identity, row)) for row in values[last - 1 : last + 1]]
    is_tie = len(compared) == 2 and compared[0] == compared[1]
    assert [warning.kind for warning in evidence.warnings] == ["tie"] * is_tie


@st.composite
def sorted_steps(draw: st.DrawFn, schema: GraphSchema) -> list[Step]:
    """Draw a sort by properties, and steps that keep its order."""
    names = {kind.name_property for kind in schema.kinds.values()} | {"name"}
    keys = sorted({key for kind in schema.kinds.values() for key in kind.properties} - names)
    number = CountMatches(Match((NodePattern("n"), NodePattern("m")), (RelationshipPattern("n", "m"),)))
    values: list[Expression] = [*(Property("n", key) for key in keys), number]
    drawn = draw(st.lists(st.sampled_from(values), min_size=1, max_size=2))
    order = Order(tuple(SortKey(value, draw(st.booleans()), draw(st.booleans())) for value in drawn))
    is_known = Filter(Not(IsMissing(draw(st.sampled_from(values)))))
    between: list[Step] = [is_known, Project((Column("n", Variable("n")),)), Project((Column("x", Constant(1)),))]
    return [order, *between[: draw(st.integers(0, 2))]]


@pytest.mark.parametrize("graph", ["messy"], indirect=True)
def test_true_and_1_have_evidence_of_their_own(graph: Graph) -> None:
    value = Property("n", "value")
    plan = Plan((Match((NodePattern("n"),)), Group((Column("x", value),), (Aggregate("c", AggregateFunction.COUNT),))))

    for row, (facts, _) in graph.facts_by_row(plan).items():
        stated = {fact.object for fact in facts if fact.relation == "value"}
        assert stated <= {value_text(row_value) for row_value in graph.values_like(row[0])}


def _name(node: Node, schema: GraphSchema) -> str:
    keys = [schema.kinds[kind].name_property for kind in sorted(node.kinds)]
    found = next((node.properties[key] for key in keys if key and key in node.properties), None)
    if found is not None and value_text(found).strip():
        return " ".join(value_text(found).split())
    return readable_value(node.properties) or str(node.id)
