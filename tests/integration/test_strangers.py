"""Serve databases that nobody prepared, given only their address and password."""

import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from kgqa.cli import main
from services.retriever.app import create_app
from services.retriever.settings import RetrieverSettings
from tests.fakes.serving import serving
from tests.neo4j_server import PASSWORD, URL, ask, clear, needs_neo4j
from tests.support.command_line import WORLD
from tests.support.strangers import DOCUMENTS, SENSORS, WAREHOUSE

pytestmark = needs_neo4j

_DATABASES = {"warehouse": WAREHOUSE, "documents": DOCUMENTS, "sensors": SENSORS}
_COUNT: dict[str, object] = {"op": "group", "keys": [], "aggregates": [{"name": "count", "function": "count"}]}


@pytest.fixture(scope="module", params=_DATABASES)
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    clear()
    [record] = ask("MATCH (n) RETURN count(n) AS others")
    assert record["others"] == 0, "the database has nodes of others; use an empty one"
    try:
        for text in _DATABASES[request.param]:
            ask(text)
        yield request.param
    finally:
        ask("MATCH (n) DETACH DELETE n")


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_NEO4J_URL", URL or "")
    monkeypatch.setenv("KGQA_NEO4J_PASSWORD", PASSWORD)


def _property(key: str, variable: str = "n") -> dict[str, str]:
    return {"op": "property", "variable": variable, "key": key}


def _compare(key: str, operator: str, value: object, variable: str = "n") -> dict[str, object]:
    constant = {"op": "constant", "value": value}
    return {"op": "comparison", "operator": operator, "left": _property(key, variable), "right": constant}


def _match(kind: str | None = None, where: object = None) -> dict[str, object]:
    return {"op": "match", "nodes": [{"variable": "n", "kinds": [kind] if kind else []}], "where": where}


def _linked(source: str | None, type_: str, target: str | None, where: object = None) -> dict[str, object]:
    nodes = [{"variable": name, "kinds": [kind] if kind else []} for name, kind in (("n", source), ("m", target))]
    link = {"source": "n", "target": "m", "types": [type_], "variable": "r"}
    return {"op": "match", "nodes": nodes, "relationships": [link], "where": where}


def _sum(key: str, variable: str = "n") -> dict[str, object]:
    aggregate = {"name": "sum", "function": "sum", "value": _property(key, variable)}
    return {"op": "group", "keys": [], "aggregates": [aggregate]}


def _top(key: str) -> list[dict[str, object]]:
    named = {"op": "project", "columns": [{"name": "n", "value": {"op": "variable", "name": "n"}}]}
    order = {"op": "order", "keys": [{"value": _property(key), "descending": True}]}
    return [{**order}, {"op": "slice", "limit": 1}, {**named}]


_PLANS: dict[str, list[tuple[list[dict[str, object]], Any]]] = {
    "warehouse": [
        ([_match("Product Item", _compare("unit.price", ">", 49)), _COUNT], 3),  # 199, 198, 197; 200 is "NULL"
        ([_match("Product Item", _compare("added on", "<", "2021")), _COUNT], 100),
        ([_match("Product Item"), *_top("unit.price")], "Thing 199"),
        ([_match("Product Item", _compare("größe (cm)", ">=", 198)), _COUNT], 2),  # 198 and 200.5; "199" is a string
        ([_match("😀", _compare("💡 `x`", "=", "idea 3")), _COUNT], 1),
        ([_match(None, _compare("note", "=", "loose 7")), _sum("weight")], 7),
        ([_linked("Product Item", "is stored in", "lager:ort", _compare("qty.", "=", 7, "r")), _COUNT], 20),
        ([_linked("lager:ort", "SELF-LOOP", "lager:ort"), _COUNT], 4),
        ([_linked(None, "->", "lager:ort"), _COUNT], 20),
    ],
    "documents": [
        ([_match("Chunk"), _COUNT], 3000),
        ([_match("Node", _compare("text", "starts_with", "Paragraph 77 ")), _COUNT], 1),
        ([_match("Thing", _compare("count", ">", 298)), _COUNT], 2),
        ([_match("Thing", _compare("value", "=", {"date": "2020-01-01"})), _COUNT], 60),
        ([_linked("Thing", "SAME_AS", "Node"), _sum("count")], 7),
        ([_linked("Chunk", "PART_OF", "Document", _compare("score", ">", 374.9, "r")), _COUNT], 1),
    ],
    "sensors": [
        ([_match("Event", _compare("at", "<", {"datetime": "2019-12-31T23:00:00"})), _COUNT], 59),
        ([_match("Event", _compare("level", "=", 99)), _COUNT], 200),
        ([_match("Meter"), _sum("day 400")], 400),
        ([_linked("Sensor", "feeds Sensor 7", "Meter"), *_top("name")], "Sensor 7"),
        ([_linked("Event", "AT", "Sensor_1", _compare("type", "=", "e0")), _COUNT], 2857),
    ],
}


async def test_plans_run(database: str) -> None:
    app = create_app(RetrieverSettings(model=WORLD / "retriever"))
    async with serving(app) as url, httpx.AsyncClient(base_url=url, trust_env=False, timeout=60) as client:
        for steps, expected in _PLANS[database]:
            reply = await client.post("/plan", json={"plan": {"steps": steps}})
            assert reply.status_code == 200, (reply.text, steps)
            [[cell]] = reply.json()["rows"]
            assert (cell["name"] if isinstance(cell, dict) else cell) == expected, (reply.json()["query"], steps)
            assert len(reply.content) < 50_000


def test_the_schema_is_short(
    database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["kgqa", "schema"])
    with pytest.raises(SystemExit) as ended:
        main()
    text = capsys.readouterr().out
    assert not ended.value.code
    assert text.count("\n") < 300
    assert len(text) < 30_000
    expected = {
        "warehouse": ["Product Item: 200 nodes, named by Product-Name", "(no kind): 30 nodes", "  weight  integer"],
        "documents": ["Chunk: 3,000 nodes, without a property", "Chunk.embedding (lists of 384 numbers)"],
        "sensors": ["Event: 20,000 nodes", "... and 351 more properties", "Sensor: 40 nodes, named by name"],
    }
    for line in expected[database]:
        assert line in text
