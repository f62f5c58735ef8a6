"""Labels, types, keys, and values with quotes, control characters, or any script are data on every store."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest

from contracts.plans import PlanRequest
from graph.neo4j.cypher_text import quote
from graph.neo4j.store import Neo4jGraphStore
from graph.plan.algebra import (
    And,
    Column,
    Comparison,
    Constant,
    Filter,
    HasKind,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    RelationshipType,
    SortKey,
)
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from ingestion.importer import import_files
from ingestion.neo4j_snapshot import import_database
from services.retriever.execution.plans import run_plan
from tests.neo4j_server import ask, needs_neo4j, settings

ODD = (
    "`) DETACH DELETE n //",
    "a`b``c",
    'it\'s "quoted"',
    "'; DROP TABLE entities; --",
    "]->() MATCH (x",
    "{$p0}",
    "\\u0060 \\",
    "%s {0} %(x)s",
    "a:b|c&!d",
    "😀 👩‍👩‍👧",
    "e\u0301 and é",
    "שלום abc عربي",
    "日本",
    "١٢٣",
    "NULL",
    "1",
    "İstanbul ß",
)
_MARK = "OddIdentifierTest"


def _elements(name: str) -> list[dict[str, Any]]:
    place = ODD.index(name)
    nodes: list[dict[str, Any]] = [
        {"type": "node", "id": f"{place}{end}", "labels": [name, _MARK], "properties": {name: name, "place": end}}
        for end in "ab"
    ]
    link = {"type": "relationship", "label": name, "start": f"{place}a", "end": f"{place}b", "properties": {name: name}}
    return [*nodes, link]


def _plan(name: str) -> Plan:
    """Use an odd text in every place that takes one, also as a variable and as a column."""
    first, second, link = f"{name} 1", f"{name} 2", f"{name} 3"
    nodes = (NodePattern(first, (name,)), NodePattern(second, (name,)))
    stored = Property(first, name, as_stored=True)
    where = And(
        (
            Comparison("=", stored, Constant(name)),
            Comparison("contains", stored, Constant(name)),
            Comparison("in", Property(link, name, as_stored=True), Constant((name,))),
            Comparison("=", RelationshipType(link), Constant(name)),
        )
    )
    columns = (
        Column(name, stored),
        Column(f"{name} 1", Property(second, "place")),
        Column("type", RelationshipType(link)),
        Column("kind", HasKind(second, name)),
    )
    return Plan(
        (
            Match(nodes, (RelationshipPattern(first, second, (name,), "both", link),), where),
            Filter(Comparison("starts_with", stored, Constant(name), ignore_case=True)),
            Order((SortKey(Property(second, "place")),)),
            Project(columns),
        )
    )


async def _check(store: GraphStore, name: str) -> None:
    response = await run_plan(store, PlanRequest(plan=_plan(name)))

    assert response.columns == [name, f"{name} 1", "type", "kind"]
    assert response.rows == [[name, "a", name, True], [name, "b", name, True]]
    assert any(name == triple.relation for item in response.evidence for triple in item.triples)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd")
    lines = [json.dumps(element) + "\n" for name in ODD for element in _elements(name)]
    (folder / "odd.jsonl").write_text("".join(lines), encoding="utf-8")
    import_files([folder / "odd.jsonl"], folder / "odd.sqlite")
    return folder / "odd.sqlite"


@pytest.fixture(scope="module")
def database() -> Iterator[None]:
    for name in ODD:
        label = quote(name)
        ask(
            f"CREATE (a:{_MARK}:{label} $first) CREATE (b:{_MARK}:{label} $second) CREATE (a)-[r:{label} $link]->(b)",
            first={name: name, "place": "a"},
            second={name: name, "place": "b"},
            link={name: name},
        )
    yield
    ask(f"MATCH (n:{_MARK}) DETACH DELETE n")


@pytest.fixture
async def neo4j_store() -> AsyncIterator[Neo4jGraphStore]:
    opened = Neo4jGraphStore(settings())
    yield opened
    await opened.close()


@pytest.mark.parametrize("name", ODD)
async def test_a_graph_file_treats_odd_names_as_data(file: Path, name: str) -> None:
    store = SqliteGraphStore(file)
    await _check(store, normalize("NFC", name))  # imported files have one Unicode form of each name
    await store.close()


@needs_neo4j
@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("name", ODD)
async def test_neo4j_treats_odd_names_as_data(neo4j_store: Neo4jGraphStore, name: str) -> None:
    await _check(neo4j_store, name)

    assert ask(f"MATCH (n:{_MARK}) RETURN count(n) AS count")[0]["count"] == 2 * len(ODD)


@needs_neo4j
@pytest.mark.usefixtures("database")
async def test_a_snapshot_answers_as_the_database_does(tmp_path: Path) -> None:
    report = await asyncio.to_thread(import_database, settings(), tmp_path / "copy.sqlite")
    assert set(ODD) <= set(report.kinds)
    store = SqliteGraphStore(tmp_path / "copy.sqlite")
    for name in ODD:
        await _check(store, name)
    await store.close()


@needs_neo4j
async def test_a_label_may_have_line_breaks() -> None:
    odd = "line\nbreak\t`"
    ask(f"CREATE (:{_MARK}:{quote(odd)} {{{quote(odd)}: $odd}})", odd=odd)
    store = Neo4jGraphStore(settings())
    plan = Plan((Match((NodePattern("n", (odd,)),)), Project((Column(odd, Property("n", odd)),))))
    try:
        assert (await store.run(plan)).rows == ((odd,),)
    finally:
        await store.close()
        ask(f"MATCH (n:{quote(odd)}) DELETE n")
