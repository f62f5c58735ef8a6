"""The embedded language model over OpenAI's HTTP API; the model's name chooses the adapter, as with vLLM."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, Protocol

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from shared.errors import DependencyError, InvalidInputError, KGQAError, NotFoundError
from shared.llm.embedded_engine import SLOTS_A_MODEL

_CLIENT_GONE = 499


class Models(Protocol):
    """What is served; `EmbeddedModels` or a test's stand-in."""

    names: tuple[str, ...]

    def complete(self, model: str, slot: int, request: dict[str, Any]) -> dict[str, Any]:
        """Run a chat completion, blocking."""
        ...

    def close(self) -> None:
        """Release what is held."""
        ...


class Message(BaseModel):
    """One turn of a conversation."""

    model_config = ConfigDict(extra="ignore")

    role: str
    content: str


class ChatRequest(BaseModel):
    """The part of OpenAI's chat completion request that this server knows; other fields are ignored."""

    model_config = ConfigDict(extra="ignore")

    model: str
    messages: list[Message] = Field(min_length=1)
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    temperature: float = Field(default=1.0, ge=0.0)
    top_p: float = Field(default=1.0, gt=0.0, le=1.0)
    seed: int | None = None
    stop: str | list[str] | None = None
    stream: bool = False


def create_app(models: Models, default_max_tokens: int = 256) -> FastAPI:
    """Serve models at /v1/chat/completions and /v1/models; errors are in OpenAI's shape."""
    workers = ThreadPoolExecutor(max_workers=SLOTS_A_MODEL * len(models.names), thread_name_prefix="llm")
    slots: dict[str, asyncio.Queue[int]] = {}

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        for name in models.names:
            slots[name] = asyncio.Queue()
            for slot in range(SLOTS_A_MODEL):
                slots[name].put_nowait(slot)
        yield
        workers.shutdown(cancel_futures=True)
        models.close()

    app = FastAPI(title="Embedded language model", lifespan=lifespan, openapi_url=None)
    _install_error_handlers(app)

    @app.get("/healthz")
    async def healthz() -> dict[str, str]:
        return {"status": "alive"}

    @app.get("/v1/models")
    async def list_models() -> dict[str, Any]:
        listed = [{"id": name, "object": "model", "created": 0, "owned_by": "kgqa"} for name in models.names]
        return {"object": "list", "data": listed}

    @app.post("/v1/chat/completions")
    async def chat(body: ChatRequest, request: Request) -> JSONResponse:
        if body.stream:
            raise InvalidInputError("this server does not stream: leave out `stream`")
        if body.model not in slots:
            raise NotFoundError(f"there is no model {body.model!r} here; there is {', '.join(models.names)}")
        free = slots[body.model]
        slot = await free.get()
        try:
            if await request.is_disconnected():
                # It gave up while it waited for a slot: what it asked for would only keep others waiting.
                return _error("the client closed the connection", _CLIENT_GONE, "server_error", None)
            loop = asyncio.get_running_loop()
            asked = _llama_request(body, default_max_tokens)
            reply = await asyncio.shield(loop.run_in_executor(workers, models.complete, body.model, slot, asked))
        finally:
            free.put_nowait(slot)
        return JSONResponse(reply)

    return app


def serve(models: Models, host: str, port: int) -> None:
    """Serve models until interrupted."""
    uvicorn.run(create_app(models), host=host, port=port, log_level="warning", access_log=False)


def _llama_request(body: ChatRequest, default_max_tokens: int) -> dict[str, Any]:
    asked = body.model_dump(include={"messages", "temperature", "top_p", "seed", "stop"}, exclude_none=True)
    asked["max_tokens"] = body.max_completion_tokens or body.max_tokens or default_max_tokens
    return asked


def _install_error_handlers(app: FastAPI) -> None:
    handlers: dict[type[Exception], Callable[[Exception], JSONResponse]] = {
        NotFoundError: lambda error: _error(str(error), 404, "invalid_request_error", "model_not_found"),
        KGQAError: lambda error: _error(str(error), _status(error), _kind(error), None),
        RequestValidationError: lambda error: _error(_first_reason(error), 400, "invalid_request_error", None),
    }
    for raised, answer in handlers.items():
        app.add_exception_handler(raised, _handler(answer))


def _handler(answer: Callable[[Exception], JSONResponse]) -> Callable[[Request, Exception], Awaitable[JSONResponse]]:
    async def handle(_: Request, error: Exception) -> JSONResponse:
        return answer(error)

    return handle


def _status(error: Exception) -> int:
    return 503 if isinstance(error, DependencyError) else 400 if isinstance(error, InvalidInputError) else 500


def _kind(error: Exception) -> str:
    return "invalid_request_error" if _status(error) == 400 else "server_error"


def _first_reason(error: Exception) -> str:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this class alone
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'][1:])}: {first['msg']}"


def _error(message: str, status: int, kind: str, code: str | None) -> JSONResponse:
    return JSONResponse({"error": {"message": message, "type": kind, "param": None, "code": code}}, status_code=status)
