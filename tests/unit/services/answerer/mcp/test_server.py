"""The tools over HTTP, called by the SDK's own client, in front of a real retriever and a real answerer."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from mcp import Client, MCPError
from mcp_types import TextContent

from services.answerer.app import create_app
from services.answerer.mcp.guide import guide
from services.answerer.mcp.server import NOTICE
from services.answerer.settings import AnswererSettings
from services.retriever.app import create_app as create_retriever
from services.retriever.settings import RetrieverSettings
from tests.fakes.llm import ScriptedModel
from tests.fakes.serving import NOBODY, serving
from tests.support.command_line import WORLD
from tests.support.property_graphs import shop_graph, write_graph_file

pytestmark = pytest.mark.asyncio(loop_scope="module")

TOOLS = ["ask", "schema", "neighbours", "connect", "plan", "evidence"]
PRODUCTS = {"steps": [{"op": "match", "nodes": [{"variable": "p", "kinds": ["Product"]}]}]}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url(home: Path) -> AsyncIterator[str]:
    (home / "graphs").mkdir()
    write_graph_file(shop_graph(), home / "graphs" / "shop.sqlite")
    retriever = create_retriever(RetrieverSettings(graph="shop", model=WORLD / "retriever"))
    async with AsyncExitStack() as stack:
        retriever_url = await stack.enter_async_context(serving(retriever))
        settings = AnswererSettings(retriever_url=retriever_url, rewriter_url=NOBODY, cost_of_wrong=1)
        yield await stack.enter_async_context(serving(create_app(settings, model=ScriptedModel([]))))


# The current revision of the protocol, and those before it, which begin with a handshake.
both = pytest.mark.parametrize("mode", ["auto", "legacy"])


async def call(agent: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await agent.call_tool(tool, arguments)
    [content] = result.content
    assert isinstance(content, TextContent)
    assert not result.is_error, content.text
    assert json.loads(content.text) == result.structured_content
    assert result.structured_content["notice"] == NOTICE
    return dict(result.structured_content)


async def failure(agent: Client, tool: str, **arguments: Any) -> str:
    result = await agent.call_tool(tool, arguments)
    [content] = result.content
    assert isinstance(content, TextContent)
    assert result.is_error
    assert "Traceback" not in content.text
    return content.text


@both
async def test_tools_teach_what_they_do(url: str, mode: str) -> None:
    async with Client(f"{url}/mcp", mode=mode) as agent:
        tools = (await agent.list_tools()).tools

        assert [tool.name for tool in tools] == TOOLS
        for tool in tools:
            assert tool.description and tool.title and tool.output_schema
            assert tool.annotations is not None and tool.annotations.read_only_hint
            assert tool.input_schema["type"] == tool.output_schema["type"] == "object"


@both
async def test_a_question_is_answered_with_evidence_that_can_be_looked_up(url: str, mode: str) -> None:
    async with Client(f"{url}/mcp", mode=mode) as agent:
        reply = await call(agent, "ask", question="How many products are there?")
        assert ([one["value"] for one in reply["answers"]], reply["abstained"]) == ([15], False)

        again = await call(agent, "plan", plan={"steps": reply["plan_steps"]})
        assert again["rows"] == [[15]]

        for item in reply["evidence"]:
            assert (await call(agent, "evidence", id=item["id"]))["text"] == item["text"]
        assert reply["evidence"]


@both
async def test_the_graph_is_explored(url: str, mode: str) -> None:
    async with Client(f"{url}/mcp", mode=mode) as agent:
        schema = await call(agent, "schema")
        assert schema["kinds"]["Product"]["named_by"] == "title"
        assert ["Order", "Product"] in schema["relationships"]["CONTAINS"]["connects"]
        only = await call(agent, "schema", kinds=["Customer"])
        assert (list(only["kinds"]), list(only["relationships"])) == (["Customer"], ["PLACED"])

        [[product], *_] = (await call(agent, "plan", plan=PRODUCTS))["rows"]
        around = await call(agent, "neighbours", id=product["id"])
        assert around["entity"] == product
        assert "price" in around["properties"]


@both
async def test_two_entities_are_connected_with_facts_that_can_be_looked_up(url: str, mode: str) -> None:
    async with Client(f"{url}/mcp", mode=mode) as agent:
        found = await call(agent, "connect", source="Product 3", target="Product 11", limit=2)
        far = await call(agent, "connect", source="Product 3", target="Product 11", relations=["PLACED"])

        assert (len(found["paths"]), found["namesakes"]) == (2, [0, 0])
        first = found["paths"][0]
        assert first["text"].startswith("Product 3 <-CONTAINS- ") and first["text"].endswith(" -CONTAINS-> Product 11")
        facts = (await call(agent, "evidence", id=first["evidence"]))["triples"]
        assert [(one["relation"], one["object"]) for one in facts] == [
            ("CONTAINS", "Product 3"),
            ("CONTAINS", "Product 11"),
        ]
        assert sum(first["degrees"]) <= sum(found["paths"][1]["degrees"])
        assert far["paths"] == []


ERRORS: list[tuple[str, dict[str, Any], str]] = [
    ("ask", {}, "Invalid input: question: Field required"),
    ("ask", {"question": "?", "colour": 1}, "Invalid input: colour"),
    ("ask", {"question": "Price?", "topic_entity": "Nothing at all"}, "Unknown topic entity: the graph has no"),
    ("schema", {"kinds": ["Produkt"]}, "Invalid input: the graph has no kind 'Produkt'; it has 'Product'"),
    ("neighbours", {"entity": "Product 99"}, "Unknown topic entity: the graph has no entity"),
    ("connect", {"source": "Product 99", "target": "Product 1"}, "Unknown topic entity: the graph has no entity"),
    ("connect", {"source": "Product 1", "target": "Product 1"}, "are the same entity, 'Product 1'"),
    ("connect", {"source": "Product 1", "target": "Product 2", "max_length": 7}, "Invalid input: max_length"),
    ("plan", {"plan": '{"steps": []}'}, "Invalid input: plan: expected a JSON object, found a string; send the object"),
    ("plan", {"plan": {"steps": [{"op": "march"}]}}, "Invalid input: plan.steps.0: unknown op 'march'"),
    ("plan", {"plan": PRODUCTS, "max_rows": 2}, "The query plan exceeds a limit: "),
    ("evidence", {"id": "0a"}, "Resource not found: this evidence is no longer kept; ask the question again"),
]


@both
async def test_errors_say_what_to_do(url: str, mode: str) -> None:
    async with Client(f"{url}/mcp", mode=mode) as agent:
        for tool, arguments, said in ERRORS:
            assert said in await failure(agent, tool, **arguments)


@both
async def test_the_guide_and_the_schema_are_resources(url: str, mode: str) -> None:
    async with Client(f"{url}/mcp", mode=mode) as agent:
        assert [str(one.uri) for one in (await agent.list_resources()).resources] == ["kgqa://guide", "kgqa://schema"]

        [page] = (await agent.read_resource("kgqa://guide")).contents
        [schema] = (await agent.read_resource("kgqa://schema")).contents
        assert page.text == guide()  # type: ignore[union-attr]
        assert json.loads(schema.text) == await call(agent, "schema")  # type: ignore[union-attr]


@both
async def test_what_is_not_there_is_named(url: str, mode: str) -> None:
    async with Client(f"{url}/mcp", mode=mode) as agent:
        with pytest.raises(MCPError, match="the tools are ask, schema"):
            await agent.call_tool("answer", {})
        with pytest.raises(MCPError, match="there are kgqa://guide"):
            await agent.read_resource("kgqa://other")


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"name": "ask", "arguments": '{"question": "?"}'}, "params.arguments: expected a JSON object, found a string"),
        ({"name": "ask", "arguments": [1]}, "params.arguments: expected a JSON object, found an array"),
        ({"name": 3}, "params.name: Input should be a valid string"),
        ({"arguments": {}}, "params.name: Field required"),
    ],
)
async def test_an_invalid_parameter_is_named(url: str, params: dict[str, Any], said: str) -> None:
    body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    async with httpx.AsyncClient(base_url=url, trust_env=False) as http:
        reply = await http.post("/mcp", json=body, headers={"Accept": "application/json, text/event-stream"})
    error = reply.json()["error"]
    assert (reply.json()["id"], error["code"]) == (7, -32602)
    assert error["message"].startswith(said)


async def test_a_notification_needs_no_reply(url: str) -> None:
    body = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    async with httpx.AsyncClient(base_url=url, trust_env=False) as http:
        reply = await http.post("/mcp", json=body, headers={"Accept": "application/json, text/event-stream"})
    assert (reply.status_code, reply.content) == (202, b"")


async def test_no_session_is_kept_and_no_stream_opened(url: str) -> None:
    async with httpx.AsyncClient(base_url=url, trust_env=False) as http:
        for method in ("GET", "DELETE", "PUT"):
            reply = await http.request(method, "/mcp", headers={"Accept": "text/event-stream"})
            assert (reply.status_code, reply.json()["type"]) == (405, "urn:kgqa:error:method-not-allowed")
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        accepted = {"Accept": "application/json, text/event-stream"}
        reply = await http.post("/mcp", json=ping, headers=accepted)
        assert (reply.status_code, reply.headers.get("mcp-session-id")) == (200, None)
        assert reply.json()["result"] == {}
        ids = ("null", "[1]", "1.5", "true", "{}")
        with_ids = [f'{{"jsonrpc": "2.0", "id": {one}, "method": "tools/list"}}' for one in ids]
        for body in ("{", "[]", "1", '{"jsonrpc": "2.0"}', *with_ids):
            headers = {**accepted, "Content-Type": "application/json"}
            reply = await http.post("/mcp", content=body, headers=headers)
            assert 400 <= reply.status_code < 500
            assert (reply.json()["jsonrpc"], reply.json()["id"], "pydantic" in reply.text) == ("2.0", None, False)
        assert (await http.post("/mcp", content=b"x" * 1_000_001)).status_code == 413
        assert 'route="/mcp",status="200"' in (await http.get("/metrics")).text
