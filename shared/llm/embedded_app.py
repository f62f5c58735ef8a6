"""The embedded language model over OpenAI's HTTP API; the model's name chooses the adapter, as with vLLM."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, Protocol

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from shared.errors import DependencyError, InvalidInputError, KGQAError, NotFoundError
from shared.llm.embedded_engine import CONTEXT_TOKENS, SLOTS_A_MODEL
from shared.middleware import ReceiveBody
from shared.server import run

_CLIENT_GONE = 499
# Completions are short; who stops the server does not want to wait for those that nobody will read.
STOP_TIMEOUT_S = 3
MAX_BODY_BYTES = 1_000_000
RECEIVE_TIMEOUT_S = 15.0


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
    max_tokens: int | None = Field(default=None, ge=1, le=CONTEXT_TOKENS)
    max_completion_tokens: int | None = Field(default=None, ge=1, le=CONTEXT_TOKENS)
    temperature: float = Field(default=1.0, ge=0.0)
    top_p: float = Field(default=1.0, gt=0.0, le=1.0)
    seed: int | None = None
    stop: str | list[str] | None = None
    stream: bool = False


class _Slots:
    """Runs completions in threads, as many at once for each model as it has slots; the others wait their turn."""

    def __init__(self, models: Models) -> None:
        self._models = models
        self._workers = ThreadPoolExecutor(max_workers=SLOTS_A_MODEL * len(models.names), thread_name_prefix="llm")
        self._free: dict[str, asyncio.Queue[int]] = {name: asyncio.Queue() for name in models.names}
        for free in self._free.values():
            for slot in range(SLOTS_A_MODEL):
                free.put_nowait(slot)

    async def run(
        self, model: str, asked: dict[str, Any], gone: Callable[[], Awaitable[bool]]
    ) -> dict[str, Any] | None:
        """The completion, or None where the client is gone before its turn comes."""
        free = self._free[model]
        slot = await free.get()
        try:
            abandoned = await gone()
        except BaseException:
            free.put_nowait(slot)
            raise
        if abandoned:
            free.put_nowait(slot)
            return None
        running = asyncio.get_running_loop().run_in_executor(self._workers, self._models.complete, model, slot, asked)
        # The slot is busy until llama.cpp has done, whoever still waits for it.
        running.add_done_callback(lambda _: free.put_nowait(slot))
        return await asyncio.shield(running)

    def close(self) -> None:
        """Let what runs finish, and stop the models."""
        self._workers.shutdown(cancel_futures=True)
        self._models.close()


def create_app(models: Models, default_max_tokens: int = 256) -> FastAPI:
    """Serve models at /v1/chat/completions and /v1/models; errors are in OpenAI's shape."""
    slots = _Slots(models)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        slots.close()

    app = FastAPI(title="Embedded language model", lifespan=lifespan, openapi_url=None)
    app.add_middleware(ReceiveBody, max_bytes=MAX_BODY_BYTES, seconds=RECEIVE_TIMEOUT_S, on_refusal=_handler(_refused))
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
        if body.model not in models.names:
            raise NotFoundError(f"there is no model {body.model!r} here; there is {', '.join(models.names)}")
        reply = await slots.run(body.model, _llama_request(body, default_max_tokens), request.is_disconnected)
        if reply is None:
            return _error("the client closed the connection", _CLIENT_GONE, "server_error", None)
        return JSONResponse(reply)

    return app


def serve(models: Models, host: str, port: int) -> None:
    """Serve models until interrupted."""
    run(create_app(models), host, port, STOP_TIMEOUT_S)


def _llama_request(body: ChatRequest, default_max_tokens: int) -> dict[str, Any]:
    asked = body.model_dump(include={"messages", "temperature", "top_p", "seed", "stop"}, exclude_none=True)
    asked["max_tokens"] = body.max_completion_tokens or body.max_tokens or default_max_tokens
    return asked


def _install_error_handlers(app: FastAPI) -> None:
    handlers: dict[type[Exception], Callable[[Exception], JSONResponse]] = {
        NotFoundError: lambda error: _error(str(error), 404, "invalid_request_error", "model_not_found"),
        KGQAError: lambda error: _error(str(error), _status(error), _kind(error), None),
        HTTPException: _refused,
        RequestValidationError: lambda error: _error(_first_reason(error), 400, "invalid_request_error", None),
    }
    for raised, answer in handlers.items():
        app.add_exception_handler(raised, _handler(answer))


def _handler(answer: Callable[[Exception], JSONResponse]) -> Callable[[Request, Exception], Awaitable[JSONResponse]]:
    async def handle(_: Request, error: Exception) -> JSONResponse:
        return answer(error)

    return handle


def _refused(error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this class alone
    response = _error(str(error.detail), error.status_code, "invalid_request_error", None)
    response.headers.update(error.headers or {})
    return response


def _status(error: Exception) -> int:
    if isinstance(error, HTTPException):
        return error.status_code
    return 503 if isinstance(error, DependencyError) else 400 if isinstance(error, InvalidInputError) else 500


def _kind(error: Exception) -> str:
    return "invalid_request_error" if _status(error) == 400 else "server_error"


def _first_reason(error: Exception) -> str:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this class alone
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'][1:])}: {first['msg']}"


def _error(message: str, status: int, kind: str, code: str | None) -> JSONResponse:
    return JSONResponse({"error": {"message": message, "type": kind, "param": None, "code": code}}, status_code=status)
