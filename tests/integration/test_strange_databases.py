"""Databases that nobody prepared can be described and asked, given only an address and a password."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from kgqa.cli import main
from services.retriever.app import create_app
from services.retriever.settings import RetrieverSettings
from tests.neo4j_server import PASSWORD, URL, ask, clear, needs_neo4j
from tests.support.command_line import WORLD
from tests.support.strange_databases import CROWDED, DOCUMENTS, UNLABELLED

pytestmark = needs_neo4j
Json = dict[str, Any]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_NEO4J_URL", URL or "")
    monkeypatch.setenv("KGQA_NEO4J_PASSWORD", PASSWORD)


@pytest.fixture
def database(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fill the empty database with the statements of the test."""
    clear()
    [others] = ask("MATCH (n) RETURN count(n) AS count")
    assert others["count"] == 0, "the database holds nodes that the tests did not make; set another one"
    try:
        for statement in request.param:
            ask(statement)
        yield
    finally:
        ask("MATCH (n) DETACH DELETE n")


def _schema(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.setattr(sys, "argv", ["kgqa", "schema"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    return capsys.readouterr().out


def _rows(*steps: Json) -> list[list[Any]]:
    app = create_app(RetrieverSettings(model=WORLD / "retriever"))
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as http:
        reply = http.post("/plan", json={"plan": {"steps": list(steps)}})
    assert reply.status_code == 200, reply.text
    return list(reply.json()["rows"])


def _property(variable: str, key: str) -> Json:
    return {"op": "property", "variable": variable, "key": key}


def _top(kind: str, key: str, limit: int) -> list[Json]:
    return [
        {"op": "match", "nodes": [{"variable": "n", "kinds": [kind] if kind else []}]},
        {"op": "filter", "condition": {"op": "not", "condition": {"op": "is_missing", "value": _property("n", key)}}},
        {"op": "order", "keys": [{"value": _property("n", key), "descending": True}]},
        {"op": "slice", "limit": limit},
        {"op": "project", "columns": [{"name": "value", "value": _property("n", key)}]},
    ]


@pytest.mark.parametrize("database", [UNLABELLED], indirect=True)
@pytest.mark.usefixtures("database")
def test_nodes_without_labels_and_names(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = _schema(monkeypatch, capsys)

    assert "(no kind): 60 nodes, without a property that names them" in text
    assert "weight (kg)  float" in text
    assert "()-[LINKED {km: float or integer or string, since: date}]->(Station)" in text
    assert len(text) < 5_000
    assert _rows(*_top("", "weight (kg)", 2)) == [[30.0], [29.5]]
    loops = {
        "op": "match",
        "nodes": [{"variable": "a"}],
        "relationships": [{"source": "a", "target": "a", "types": ["goes to"]}],
    }
    count = {"op": "group", "keys": [], "aggregates": [{"name": "n", "function": "count"}]}
    assert _rows(loops, count) == [[120]]


@pytest.mark.parametrize("database", [DOCUMENTS], indirect=True)
@pytest.mark.usefixtures("database")
def test_documents_with_vectors(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = _schema(monkeypatch, capsys)

    assert "Chunk: 4,000 nodes" in text
    assert "Chunk.embedding (lists of 256 numbers)" in text
    assert max(map(len, text.splitlines())) < 200
    assert "string -> date" in text
    assert len(text) < 5_000
    assert _rows(*_top("Chunk", "price", 1)) == [[4000.5]]
    assert _rows(*_top("Chunk", "score", 1)) == [[4000]]


@pytest.mark.parametrize("database", [CROWDED], indirect=True)
@pytest.mark.usefixtures("database")
def test_many_labels_types_and_keys(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = _schema(monkeypatch, capsys)

    assert "Wide: 1 node" in text
    assert "(Wide)-[REL-7 {at: integer}]->(Wide)" in text
    assert len(text) < 40_000
    assert _rows(*_top("Label 7", "Name ", 5)) == [["N7"]]
    assert _rows(*_top("Wide", "Column 199", 5)) == [[199]]
