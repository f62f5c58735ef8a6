"""Serve the embedded language model over OpenAI's HTTP API; as with vLLM, the model name selects the adapter."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.security import HTTPBearer

from services.llm.errors import RequireKey, error_responses, install_error_handlers, on_http_error
from services.llm.scheduler import Models, SlotScheduler
from services.llm.schema import ChatRequest, Completion
from shared.errors import NotFoundError
from shared.llm.openai_api import Model, ModelList
from shared.web.application import application
from shared.web.health import Health
from shared.web.middleware.body_limit import BodyLimitMiddleware

_CLIENT_GONE = 499
_OPEN_PATHS = ("/", "/docs", "/healthz", "/openapi.json")
_WHERE_TO_ASK = (
    "This is the language model that kgqa uses to write texts. It does not know the graph. To ask a question, use the "
    "answerer: POST /ask, or /v1 for chat clients, on port 8000 unless KGQA_ANSWERER_PORT says otherwise.\n"
)
# Completions are short, and an operator who stops the server should not wait for replies that nobody will read.
STOP_TIMEOUT_S = 3
# Large enough for the longest prompt, and the longest grammar in both notations, with every character escaped.
MAX_BODY_BYTES = 262_144
RECEIVE_TIMEOUT_S = 15.0


def create_app(models: Models, api_key: str) -> FastAPI:
    """Create the application; clients must send `api_key` as a bearer token."""
    scheduler = SlotScheduler(models)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        scheduler.close()

    app = application("Embedded language model (internal)", _WHERE_TO_ASK, lifespan)
    app.openapi = lambda: _without_422(app)  # type: ignore[method-assign]
    install_error_handlers(app)
    app.add_middleware(
        BodyLimitMiddleware, max_bytes=MAX_BODY_BYTES, seconds=RECEIVE_TIMEOUT_S, on_rejection=on_http_error
    )
    app.add_middleware(RequireKey, key=api_key, open_paths=_OPEN_PATHS)
    # This dependency only documents the key: `RequireKey` rejects requests before their body is read.
    documented_key = [Depends(HTTPBearer(auto_error=False))]

    @app.get("/", include_in_schema=False)
    @app.get("/docs", include_in_schema=False)
    async def say_where_to_ask() -> PlainTextResponse:
        return PlainTextResponse(_WHERE_TO_ASK)

    @app.get("/healthz", responses=error_responses(431, 500))
    async def healthz() -> Health:
        return Health()

    @app.get("/v1/models", dependencies=documented_key, responses=error_responses(401, 431, 500))
    async def list_models() -> ModelList:
        return ModelList(data=[Model(id=name) for name in models.names])

    @app.post(
        "/v1/chat/completions",
        dependencies=documented_key,
        response_model=Completion,
        responses=error_responses(400, 401, 404, 408, 413, 429, 431, 500, 503),
    )
    async def chat(body: ChatRequest, request: Request) -> Response:
        if body.model not in models.names:
            raise NotFoundError(f"unknown model {body.model!r}; available models: {', '.join(models.names)}")
        reply = await _unless_gone(request, scheduler.complete(body.model, body.to_llama_request()))
        return Response(status_code=_CLIENT_GONE) if reply is None else JSONResponse(reply)

    return app


async def _unless_gone(request: Request, work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any] | None:
    """Return the result of `work`, or cancel it and return None if the client closes the connection first."""
    working = asyncio.create_task(work)
    gone = asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait((working, gone), return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        working.cancel()
        gone.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _without_422(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document without FastAPI's 422 responses, because validation errors return 400 here."""
    document = FastAPI.openapi(app)
    for operations in document["paths"].values():
        for operation in operations.values():
            operation["responses"].pop("422", None)
    return document
