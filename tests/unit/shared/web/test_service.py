"""The features of every service, on a small app."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from fastapi import APIRouter, FastAPI

from contracts.ask import AskRequest
from shared import __version__
from shared.errors import BusyError, DependencyError, UnknownEntityError
from shared.settings import ServiceSettings
from shared.web.health import ServiceMetrics
from shared.web.service import MAX_BODY_BYTES, create_service

_up = {"graph": True}


@asynccontextmanager
async def _nothing(_: FastAPI) -> AsyncIterator[None]:
    yield


async def _graph_is_ready() -> bool:
    if not _up["graph"]:
        raise ConnectionError("gone")
    return True


@pytest.fixture
def client() -> httpx.AsyncClient:
    app = create_service("test", "test", ServiceSettings(), ServiceMetrics(), {"graph": _graph_is_ready}, _nothing)

    @app.post("/ask")
    async def ask(request: AskRequest) -> dict[str, str]:
        if request.question == "unknown":
            raise UnknownEntityError("the graph has no entity named 'Atlantis'")
        if request.question == "gone":
            raise DependencyError("the graph does not answer")
        if request.question == "much":
            raise BusyError("32 long questions wait already")
        if request.question == "bug":
            raise RuntimeError("secret detail")
        return {"question": request.question}

    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://localhost")


async def _problem(client: httpx.AsyncClient, content: str | bytes, **headers: str) -> httpx.Response:
    reply = await client.post("/ask", content=content, headers={"Content-Type": "application/json", **headers})
    assert reply.headers["content-type"] == "application/problem+json"
    body = reply.json()
    assert body["status"] == reply.status_code
    assert set(body) >= {"type", "title", "status", "detail", "instance", "request_id"}
    return reply


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ("{", "body", "invalid JSON"),
        ("", "body", ""),
        ("[]", "body", "JSON object"),
        ('"x"', "body", "JSON object"),
        ("null", "body", ""),
        ("{}", "question", "required"),
        ('{"question": ""}', "question", "at least 1 character"),
        ('{"question": "   "}', "question", "at least 1 character"),
        ('{"question": null}', "question", "string"),
        ('{"question": 5}', "question", "string"),
        ('{"question": ["a"]}', "question", "string"),
        (json.dumps({"question": "x" * 1001}), "question", "at most 1000 characters"),
        ('{"question": "\\ud800"}', "question", ""),
        ('{"question": "q", "format": "prose"}', "format", "'text', 'template', 'triples', 'yaml' or 'none'"),
        ('{"question": "q", "beam": 0}', "beam", "greater than or equal to 1"),
        ('{"question": "q", "beam": 1.5}', "beam", "integer"),
        ('{"question": "q", "beam": NaN}', "beam", ""),
        ('{"question": "q", "max_paths": 1000}', "max_paths", "less than or equal to 50"),
        ('{"question": "q", "topic_entity": ""}', "topic_entity", "at least 1 character"),
        ('{"question": "q", "topic_entity": {"a": 1}}', "topic_entity", "string"),
        ('{"question": "q", "question_text": "q"}', "question_text", "unknown field"),
    ],
)
async def test_invalid_requests_name_the_field(client: httpx.AsyncClient, body: str, field: str, words: str) -> None:
    reply = await _problem(client, body)
    assert reply.status_code == 422
    assert reply.json()["errors"][0]["field"] == field
    assert words in reply.json()["errors"][0]["message"]


async def test_a_body_in_another_encoding_is_a_client_error(client: httpx.AsyncClient) -> None:
    reply = await _problem(client, b'{"question": "\xff"}')
    assert 400 <= reply.status_code < 500


async def test_rejects_a_huge_body(client: httpx.AsyncClient) -> None:
    reply = await _problem(client, json.dumps({"question": "x" * MAX_BODY_BYTES}))
    assert reply.status_code == 413
    assert str(MAX_BODY_BYTES) in reply.json()["detail"]
    assert reply.json()["type"] == "urn:kgqa:error:body-too-large"


@pytest.mark.parametrize(("question", "status"), [("unknown", 404), ("gone", 503), ("bug", 500)])
async def test_errors_become_problems(client: httpx.AsyncClient, question: str, status: int) -> None:
    reply = await _problem(client, json.dumps({"question": question}))
    assert reply.status_code == status
    assert reply.headers["x-request-id"] == reply.json()["request_id"]
    assert "secret" not in reply.text
    assert "Traceback" not in reply.text


async def test_unknown_routes_and_methods_return_problems(client: httpx.AsyncClient) -> None:
    for reply in (await client.get("/nowhere"), await client.get("/ask")):
        assert reply.headers["content-type"] == "application/problem+json"
        assert reply.status_code in {404, 405}


async def test_health_and_the_api_document_report_the_version(client: httpx.AsyncClient) -> None:
    assert (await client.get("/healthz")).json() == {"status": "alive", "version": __version__}
    assert (await client.get("/openapi.json")).json()["info"]["version"] == __version__


async def test_readiness_follows_the_dependency(client: httpx.AsyncClient) -> None:
    assert (await client.get("/readyz")).json() == {"status": "ready", "checks": {"graph": True}}
    _up["graph"] = False
    try:
        reply = await client.get("/readyz")
        assert reply.status_code == 503
        assert reply.json()["checks"] == {"graph": False}
        assert (await client.get("/healthz")).status_code == 200
    finally:
        _up["graph"] = True


async def test_metrics_count_requests_by_route_and_status(client: httpx.AsyncClient) -> None:
    await client.post("/ask", json={"question": "q"})
    await client.post("/ask", json={})
    await client.get("/nowhere")
    page = (await client.get("/metrics")).text
    assert 'kgqa_requests_total{route="/ask",status="200"} 1.0' in page
    assert 'kgqa_requests_total{route="/ask",status="422"} 1.0' in page
    assert 'kgqa_requests_total{route="unmatched",status="404"} 1.0' in page


async def test_keeps_a_safe_request_id_and_replaces_any_other(client: httpx.AsyncClient) -> None:
    kept = await client.post("/ask", json={"question": "q"}, headers={"X-Request-ID": "abc-1"})
    assert kept.headers["X-Request-ID"] == "abc-1"
    replaced = await _problem(client, "{}", **{"X-Request-ID": "a b; drop"})
    assert replaced.headers["X-Request-ID"] == replaced.json()["request_id"] != "a b; drop"


async def test_a_busy_response_has_a_retry_after_header(client: httpx.AsyncClient) -> None:
    reply = await _problem(client, json.dumps({"question": "much"}))

    assert (reply.status_code, reply.headers["Retry-After"]) == (429, "1")


async def test_all_methods_of_a_path_are_allowed() -> None:
    app = create_service("test", "test", ServiceSettings(), ServiceMetrics(), {}, _nothing)
    router = APIRouter()

    @app.get("/two")
    async def get() -> None:
        pass

    @router.post("/two")
    async def post() -> None:
        pass

    app.include_router(router)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        reply = await client.put("/two")
        other = await client.post("/healthz")

    assert (reply.status_code, reply.headers["Allow"]) == (405, "GET, POST")
    assert other.headers["Allow"] == "GET"


async def test_requests_that_are_rejected_before_routing_count_for_their_route() -> None:
    app = create_service("test", "test", ServiceSettings(), ServiceMetrics(), {}, _nothing, max_body_bytes=1)
    router = APIRouter()

    @router.post("/included/{name}")
    async def included(name: str) -> None:
        pass

    app.include_router(router)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        assert (await client.post("/included/a", content=b"long")).status_code == 413
        assert (await client.post("/nothing", content=b"long")).status_code == 413
        metrics = (await client.get("/metrics")).text

    assert 'route="/included/{name}",status="413"} 1.0' in metrics
    assert 'route="unmatched",status="413"} 1.0' in metrics
