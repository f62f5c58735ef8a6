"""Agents see why a part is missing, and only callers with a key reach the tools."""

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

from contracts.ask import AskRequest, AskResponse
from contracts.graphs import (
    GraphsResponse,
    NeighboursRequest,
    NeighboursResponse,
    SchemaRequest,
    SchemaResponse,
)
from contracts.plans import PlanRequest, PlanResponse
from services.answerer.app import create_app
from services.answerer.chat.evidence_store import EvidenceStore
from services.answerer.mcp.server import mcp_server
from services.answerer.settings import AnswererSettings
from shared.api_keys import CallerKey, hash_of
from shared.errors import DependencyError, KGQAError
from tests.fakes.llm import ScriptedModel
from tests.fakes.serving import NOBODY, serving

KEY = "kgqa_" + 43 * "k"


class FailingKnowledge:
    """Raise the same error from each method."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def ask(self, request: AskRequest) -> AskResponse:
        raise self._error

    async def plan(self, request: PlanRequest) -> PlanResponse:
        raise self._error

    async def schema(self, request: SchemaRequest) -> SchemaResponse:
        raise self._error

    async def neighbours(self, request: NeighboursRequest) -> NeighboursResponse:
        raise self._error

    async def graphs(self) -> GraphsResponse:
        raise self._error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            DependencyError("http://10.0.0.1 is down", "the retriever is unreachable"),
            "Dependency unavailable: the retr",
        ),
        (KGQAError("a bug"), "Internal server error: a bug"),
        (RuntimeError("secret detail"), "Internal server error: an unexpected error occurred"),
    ],
)
async def test_failures_are_results_without_secrets(error: Exception, said: str) -> None:
    async with Client(mcp_server(FailingKnowledge(error), EvidenceStore())) as agent:
        for tool, arguments in (("ask", {"question": "?"}), ("schema", {}), ("neighbours", {"entity": "x"})):
            result = await agent.call_tool(tool, arguments)
            [content] = result.content
            assert isinstance(content, TextContent)
            assert result.is_error
            assert content.text.startswith(said)
            assert "secret" not in content.text and "10.0.0.1" not in content.text


@pytest.mark.parametrize(
    ("literal", "said"), [("NaN", "must be a finite"), ("1e999", "must be a finite"), ('"\\ud800"', "hex escape")]
)
async def test_plans_with_values_that_are_no_json_are_refused(literal: str, said: str) -> None:
    plan = '{"steps": [{"op": "project", "columns": [{"name": "x", "value": {"op": "constant", "value": VALUE}}]}]}'
    call = '{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "plan", "arguments": {"plan": %s}}}'
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    settings = AnswererSettings(retriever_url=NOBODY, rewriter_url=NOBODY)
    async with (
        serving(create_app(settings, model=ScriptedModel([]))) as url,
        httpx.AsyncClient(trust_env=False) as http,
    ):
        reply = await http.post(f"{url}/mcp", content=call % plan.replace("VALUE", literal), headers=headers)

    assert reply.status_code == 400
    assert said in reply.json()["error"]["message"]


async def test_only_callers_with_a_key_are_served() -> None:
    settings = AnswererSettings(retriever_url=NOBODY, rewriter_url=NOBODY, api_keys={"agent": CallerKey(hash_of(KEY))})
    async with serving(create_app(settings, model=ScriptedModel([]))) as url:
        async with httpx.AsyncClient(trust_env=False) as http:
            reply = await http.post(f"{url}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
            assert (reply.status_code, reply.json()["type"]) == (401, "urn:kgqa:error:unauthenticated")
        bearer = {"Authorization": f"Bearer {KEY}"}
        allowed = httpx2.AsyncClient(headers=bearer, trust_env=False)
        async with allowed, Client(streamable_http_client(f"{url}/mcp", http_client=allowed)) as agent:
            assert len((await agent.list_tools()).tools) == 6
