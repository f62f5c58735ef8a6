"""The embedded language model over OpenAI's HTTP API; the model's name chooses the adapter, as with vLLM."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import JSONResponse
from fastapi.security import HTTPBearer

from services.llm.errors import (
    RequireKey,
    as_openai_error,
    error_responses,
    install_error_handlers,
    on_http_error,
)
from services.llm.schema import ChatRequest, Completion, Model, ModelList
from services.llm.slots import Models, Slots
from shared import __version__
from shared.errors import NotFoundError
from shared.web.health import Health
from shared.web.middleware.body_limit import BodyLimitMiddleware
from shared.web.server import run

_CLIENT_GONE = 499
_OPEN_PATHS = ("/healthz", "/openapi.json")
# Completions are short; who stops the server does not want to wait for those that nobody will read.
STOP_TIMEOUT_S = 3
# Room for the longest prompt with every character escaped.
MAX_BODY_BYTES = 65_536
RECEIVE_TIMEOUT_S = 15.0


def create_app(models: Models, api_key: str) -> FastAPI:
    """Serve models at /v1/chat/completions and /v1/models to whoever has the key; errors are in OpenAI's shape."""
    slots = Slots(models)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        slots.close()

    # No page of documentation: it would load scripts from elsewhere.
    app = FastAPI(
        title="Embedded language model",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.openapi = lambda: _without_422(app)  # type: ignore[method-assign]
    install_error_handlers(app)
    app.add_middleware(
        BodyLimitMiddleware, max_bytes=MAX_BODY_BYTES, seconds=RECEIVE_TIMEOUT_S, on_rejection=on_http_error
    )
    app.add_middleware(RequireKey, key=api_key, open_paths=_OPEN_PATHS)
    # `RequireKey` refuses before the body is read; this only documents that there is a key.
    documented_key = [Depends(HTTPBearer(auto_error=False))]

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
            raise NotFoundError(f"there is no model {body.model!r} here; there is {', '.join(models.names)}")
        reply = await _unless_gone(request, slots.complete(body.model, body.for_llama()))
        return Response(status_code=_CLIENT_GONE) if reply is None else JSONResponse(reply)

    return app


def serve(models: Models, api_key: str, host: str, port: int) -> None:
    """Serve models until interrupted."""
    run(create_app(models, api_key), host, port, STOP_TIMEOUT_S, as_openai_error)


async def _unless_gone(request: Request, work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any] | None:
    """The result of `work`, or None if the client closes the connection first: `work` is cancelled then."""
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
    """FastAPI's document without the status of its own validation errors, which are a 400 here."""
    document = FastAPI.openapi(app)
    for operations in document["paths"].values():
        for operation in operations.values():
            operation["responses"].pop("422", None)
    return document
