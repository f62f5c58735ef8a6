"""Callers ask the graphs that their keys are for, here in front of a real retriever; others do not exist for them."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
import pytest_asyncio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from ingestion.importer import import_files
from services.answerer.app import create_app
from services.answerer.settings import AnswererSettings
from services.retriever.app import create_app as create_retriever
from services.retriever.settings import RetrieverSettings
from shared.api_keys import caller_keys, hash_of
from shared.paths import graph_file
from tests.fakes.llm import FailingModel
from tests.fakes.serving import NOBODY, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

FACTS = {
    "north": "Atlantis\tcapital\tPoseidonis\nAtlantis\tprophet\tThule\n",
    "south": "Lemuria\tcapital\tMuria\nLemuria\tborders\tThule\n",
}
ONLY_NORTH = {"north", "Atlantis", "Poseidonis", "prophet"}
KEYS = {"n": {"graphs": ["north"]}, "s": {"graphs": ["south"]}, "sn": {"graphs": ["south", "north"]}, "all": {}}
NAMES = {"steps": [{"op": "match", "nodes": [{"variable": "n"}]}]}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def http(home: Path) -> AsyncIterator[httpx.AsyncClient]:
    for graph, facts in FACTS.items():
        source = home / f"{graph}.tsv"
        source.write_text(facts, encoding="utf-8")
        graph_file(graph).parent.mkdir(exist_ok=True)
        import_files([source], graph_file(graph))
    keys = {name: {"hash": hash_of(name), **limits} for name, limits in KEYS.items()}
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(serving(create_retriever(RetrieverSettings(graph="north, south"))))
        settings = AnswererSettings(
            retriever_url=url,
            rewriter_url=NOBODY,
            api_keys=caller_keys(keys),
            feedback_file=home / "feedback" / "{graph}.jsonl",
        )
        answerer = await stack.enter_async_context(serving(create_app(settings, model=FailingModel())))
        yield await stack.enter_async_context(httpx.AsyncClient(base_url=answerer, trust_env=False, timeout=None))


async def post(http: httpx.AsyncClient, key: str, route: str, **body: Any) -> httpx.Response:
    headers = {"X-API-Key": key, "Accept": "application/json, text/event-stream"}
    return await http.post(route, json=body, headers=headers)


async def answers(http: httpx.AsyncClient, key: str, question: str, **options: Any) -> list[str]:
    reply = (await post(http, key, "/ask", question=question, **options)).raise_for_status().json()
    return [one["value"] for one in reply["answers"]]


@pytest.mark.parametrize(
    ("key", "graph", "expected"),
    [
        ("n", None, ["Poseidonis"]),
        ("n", "north", ["Poseidonis"]),
        ("s", None, []),
        ("sn", None, []),
        ("sn", "north", ["Poseidonis"]),
        ("all", None, ["Poseidonis"]),
        ("all", "south", []),
    ],
)
async def test_a_question_is_answered_from_the_graph_of_the_caller(
    http: httpx.AsyncClient, key: str, graph: str | None, expected: list[str]
) -> None:
    assert await answers(http, key, "What is the capital of Atlantis?", graph=graph) == expected


_REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("/ask", {"question": "What is the capital of Atlantis?"}),
    ("/ask", {"question": "What is the capital?", "topic_entity": "Atlantis"}),
    ("/ask/stream", {"question": "What is the capital of Atlantis?"}),
    ("/ask/batch", {"requests": [{"question": "What is the capital of Atlantis?"}]}),
    ("/plan", {"plan": NAMES}),
    ("/neighbours", {"entity": "Atlantis"}),
    ("/neighbours", {"entity": "Thule"}),
    ("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "schema", "arguments": {}}}),
    ("/v1/chat/completions", {"model": "kgqa", "messages": [{"role": "user", "content": "capital of Atlantis?"}]}),
    ("/schema", {}),
    ("/graphs", {}),
    ("/v1/models", {}),
    ("/readyz", {}),
    ("/metrics", {}),
    ("/page/settings.json", {}),
]


@pytest.mark.parametrize(("route", "body"), _REQUESTS)
async def test_replies_say_nothing_of_a_graph_that_is_not_for_the_caller(
    http: httpx.AsyncClient, route: str, body: dict[str, Any]
) -> None:
    for key in ("n", "s"):  # what one asks first must not stay for the other
        reply = await (post(http, key, route, **body) if body else http.get(route, headers={"X-API-Key": key}))
    said = reply.text
    for told in ("Atlantis", "What is the capital of"):
        if told in json.dumps(body):
            said = said.replace(told, "")  # what the caller said itself
    assert not ONLY_NORTH & set(re.findall(r"\w+", said))


@pytest.mark.parametrize(
    ("route", "body"),
    [(route, body) for route, body in _REQUESTS if route in {"/ask", "/ask/stream", "/plan", "/neighbours"}],
)
async def test_a_graph_of_others_looks_like_one_that_does_not_exist(
    http: httpx.AsyncClient, route: str, body: dict[str, Any]
) -> None:
    of_others, missing = [await post(http, "s", route, **body, graph=graph) for graph in ("north", "forth")]
    assert of_others.status_code == missing.status_code == 404
    unlike = {"request_id"}
    problems = [{k: v for k, v in one.json().items() if k not in unlike} for one in (of_others, missing)]
    assert problems[0]["type"] == "urn:kgqa:error:unknown-graph"
    assert problems[0] == json.loads(json.dumps(problems[1]).replace("forth", "north"))
    for_all = await post(http, "all", route, **body, graph="never")
    assert for_all.json()["detail"].startswith("there is no graph 'never' that you may ask; these you may: ")
    assert {"north", "south"} <= set(re.findall(r"\w+", for_all.json()["detail"]))


@pytest.mark.parametrize(
    ("route", "body"), [("/ask", {"question": "?"}), ("/neighbours", {"entity": "A"}), ("/plan", {"plan": NAMES})]
)
async def test_graphs_of_the_caller_are_suggested(http: httpx.AsyncClient, route: str, body: dict[str, Any]) -> None:
    for key, graph, meant in (("all", "sout", "south"), ("sn", "Nort", "north")):
        reply = await post(http, key, route, graph=graph, **body)
        assert reply.status_code == 404
        assert f"did you mean '{meant}'?" in reply.json()["detail"]
    reply = await post(http, "n", route, graph="sout", **body)
    assert (reply.status_code, "south" in reply.text) == (404, False)


async def test_each_item_of_a_batch_has_its_graph(http: httpx.AsyncClient) -> None:
    requests = [{"question": "What is the capital of Lemuria?", "graph": graph} for graph in ("south", "north", "x")]
    items = (await post(http, "sn", "/ask/batch", requests=requests)).json()["items"]
    found = [[one["value"] for one in item["response"]["answers"]] if item["response"] else None for item in items]
    assert found == [["Muria"], [], None]
    assert items[2]["problem"]["status"] == 404


async def test_the_graphs_of_the_caller_are_listed_the_default_first(http: httpx.AsyncClient) -> None:
    for key, expected in (("n", ["north"]), ("sn", ["south", "north"]), ("all", ["north", "south"])):
        listed = (await http.get("/graphs", headers={"X-API-Key": key})).json()["graphs"]
        assert [graph["name"] for graph in listed] == expected
        assert "plan" in listed[0]["strategies"]


async def test_a_schema_is_that_of_the_graph(http: httpx.AsyncClient) -> None:
    async def counted(key: str, query: str = "") -> tuple[int, str]:
        reply = await http.get(f"/schema{query}", headers={"X-API-Key": key})
        return reply.status_code, json.dumps(reply.json().get("relationships", {}))

    assert "prophet" in (await counted("n"))[1]
    assert "borders" in (await counted("s"))[1]
    assert "prophet" not in (await counted("s"))[1]
    assert (await counted("sn", "?graph=north"))[1] == (await counted("all"))[1]
    assert (await counted("s", "?graph=north"))[0] == 404
    assert (await counted("s", "?graph=a%20b"))[0] == 422


async def test_feedback_is_kept_by_graph(http: httpx.AsyncClient, home: Path) -> None:
    told = {"question": "What is the capital of Lemuria?", "answers": ["Muria"]}
    for key, graph, status in (("s", None, 201), ("all", None, 201), ("sn", "north", 201), ("n", "south", 404)):
        assert (await post(http, key, "/feedback", **told, graph=graph)).status_code == status
    assert (await post(http, "all", "/feedback", **told, graph="new")).status_code == 404
    lines = {file.stem: file.read_text().count("\n") for file in (home / "feedback").iterdir()}
    assert lines == {"north": 2, "south": 1}


async def test_there_is_a_model_for_each_graph_and_strategy(http: httpx.AsyncClient) -> None:
    async def listed(key: str) -> list[str]:
        return [model["id"] for model in (await http.get("/v1/models", headers={"X-API-Key": key})).json()["data"]]

    assert await listed("n") == await listed("s") == ["kgqa"]
    several = await listed("sn")
    assert several[:3] == ["kgqa", "kgqa:south", "kgqa:south:neighbourhood"]
    assert "kgqa:north:auto" in several

    messages = [{"role": "user", "content": "What is the capital of Lemuria?"}]
    for key, model, status in (
        ("sn", "kgqa", 200),
        ("sn", "kgqa:south:auto", 200),
        ("n", "kgqa:south", 404),
        ("n", "kgqa:x", 404),
    ):
        reply = await post(http, key, "/v1/chat/completions", model=model, messages=messages)
        assert reply.status_code == status
        if status == 200:
            assert (reply.json()["model"], "Muria" in reply.text) == (model, True)
        else:
            assert reply.json()["error"]["code"] == "model_not_found"
    other = await post(http, "sn", "/v1/chat/completions", model="kgqa:north", messages=messages)
    assert "I don't know" in other.text


@asynccontextmanager
async def agent(http: httpx.AsyncClient, key: str) -> AsyncIterator[Client]:
    allowed = httpx2.AsyncClient(headers={"X-API-Key": key}, trust_env=False)
    async with allowed, Client(streamable_http_client(f"{http.base_url}/mcp", http_client=allowed)) as connected:
        yield connected


async def test_agents_reach_the_graphs_of_their_keys(http: httpx.AsyncClient) -> None:
    question = {"question": "What is the capital of Atlantis?"}
    async with agent(http, "n") as north:
        found = (await north.call_tool("ask", question)).structured_content
        assert [one["value"] for one in found["answers"]] == ["Poseidonis"]
        [kept] = [one["id"] for one in found["evidence"]]
        assert not (await north.call_tool("evidence", {"id": kept})).is_error
        assert (await north.call_tool("schema", {})).structured_content["graphs"] == []
    async with agent(http, "s") as south:
        for tool, arguments in (
            ("ask", {**question, "graph": "north"}),
            ("plan", {"plan": NAMES, "graph": "north"}),
            ("neighbours", {"entity": "Atlantis", "graph": "north"}),
            ("schema", {"graph": "north"}),
            ("evidence", {"id": kept}),
        ):
            refused = await south.call_tool(tool, arguments)
            assert refused.is_error
            assert "Poseidonis" not in str(refused) and "prophet" not in str(refused)
        assert (await south.call_tool("ask", question)).structured_content["abstained"]
        [schema] = (await south.read_resource("kgqa://schema")).contents
        assert "borders" in schema.text and "prophet" not in schema.text  # type: ignore[union-attr]
    async with agent(http, "sn") as both:
        assert (await both.call_tool("schema", {})).structured_content["graphs"] == ["south", "north"]
        found = (await both.call_tool("ask", {**question, "graph": "north"})).structured_content
        assert [one["value"] for one in found["answers"]] == ["Poseidonis"]


async def test_nobody_can_compute_the_address_of_evidence(http: httpx.AsyncClient) -> None:
    asked = {"model": "kgqa", "messages": [{"role": "user", "content": "What is the capital of Atlantis?"}]}
    links = [
        (await post(http, key, "/v1/chat/completions", **asked)).json()["choices"][0]["message"]["annotations"]
        for key in ("n", "all")
    ]
    [of_north], [of_all] = [[one["url_citation"]["url"] for one in found] for found in links]
    evidence = (await http.get(of_north)).json()
    assert evidence == (await http.get(of_all)).json()
    assert of_north != of_all  # the second one is a hash of the content
