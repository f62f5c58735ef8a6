"""The answerer over HTTP, with retriever and rewriter as apps in the same process."""

from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.responses import JSONResponse

from services.answerer.app import create_app
from services.answerer.settings import AnswererSettings
from shared.contracts import RewriteResponse
from tests.fakes.llm import ScriptedModel
from tests.fakes.services import capital_of_france


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


def client(retriever_app: FastAPI | None) -> httpx.AsyncClient:
    class Gone(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            raise httpx.ConnectError("refused")

    app = create_app(
        AnswererSettings(),
        model=ScriptedModel(["Paris"] * 5),
        retriever_transport=httpx.ASGITransport(retriever_app) if retriever_app else Gone(),
        rewriter_transport=httpx.ASGITransport(rewriter()),
    )
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test")


async def ask(retriever_app: FastAPI | None, **body: Any) -> httpx.Response:
    async with client(retriever_app) as http:
        return await http.post("/ask", json={"question": "capital of France?", **body})


async def test_answers() -> None:
    reply = await ask(retriever())
    assert reply.status_code == 200
    body = reply.json()
    assert body["answer"] == "Paris"
    assert body["answers"] == [{"entity": "Paris", "score": 0.9, "evidence": [0]}]
    assert body["evidence"][0]["text"] == "The capital is Paris."
    assert body["request_id"] == reply.headers["X-Request-ID"]


@pytest.mark.parametrize(
    ("app", "status", "words"),
    [
        (retriever(404), 404, "no Atlantis"),
        (retriever(422, "invalid-input"), 422, "no Atlantis"),
        (retriever(500, "internal"), 503, "the retriever at"),
        (None, 503, "does not answer: refused"),
    ],
)
async def test_errors_of_the_retriever(app: FastAPI | None, status: int, words: str) -> None:
    reply = await ask(app)
    assert reply.status_code == status
    assert words in reply.json()["detail"]


async def test_ready_only_when_all_it_needs_is_ready() -> None:
    async with client(retriever()) as http:
        assert (await http.get("/readyz")).json()["checks"] == {"retriever": True, "rewriter": True, "llm": True}
    for app in (retriever(ready=503), None):
        async with client(app) as http:
            reply = await http.get("/readyz")
            assert reply.status_code == 503
            assert reply.json()["checks"] == {"retriever": False, "rewriter": True, "llm": True}
