"""A copy of a property graph in Neo4j gives the same results as its graph file."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from graph.neo4j.store import Neo4jGraphStore
from graph.plan.algebra import Column, Match, NodePattern, Plan, Project, Variable
from graph.plan.schema_json import schema_as_json
from graph.plan.values import NodeRef
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore, WalkRule
from ingestion import neo4j_rows
from ingestion.neo4j import copy_to_neo4j
from ingestion.neo4j_snapshot import import_database
from shared.errors import InvalidInputError, PlanLimitError
from tests import neo4j_server
from tests.neo4j_server import ask, clear, needs_neo4j
from tests.support.plan_results import comparable
from tests.support.property_graphs import GRAPHS, ODD_KEY, ODD_KIND, write_graph_file
from tests.support.random_plans import random_plans
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship

pytestmark = needs_neo4j

_MAX_ROWS = 3_000
_PLANS_PER_GRAPH = 30


@dataclass(frozen=True)
class Stores:
    """Hold a graph, its file, its copy, and the event loop in which both stores run."""

    graph: PropertyGraph
    file: SqliteGraphStore
    copy: Neo4jGraphStore
    runner: asyncio.Runner
    path: Path

    def rows(self, store: GraphStore, plan: Plan) -> list[tuple[object, ...]]:
        result = self.runner.run(store.run(plan, _MAX_ROWS))
        return comparable(result.rows, self.node_ids() if store is self.copy else None)

    def node_ids(self) -> dict[str, int]:
        rows = ask("MATCH (n) RETURN elementId(n) AS id, toInteger(n.kgqa_key) AS key")
        return {row["id"]: row["key"] for row in rows}


@pytest.fixture(scope="module", params=GRAPHS)
def stores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    clear()
    graph = GRAPHS[request.param]()
    path = tmp_path_factory.mktemp("graph") / "graph.sqlite"
    write_graph_file(graph, path)
    assert copy_to_neo4j(path, neo4j_server.settings(), lambda done, total: None)
    with asyncio.Runner() as runner:
        both = Stores(graph, SqliteGraphStore(path), Neo4jGraphStore(neo4j_server.settings()), runner, path)
        yield both
        runner.run(both.file.close())
        runner.run(both.copy.close())
    clear()


@hypothesis_settings(max_examples=_PLANS_PER_GRAPH, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_random_plans_agree(stores: Stores, data: st.DataObject) -> None:
    plan = data.draw(random_plans(stores.graph, stores.runner.run(stores.file.schema())))
    try:
        expected = stores.rows(stores.file, plan)
    except (InvalidInputError, PlanLimitError):
        return  # the checks reject the plan, or it has too many rows

    assert stores.rows(stores.copy, plan) == expected


def test_nodes_have_the_same_names_and_kinds(stores: Stores) -> None:
    plan = Plan((Match((NodePattern("n"),)), Project((Column("n", Variable("n")),))))

    def shown(store: GraphStore) -> list[tuple[str, tuple[str, ...]]]:
        nodes = [row[0] for row in stores.runner.run(store.run(plan)).rows]
        return [(node.name, tuple(sorted(node.kinds))) for node in nodes if isinstance(node, NodeRef)]

    assert len(shown(stores.file)) == len(stores.graph.nodes)
    assert shown(stores.copy) == shown(stores.file)


def test_the_schema_is_the_same(stores: Stores) -> None:
    def shown(store: GraphStore) -> dict[str, object]:
        schema = schema_as_json(stores.runner.run(store.schema()))
        kinds = {
            kind: (one["count"], {key: (p["stored"], p["count"]) for key, p in one["properties"].items()})
            for kind, one in schema["kinds"].items()
        }
        relationships = {
            type_: (one["count"], one["ends"], {key: p["stored"] for key, p in one["properties"].items()})
            for type_, one in schema["relationships"].items()
        }
        return {"kinds": kinds, "relationships": relationships}

    assert shown(stores.copy) == shown(stores.file)


def test_an_interrupted_copy_resumes_with_all_properties(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neo4j_rows, "_BATCH", 7)
    clear()
    file = tmp_path / "graph.sqlite"
    graph = GRAPHS["messy"]()
    write_graph_file(graph, file)
    calls = 0

    def interrupted(done: int, total: int) -> None:
        nonlocal calls
        calls += 1
        if calls in (2, 9):
            raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            copy_to_neo4j(file, neo4j_server.settings(), interrupted)
    assert copy_to_neo4j(file, neo4j_server.settings(), interrupted)
    assert not copy_to_neo4j(file, neo4j_server.settings(), interrupted)

    [nodes] = ask("MATCH (n) RETURN count(n) AS n, sum(size([k IN keys(n) WHERE NOT k STARTS WITH 'kgqa_'])) AS values")
    [links] = ask("MATCH ()-[r]->() RETURN count(r) AS n, sum(size(keys(r)) - 1) AS values")
    assert (nodes["n"], nodes["values"]) == (len(graph.nodes), sum(len(node.properties) for node in graph.nodes))
    counted = sum(len(link.properties) for link in graph.relationships)
    assert (links["n"], links["values"]) == (len(graph.relationships), counted)
    odd = ask("MATCH (n) WHERE $kind IN labels(n) AND n[$key] IS NOT NULL RETURN n", kind=ODD_KIND, key=ODD_KEY)
    assert len(odd) == sum(ODD_KIND in node.kinds and ODD_KEY in node.properties for node in graph.nodes)
    clear()


def test_another_graph_replaces_a_copy(tmp_path: Path) -> None:
    clear()
    for name in ("films", "shop"):
        file = tmp_path / f"{name}.sqlite"
        write_graph_file(GRAPHS[name](), file)
        assert copy_to_neo4j(file, neo4j_server.settings(), lambda done, total: None)

    [counted] = ask("MATCH (n) RETURN count(n) AS n")
    assert counted["n"] == len(GRAPHS["shop"]().nodes)
    clear()


@pytest.fixture
def captains(tmp_path: Path) -> Iterator[Path]:
    """Copy a graph of captains, whose names come from a property, to Neo4j, and return another file."""
    clear()
    file = tmp_path / "captains.sqlite"
    nodes = (
        Node(0, frozenset({"Captain"}), {"name": "Ada  Quist", "rank": "First officer"}),
        Node(1, frozenset({"Captain"}), {"name": "Bo Lind", "rank": "Pilot"}),
        Node(2, frozenset({"Ship"}), {"name": "Vega", "flag": "blue"}),
    )
    write_graph_file(PropertyGraph(nodes, (Relationship(0, "COMMANDS", 0, 2, {}),)), file)
    assert copy_to_neo4j(file, neo4j_server.settings(), lambda done, total: None)
    yield tmp_path / "snapshot.sqlite"
    clear()


@pytest.mark.parametrize(
    ("changes", "names", "found"),
    [
        ({}, ["Ada Quist", "Bo Lind", "Vega"], {"Ada Quist", "Vega"}),
        ({"hide": "Captain.name"}, ["First officer", "Pilot", "Vega"], {"Vega"}),
        ({"hide": "name", "names": "Ship.flag"}, ["First officer", "Pilot", "blue"], {"First officer", "blue"}),
        ({"names": "Captain.rank"}, ["First officer", "Pilot", "Vega"], {"First officer", "Vega"}),
        ({"hide": "Captain.rank"}, ["Ada Quist", "Bo Lind", "Vega"], {"Ada Quist", "Vega"}),
    ],
)
async def test_hidden_and_chosen_names_apply_to_copies(
    captains: Path, changes: dict[str, str], names: list[str], found: set[str]
) -> None:
    settings = neo4j_server.settings(**changes)
    store = Neo4jGraphStore(settings)
    plan = Plan((Match((NodePattern("n"),)), Project((Column("n", Variable("n")),))))
    everything = ["ada quist", "first officer", "vega", "blue"]
    try:
        rows = (await store.run(plan)).rows
        looked_up = await store.entities_named(everything)
        sampled = await store.sample_entities(10)
        ship = next(match.entity for matches in looked_up for match in matches if match.name in ("Vega", "blue"))
        [walk] = await store.walk([(ship, ("^COMMANDS",))], WalkRule())
    finally:
        await store.close()

    assert [node.name for (node,) in rows] == names
    known = {match.name for matches in looked_up for match in matches}
    assert known >= found
    assert known <= set(names)
    assert sorted(one.name for one in sampled) == sorted(names)
    assert [reached.entity.name for reached in walk.reached] == names[:1]

    await asyncio.to_thread(import_database, settings, captains)
    snapshot = SqliteGraphStore(captains)
    try:
        assert sorted(node.name for (node,) in (await snapshot.run(plan)).rows) == sorted(names)
    finally:
        await snapshot.close()
