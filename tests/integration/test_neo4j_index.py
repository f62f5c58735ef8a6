"""`kgqa index` serves the strategy dense over a real Neo4j, which it only reads."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.base import Strategy
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from services.retriever.serving.served_graph import load_graph
from services.retriever.settings import RetrieverSettings
from shared.paths import graph_file, index_file, snapshot_file
from tests.neo4j_server import PASSWORD, URL, ask, needs_neo4j, require_empty
from tests.unit.kgqa.test_cli import run

pytestmark = needs_neo4j

TOWN = "IndexTestTown"
_CREATE = f"""
CREATE (a:{TOWN} {{name: 'Ardenia'}}), (v:{TOWN} {{name: 'Veltmar'}}), (c:{TOWN} {{name: 'Crown'}}),
    (b:{TOWN} {{name: 'Borland'}}), (a)-[:CAPITAL]->(v), (a)-[:CURRENCY]->(c), (a)-[:BORDERS]->(b)
"""
QUESTION = "What is the currency of Ardenia?"


@pytest.fixture(autouse=True)
def _database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path))
    monkeypatch.setenv("KGQA_NEO4J_URL", URL)
    monkeypatch.setenv("KGQA_NEO4J_PASSWORD", PASSWORD)
    ask(f"MATCH (n:{TOWN}) DETACH DELETE n")
    require_empty()
    ask(_CREATE)
    yield
    ask(f"MATCH (n:{TOWN}) DETACH DELETE n")


async def by_dense() -> RetrieveResponse:
    served = load_graph(RetrieverSettings(graph="mine"))
    try:
        request = RetrieveRequest(question=QUESTION, strategy=Strategy.DENSE, min_confidence=0.01)
        return await served.within(()).retrieval.retrieve(request)
    finally:
        await served.close()


def test_a_database_is_indexed_without_being_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = "MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN elementId(n), properties(n), labels(n), elementId(r)"
    before = ask(everything)

    assert run(monkeypatch, "index", "--graph", "mine") == 0

    assert ask(everything) == before
    assert [answer.value for answer in asyncio.run(by_dense()).answers] == ["Crown"]
    assert not graph_file("mine").exists()  # which would be another graph


def test_answers_are_those_of_the_database_and_not_of_its_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, "index", "--graph", "mine") == 0
    ask(f"MATCH (:{TOWN})-[r:CURRENCY]->() DELETE r")
    ask(f"MATCH (a:{TOWN} {{name: 'Ardenia'}}) CREATE (a)-[:CURRENCY]->(:{TOWN} {{name: 'Mark'}})")

    assert [answer.value for answer in asyncio.run(by_dense()).answers] == ["Mark"]


def test_the_snapshot_is_removed_with_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, "index", "--graph", "mine") == 0
    file = snapshot_file("mine")
    assert file.exists() and index_file(file).exists()

    assert run(monkeypatch, "remove", "mine", "--yes") == 0

    assert not file.exists() and not index_file(file).exists()
