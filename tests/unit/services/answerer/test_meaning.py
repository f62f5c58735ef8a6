"""What an owner says of a graph holds for all callers, and is read again when it changes, over HTTP."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from services.answerer.app import create_app
from services.answerer.settings import AnswererSettings
from services.retriever.app import create_app as create_retriever
from services.retriever.serving import hot_reload
from services.retriever.settings import RetrieverSettings
from services.rewriter.app import create_app as create_rewriter
from services.rewriter.settings import RewriterSettings
from shared.paths import graph_file, meaning_file
from tests.fakes.llm import FailingModel
from tests.fakes.serving import serving
from tests.support.property_graphs import write_graph_file
from tests.support.tenants import tenant_graph
from tests.support.waiting import until

_SAID = """
[relationships.WROTE]
names = ["penned"]
description = "Who wrote it."
[relationships.REFUTES]
hidden = true
[properties.codename]
hidden = true
[properties.pages]
names = ["length"]
"""
_WROTE = {"steps": [{"op": "match", "nodes": [{"variable": "p", "kinds": ["Person"]}, {"variable": "d"}],
    "relationships": [{"source": "p", "target": "d", "types": ["WROTE"]}]}]}  # fmt: skip
_ANY = {"steps": [{"op": "match", "nodes": [{"variable": "n"}, {"variable": "m"}],
    "relationships": [{"source": "n", "target": "m", "variable": "r"}]}]}  # fmt: skip


@pytest.fixture
async def retriever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """Serve the graph, and yield the URL."""
    monkeypatch.setenv("KGQA_HOME", str(tmp_path))
    monkeypatch.setattr(hot_reload, "WATCH_INTERVAL_S", 0.01)
    graph_file("docs").parent.mkdir()
    write_graph_file(tenant_graph(), graph_file("docs"))
    meaning_file("docs").parent.mkdir()
    meaning_file("docs").write_text(_SAID, encoding="utf-8")
    async with serving(create_retriever(RetrieverSettings(graph="docs"))) as url:
        yield url


@pytest.fixture
async def http(retriever: str) -> AsyncIterator[httpx.AsyncClient]:
    """Ask the whole pipeline in front of the retriever."""
    async with AsyncExitStack() as stack:
        rewriter = await stack.enter_async_context(serving(create_rewriter(RewriterSettings(), FailingModel())))
        settings = AnswererSettings(retriever_url=retriever, rewriter_url=rewriter, cost_of_wrong=0.25)
        answerer = await stack.enter_async_context(serving(create_app(settings, model=FailingModel())))
        client = httpx.AsyncClient(base_url=answerer, trust_env=False, timeout=None)
        yield await stack.enter_async_context(client)


async def _told(http: httpx.AsyncClient, route: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    reply = await (http.post(route, json=body) if body else http.get(route))
    found: dict[str, Any] = reply.raise_for_status().json()
    return found


async def test_names_are_shown_and_what_is_hidden_does_not_exist(http: httpx.AsyncClient) -> None:
    schema = await _told(http, "/schema")
    assert schema["relationships"]["WROTE"]["meaning"]["names"] == ["penned"]
    assert schema["relationships"]["WROTE"]["meaning"]["description"] == "Who wrote it."

    plan = await _told(http, "/plan", {"plan": _WROTE, "max_evidence": 50})
    assert "penned" in plan["evidence"][0]["text"]
    assert plan["evidence"][0]["triples"][0]["relation"] == "WROTE"

    around = await _told(http, "/neighbours", {"entity": "Coal Memo"})
    every = await _told(http, "/plan", {"plan": _ANY})
    asked = await _told(http, "/ask", {"question": "Which documents did Ada Lind pen?", "min_confidence": 0.0})
    refused = await http.post("/plan", json={"plan": json.loads(json.dumps(_WROTE).replace("WROTE", "REFUTES"))})

    assert asked["said"] == {"WROTE": "penned"}
    assert "penned" in asked["answer"] or "penned" in asked["evidence"][0]["text"]
    assert refused.status_code == 422
    for reply in (schema, around, every, asked):
        assert not any(word in json.dumps(reply) for word in ("REFUTES", "codename", "Kraken"))


async def test_a_change_is_served_and_a_broken_file_leaves_what_was_said(
    http: httpx.AsyncClient, retriever: str
) -> None:
    async def says(name: str) -> bool:
        meaning = (await _told(http, "/schema"))["relationships"]["WROTE"].get("meaning")
        return bool(meaning) and meaning["names"] == [name]

    async def is_reported() -> bool:
        report = (await http.get(f"{retriever}/readyz")).json()
        return "not TOML" in report.get("reasons", {}).get("reload", "")

    assert await says("penned")
    meaning_file("docs").write_text('[relationships.WROTE]\nnames = ["authored"]', encoding="utf-8")
    await until(lambda: says("authored"))
    assert "REFUTES" in (await _told(http, "/schema"))["relationships"]

    meaning_file("docs").write_text("[relationships.WROTE\n", encoding="utf-8")
    await until(is_reported)
    assert await says("authored")
