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
from tests.neo4j_server import PASSWORD, URL, ask, needs_neo4j, require_empty
from tests.support.command_line import WORLD
from tests.support.unprepared_databases import DATABASES

pytestmark = needs_neo4j

_COUNT: dict[str, object] = {"op": "group", "keys": [], "aggregates": [{"name": "count", "function": "count"}]}


@pytest.fixture(scope="module", params=DATABASES)
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    require_empty()
    try:
        for text in DATABASES[request.param]:
            ask(text)
        yield request.param
    finally:
        ask("MATCH (n) DETACH DELETE n")


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_NEO4J_URL", URL)
    monkeypatch.setenv("KGQA_NEO4J_SECONDS_ALLOWED", "120")
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


def _top(key: str, limit: int = 1) -> list[dict[str, object]]:
    """Keep the nodes with the greatest values."""
    order: dict[str, object] = {"op": "order", "keys": [{"value": _property(key), "descending": True}]}
    return [order, {"op": "slice", "limit": limit}, _columns({"op": "variable", "name": "n"})]


def _top_values(kind: str | None, key: str, limit: int) -> list[dict[str, object]]:
    missing = {"op": "is_missing", "value": _property(key)}
    present: dict[str, object] = {"op": "filter", "condition": {"op": "not", "condition": missing}}
    order, cut, _ = _top(key, limit)
    return [_match(kind), present, order, cut, _columns(_property(key))]


def _columns(value: object) -> dict[str, object]:
    return {"op": "project", "columns": [{"name": "value", "value": value}]}


_LOOP: dict[str, object] = {
    "op": "match",
    "nodes": [{"variable": "a"}],
    "relationships": [{"source": "a", "target": "a", "types": ["goes to"]}],
}

_PLANS: dict[str, list[tuple[list[dict[str, object]], Any]]] = {
    "warehouse": [
        ([_match("Product Item", _compare("unit.price", ">", 49)), _COUNT], [3]),  # 199, 198, 197; 200 is "NULL"
        ([_match("Product Item", _compare("added on", "<", "2021")), _COUNT], [100]),
        ([_match("Product Item"), *_top("unit.price")], ["Thing 199"]),
        ([_match("Product Item", _compare("größe (cm)", ">=", 198)), _COUNT], [2]),  # 198 and 200.5; "199" is a string
        ([_match("😀", _compare("💡 `x`", "=", "idea 3")), _COUNT], [1]),
        ([_match(None, _compare("note", "=", "loose 7")), _sum("weight")], [7]),
        ([_linked("Product Item", "is stored in", "lager:ort", _compare("qty.", "=", 7, "r")), _COUNT], [20]),
        ([_linked("lager:ort", "SELF-LOOP", "lager:ort"), _COUNT], [4]),
        ([_linked(None, "->", "lager:ort"), _COUNT], [20]),
    ],
    "documents": [
        ([_match("Chunk"), _COUNT], [3000]),
        ([_match("Node", _compare("text", "starts_with", "Paragraph 77 ")), _COUNT], [1]),
        ([_match("Thing", _compare("count", ">", 298)), _COUNT], [2]),
        ([_match("Thing", _compare("value", "=", {"date": "2020-01-01"})), _COUNT], [60]),
        ([_linked("Thing", "SAME_AS", "Node"), _sum("count")], [7]),
        ([_linked("Chunk", "PART_OF", "Document", _compare("score", ">", 374.9, "r")), _COUNT], [1]),
    ],
    "sensors": [
        ([_match("Event", _compare("at", "<", {"datetime": "2019-12-31T23:00:00"})), _COUNT], [59]),
        ([_match("Event", _compare("level", "=", 99)), _COUNT], [200]),
        ([_match("Meter"), _sum("day 400")], [400]),
        ([_linked("Sensor", "feeds Sensor 7", "Meter"), *_top("name")], ["Sensor 7"]),
        ([_linked("Event", "AT", "Sensor_1", _compare("type", "=", "e0")), _COUNT], [2857]),
    ],
    "unlabelled": [
        (_top_values(None, "weight (kg)", 2), [30.0, 29.5]),
        ([_LOOP, _COUNT], [120]),
    ],
    "passages": [
        (_top_values("Chunk", "price", 1), ["4000.50"]),  # as it is stored
        (_top_values("Chunk", "score", 1), [4000]),
    ],
    "crowded": [
        (_top_values("Label 7", "Name ", 5), ["N7"]),
        (_top_values("Wide", "Column 199", 5), [199]),
    ],
}

_SCHEMAS = {
    "warehouse": (
        ["Product Item: 200 nodes, named by Product-Name", "(no kind): 30 nodes", "  weight  integer"],
        30_000,
    ),
    "documents": (["Chunk: 3,000 nodes, without a property", "Chunk.embedding (lists of 384 numbers)"], 30_000),
    "sensors": (
        ["Event: 20,000 nodes", "... and 351 more properties", "Sensor: 40 nodes, named by name"],
        30_000,
    ),
    "unlabelled": (
        [
            "(no kind): 60 nodes, without a property that names them",
            "weight (kg)  float",
            "()-[LINKED {km: float or integer or string, since: date}]->(Station)",
        ],
        5_000,
    ),
    "passages": (["Chunk: 4,000 nodes", "Chunk.embedding (lists of 256 numbers)", "string -> date"], 5_000),
    "crowded": (["Wide: 1 node", "(Wide)-[REL-7 {at: integer}]->(Wide)"], 40_000),
}
"""Lines that the schema of each database shows, and its greatest length."""


async def test_plans_run(database: str) -> None:
    app = create_app(RetrieverSettings(model=WORLD / "retriever"))
    async with serving(app) as url, httpx.AsyncClient(base_url=url, trust_env=False, timeout=60) as client:
        for steps, expected in _PLANS[database]:
            reply = await client.post("/plan", json={"plan": {"steps": steps}})
            assert reply.status_code == 200, (reply.text, steps)
            cells = [cell["name"] if isinstance(cell, dict) else cell for [cell] in reply.json()["rows"]]
            assert cells == expected, (reply.json()["query"], steps)
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
    lines, most_characters = _SCHEMAS[database]
    assert len(text) < most_characters
    for line in lines:
        assert line in text
    if database == "passages":
        assert max(map(len, text.splitlines())) < 200
