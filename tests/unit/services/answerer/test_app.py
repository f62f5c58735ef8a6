"""Test the answerer over HTTP, with a retriever and a rewriter on other ports."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.responses import JSONResponse

from contracts.rewrite import RewriteResponse
from services.answerer.app import create_app
from services.answerer.settings import AnswererSettings
from shared.llm.client import LanguageModel
from tests.fakes.llm import FailingModel, ScriptedModel
from tests.fakes.services import capital_of_france
from tests.fakes.serving import NOBODY, serving


def retriever(status: int = 200, kind: str = "unknown-topic-entity", ready: int = 200) -> FastAPI:
    app = FastAPI()

    @app.post("/retrieve")
    async def retrieve() -> JSONResponse:
        if status == 200:
            return JSONResponse(capital_of_france().model_dump())
        return JSONResponse({"type": f"urn:kgqa:error:{kind}", "detail": "no Atlantis"}, status)

    @app.get("/readyz")
    async def readyz() -> JSONResponse:
        return JSONResponse({}, ready)

    return app


def rewriter() -> FastAPI:
    app = FastAPI()

    @app.post("/rewrite")
    async def rewrite() -> RewriteResponse:
        return RewriteResponse(texts=["The capital is Paris."], degraded=[], cached=0)

    @app.get("/readyz")
    async def readyz() -> dict[str, str]:
        return {}

    return app


@asynccontextmanager
async def client(retriever_app: FastAPI | None, model: LanguageModel | None = None) -> AsyncIterator[httpx.AsyncClient]:
    async with AsyncExitStack() as stack:
        retriever_url = await stack.enter_async_context(serving(retriever_app)) if retriever_app else NOBODY
        rewriter_url = await stack.enter_async_context(serving(rewriter()))
        settings = AnswererSettings(retriever_url=retriever_url, rewriter_url=rewriter_url)
        app = create_app(settings, model=model or ScriptedModel(["Paris"] * 5))
        url = await stack.enter_async_context(serving(app))
        yield await stack.enter_async_context(httpx.AsyncClient(base_url=url, trust_env=False))


async def ask(retriever_app: FastAPI | None, **body: Any) -> httpx.Response:
    async with client(retriever_app) as http:
        return await http.post("/ask", json={"question": "capital of France?", **body})


async def test_answers() -> None:
    reply = await ask(retriever())
    assert reply.status_code == 200
    body = reply.json()
    assert body["answer"] == "The capital of France is Paris."
    assert body["answers"] == [
        {"value": "Paris", "id": "Paris", "kind": None, "detail": None, "score": 0.9, "evidence": [0]}
    ]
    assert body["evidence"][0]["text"] == "The capital is Paris."
    assert body["request_id"] == reply.headers["X-Request-ID"]


@pytest.mark.parametrize(
    ("app", "status", "words"),
    [
        (retriever(404), 404, "no Atlantis"),
        (retriever(422, "invalid-input"), 422, "no Atlantis"),
        (retriever(429, "busy"), 429, "no Atlantis"),
        (retriever(500, "internal"), 503, "the retriever returned 500: no Atlantis"),
        (retriever(401, "unauthenticated"), 503, "a dependency of this service is unavailable"),
        (None, 503, "the retriever is unreachable; retry shortly"),
    ],
)
async def test_errors_of_the_retriever(app: FastAPI | None, status: int, words: str) -> None:
    reply = await ask(app)
    assert reply.status_code == status
    assert words in reply.json()["detail"]
    assert "127.0.0.1" not in reply.text


async def test_ready_only_when_all_it_needs_is_ready() -> None:
    async with client(retriever()) as http:
        assert (await http.get("/readyz")).json()["checks"] == {
            "retriever": True,
            "rewriter": True,
            "llm": True,
            "model": True,
        }
    for app in (retriever(ready=503), None):
        async with client(app) as http:
            reply = await http.get("/readyz")
            assert reply.status_code == 503
            assert reply.json()["checks"] == {"retriever": False, "rewriter": True, "llm": True, "model": True}


async def test_an_outdated_retriever_is_reported_and_serves() -> None:
    app, reason = FastAPI(), "trained on a different version"

    @app.get("/readyz")
    async def readyz() -> dict[str, object]:
        return {"status": "ready", "checks": {"model": False}, "reasons": {"model": reason}}

    async with client(app) as http:
        reply = await http.get("/readyz")
    assert reply.status_code == 200
    assert (reply.json()["checks"]["model"], reply.json()["reasons"]) == (False, {"model": reason})


async def test_ready_without_what_it_can_answer_without() -> None:
    async with client(retriever(), FailingModel()) as http:
        reply = await http.get("/readyz")
        assert reply.status_code == 200
        assert reply.json()["checks"] == {"retriever": True, "rewriter": True, "llm": False, "model": True}
        assert (await http.post("/ask", json={"question": "capital of France?"})).json()["answers"]
