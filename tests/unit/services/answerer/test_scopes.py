"""A key with a scope sees a part of the graph, and nothing tells it of the rest, here in front of a real retriever."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from contracts.json_lines import write_lines
from contracts.trusted_questions import TrustedQuestion
from services.answerer.app import create_app
from services.answerer.settings import AnswererSettings
from services.retriever.app import create_app as create_retriever
from services.retriever.settings import RetrieverSettings
from services.rewriter.app import create_app as create_rewriter
from services.rewriter.settings import RewriterSettings
from shared.api_keys import caller_keys, hash_of
from shared.paths import graph_file, trusted_file
from tests.fakes.llm import FailingModel
from tests.fakes.serving import serving
from tests.support.property_graphs import write_graph_file
from tests.support.tenants import HIDDEN_WORDS, VISIBLE_SCOPE, tenant_graph

pytestmark = pytest.mark.asyncio(loop_scope="module")

KEYS = {"all": {}, "t42": {"scope": [VISIBLE_SCOPE]}, "misfit": {"scope": ["Document.owner = 42"]}}
DOCUMENTS = {"steps": [{"op": "match", "nodes": [{"variable": "d", "kinds": ["Document"]}]}]}
PAGES = {"steps": [*DOCUMENTS["steps"], {"op": "group", "keys": [], "aggregates": [
    {"name": "sum", "function": "sum", "value": {"op": "property", "variable": "d", "key": "pages"}}]}]}  # fmt: skip
QUESTIONS = [
    "Which documents did Ada Lind write?",
    "How many documents are there?",
    "Who wrote Coal Memo?",
    "Which documents does Solar Report cite?",
    "What is the codename of Coal Memo?",
    "Which document has the most pages?",
    "Who wrote Oil Mem?",
    "papers of Bo Rask",
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def http(home: Path) -> AsyncIterator[httpx.AsyncClient]:
    graph_file("docs").parent.mkdir()
    write_graph_file(tenant_graph(), graph_file("docs"))
    papers = TrustedQuestion(name="Papers", wordings=("papers of {who:Person}",), plan={"steps": [
        {"op": "match", "nodes": [{"variable": "p", "ids": ["{who}"]}, {"variable": "d"}],
         "relationships": [{"source": "p", "target": "d", "types": ["WROTE"]}]},
        {"op": "project", "columns": [{"name": "d", "value": {"op": "variable", "name": "d"}}]}]})  # fmt: skip
    trusted_file("docs").parent.mkdir()
    trusted_file("docs").write_text(write_lines([papers]), encoding="utf-8")
    keys = caller_keys({name: {"hash": hash_of(name), **limits} for name, limits in KEYS.items()})
    async with AsyncExitStack() as stack:
        retriever = await stack.enter_async_context(serving(create_retriever(RetrieverSettings(graph="docs"))))
        rewriter = await stack.enter_async_context(serving(create_rewriter(RewriterSettings(), FailingModel())))
        settings = AnswererSettings(retriever_url=retriever, rewriter_url=rewriter, api_keys=keys, cost_of_wrong=0.25)
        answerer = await stack.enter_async_context(serving(create_app(settings, model=FailingModel())))
        yield await stack.enter_async_context(httpx.AsyncClient(base_url=answerer, trust_env=False, timeout=None))


async def post(http: httpx.AsyncClient, key: str, route: str, **body: Any) -> httpx.Response:
    headers = {"X-API-Key": key, "Accept": "application/json, text/event-stream"}
    return await http.post(route, json=body, headers=headers)


def tool(name: str, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def requests() -> list[tuple[str, dict[str, Any]]]:
    """Return requests of all kinds."""
    found: list[tuple[str, dict[str, Any]]] = []
    for question in QUESTIONS:
        found += [("/ask", {"question": question, "explain": True, "strategy": one}) for one in ("plan", "auto")]
        found += [("/ask", {"question": question, "strategy": "neighbourhood", "min_confidence": 0.0})]
        found += [("/ask/stream", {"question": question}), ("/ask/batch", {"requests": [{"question": question}]})]
        found += [("/mcp", tool("ask", question=question))]
        messages = [{"role": "user", "content": question}]
        found += [("/v1/chat/completions", {"model": "kgqa", "messages": messages})]
    for node in ({"entity": "Solar Report"}, {"entity": "Wind Report"}, {"entity": "Bo Rask"}, {"id": "2"}):
        found += [("/neighbours", node), ("/mcp", tool("neighbours", **node))]
    everything = [{"op": "match", "nodes": [{"variable": "n"}, {"variable": "m"}],
        "relationships": [{"source": "n", "target": "m", "variable": "r", "direction": "both"}]}]  # fmt: skip
    plans = [
        DOCUMENTS,
        PAGES,
        {"steps": everything},
        {"steps": [{"op": "match", "nodes": [{"variable": "n", "ids": ["2"]}]}]},
    ]
    found += [("/plan", {"plan": plan}) for plan in plans]
    return [*found, ("/mcp", tool("schema")), ("/mcp", tool("plan", plan=DOCUMENTS)), ("/schema", {}), ("/metrics", {})]


async def test_no_reply_tells_of_what_is_outside_the_scope(
    http: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    told_everything = ""
    for route, body in requests():
        for key in ("all", "t42"):  # what the one asks first must not stay for the other
            reply = await (post(http, key, route, **body) if body else http.get(route, headers={"X-API-Key": key}))
            said = reply.text
            for own in ("codename", "Coal Memo", "Coal", "Memo"):
                said = said.replace(own, "") if own in json.dumps(body) else said
            if key == "all":
                told_everything += said
            else:
                assert not [word for word in HIDDEN_WORDS if word in said], (route, body, said)
    # The test would not notice anything if nobody were told.
    assert {"Coal", "Oil Memo", "Gas Memo", "REFUTES", "Kraken"} <= {
        one for one in HIDDEN_WORDS if one in told_everything
    }
    assert not [word for word in (*HIDDEN_WORDS, "Solar Report") if word in caplog.text]


@pytest.mark.parametrize(
    ("question", "everything", "visible"),
    [
        ("How many documents are there?", [5], [2]),
        ("Which documents does Solar Report cite?", ["Wind Report", "Coal Memo"], ["Wind Report"]),
        ("Which document has the most pages?", ["Gas Memo"], ["Wind Report"]),
        ("Who wrote Coal Memo?", ["Ada Lind", "Bo Rask"], []),
        ("papers of Bo Rask", ["Coal Memo", "Oil Memo", "Gas Memo", "Solar Report"], ["Solar Report"]),
    ],
)  # fmt: skip
async def test_questions_are_answered_as_if_the_rest_did_not_exist(
    http: httpx.AsyncClient, question: str, everything: list[Any], visible: list[Any]
) -> None:
    for key, expected in (("t42", visible), ("all", everything), ("t42", visible)):
        reply = (await post(http, key, "/ask", question=question)).json()
        assert sorted(map(str, (one["value"] for one in reply["answers"]))) == sorted(map(str, expected))


async def test_plans_count_and_add_up_what_is_visible(http: httpx.AsyncClient) -> None:
    for key, total in (("all", 150), ("t42", 30)):
        assert (await post(http, key, "/plan", plan=PAGES)).json()["rows"] == [[total]]
    schema = (await http.get("/schema", headers={"X-API-Key": "t42"})).json()
    assert schema["kinds"]["Document"]["count"] == 2
    assert schema["kinds"]["Document"]["properties"]["tenant"]["samples"] == [42]
    assert {name: one["count"] for name, one in schema["relationships"].items()} == {"CITES": 1, "WROTE": 3}


async def test_strategies_that_cannot_keep_to_a_scope_are_refused(http: httpx.AsyncClient) -> None:
    [graph] = (await http.get("/graphs", headers={"X-API-Key": "t42"})).json()["graphs"]
    assert graph["strategies"] == ["plan", "neighbourhood", "auto"]
    for strategy in ("dense", "cypher"):
        reply = await post(http, "t42", "/ask", question=QUESTIONS[0], strategy=strategy)
        assert reply.status_code == 422
        assert "cannot keep to the scope of your API key" in reply.json()["detail"]


async def test_callers_cannot_choose_their_scope(http: httpx.AsyncClient) -> None:
    bodies: dict[str, dict[str, Any]] = {
        "/ask": {"question": "?"},
        "/plan": {"plan": DOCUMENTS},
        "/neighbours": {"entity": "Solar Report"},
    }
    for route, body in bodies.items():
        assert (await post(http, "t42", route, **body, scope=[])).status_code == 422


async def test_a_scope_that_does_not_fit_the_graph_shows_nothing(http: httpx.AsyncClient) -> None:
    for route, body in (("/ask", {"question": QUESTIONS[0]}), ("/plan", {"plan": DOCUMENTS}), ("/schema", {})):
        reply = await (
            post(http, "misfit", route, **body) if body else http.get(route, headers={"X-API-Key": "misfit"})
        )
        assert (reply.status_code, reply.json()["type"]) == (403, "urn:kgqa:error:forbidden")
        assert "owner" not in reply.text


async def test_evidence_of_another_scope_is_not_kept_for_a_caller(http: httpx.AsyncClient) -> None:
    found = (await post(http, "all", "/mcp", **tool("ask", question="Who wrote Coal Memo?"))).json()
    [first, *_] = found["result"]["structuredContent"]["evidence"]
    for key, is_refused in (("all", False), ("t42", True)):
        reply = (await post(http, key, "/mcp", **tool("evidence", id=first["id"]))).json()["result"]
        assert bool(reply["isError"]) == is_refused
