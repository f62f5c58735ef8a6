"""Limits, cross-origin rules, and headers apply before a request is read."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from pydantic import SecretStr

from contracts.rewrite import RewriteRequest
from services.answerer import app
from services.answerer.app import create_app
from services.answerer.clients import HttpRewriting
from services.answerer.settings import AnswererSettings
from services.rewriter.app import create_app as create_rewriter
from services.rewriter.settings import RewriterSettings
from shared.api_keys import hash_of
from shared.errors import BusyError, RefusedError
from shared.web.rate_limits import MemoryCounter, RateLimiter
from tests.fakes.llm import ScriptedModel
from tests.fakes.serving import NOBODY, serving

_KEYS = {"chatbot": {"hash": hash_of("c"), "per_minute": 2}, "page": hash_of("p")}
_QUESTION = {"question": "capital of France?"}
_ORIGIN = "https://page.example.com"


@pytest.fixture(autouse=True)
def _stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "rate_limiter", lambda _: RateLimiter(MemoryCounter(), lambda: 610.0))


@asynccontextmanager
async def _client(**settings: object) -> AsyncIterator[httpx.AsyncClient]:
    given = AnswererSettings.model_validate({"retriever_url": NOBODY, "rewriter_url": NOBODY, **settings})
    async with (
        serving(create_app(given, model=ScriptedModel([]))) as url,
        httpx.AsyncClient(base_url=url, trust_env=False) as client,
    ):
        yield client


async def _post(client: httpx.AsyncClient, key: str | None = None, route: str = "/ask") -> httpx.Response:
    return await client.post(route, json=_QUESTION, headers={"X-API-Key": key} if key else {})


async def test_a_caller_beyond_its_limit_waits() -> None:
    async with _client(api_keys=_KEYS) as client:
        admitted = [await _post(client, "c", route) for route in ("/ask", "/ask/stream")]
        refused = await _post(client, "c")
        chat = await _post(client, "c", "/v1/chat/completions")
        other = await _post(client, "p")
        models = await client.get("/v1/models", headers={"X-API-Key": "c"})
    # The retriever is not there.
    assert [reply.status_code for reply in (*admitted, other)] == [503, 503, 503]
    assert models.status_code == 200
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "50")
    assert refused.json()["type"] == f"urn:kgqa:error:{BusyError.kind}"
    assert refused.json()["detail"] == "the key of chatbot allows 2 requests per minute; retry in 50 s"
    assert (chat.status_code, chat.json()["error"]["type"]) == (429, "rate_limit_error")


async def test_a_request_beyond_the_limit_is_refused_before_its_body_is_looked_at() -> None:
    async with _client(requests_per_minute=1) as client:
        statuses = [(await client.post("/ask", content=b"x" * 100_000)).status_code for _ in range(3)]
    assert statuses == [413, 429, 429]


async def test_nothing_is_limited_by_default() -> None:
    async with _client() as client:
        assert {(await _post(client)).status_code for _ in range(20)} == {503}


@pytest.mark.parametrize("route", ["/healthz", "/nothing", "/docs", "/v1/models"])
async def test_browsers_are_told_what_they_may_not_do(route: str) -> None:
    async with _client() as client:
        headers = (await client.get(route)).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert ("default-src 'none'" in headers["content-security-policy"]) is (route != "/docs")


async def test_no_other_page_may_call_by_default() -> None:
    async with _client() as client:
        reply = await client.post("/ask", json=_QUESTION, headers={"Origin": _ORIGIN})
        asked_first = await client.options("/ask", headers={"Origin": _ORIGIN, "Access-Control-Request-Method": "POST"})
    assert asked_first.status_code == 405
    assert not [name for name in {*reply.headers, *asked_first.headers} if name.startswith("access-control-allow")]


async def test_pages_of_the_chosen_origins_may_call_with_a_key() -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}
    async with _client(cors_origins=[_ORIGIN], api_keys=_KEYS) as client:
        allowed = await client.options("/ask", headers={"Origin": _ORIGIN, **asked})
        other = await client.options("/ask", headers={"Origin": "https://other.example.com", **asked})
        reply = await client.post("/ask", json=_QUESTION, headers={"Origin": _ORIGIN})
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, _ORIGIN)
    assert "access-control-allow-origin" not in other.headers
    # Also an error can be read by the page.
    assert (reply.status_code, reply.headers["access-control-allow-origin"]) == (401, _ORIGIN)


async def test_services_ask_each_other_for_keys() -> None:
    settings = RewriterSettings.model_validate({"llm_url": NOBODY, "api_keys": {"answerer": hash_of("a")}})
    request = RewriteRequest(evidence=[], graph_version="1")
    async with serving(create_rewriter(settings, ScriptedModel([]))) as url:
        with_key, without = HttpRewriting("rewriter", url, 60, SecretStr("a\n")), HttpRewriting("rewriter", url, 60)
        assert (await with_key.rewrite(request)).texts == []
        assert await without.ready()
        with pytest.raises(RefusedError, match=r"KGQA_ANSWERER_REWRITER_API_KEY.*KGQA_REWRITER_API_KEYS") as refused:
            await without.rewrite(request)
        assert "KEY" not in refused.value.public_detail
        for client in (with_key, without):
            await client.close()
