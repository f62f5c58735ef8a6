"""Return errors in OpenAI's format, and check the API key."""

import hmac
from collections.abc import Awaitable, Callable, Collection, Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from services.llm.engine import PromptTooLongError
from services.llm.schema import ErrorReply
from shared.errors import BusyError, DependencyError, InvalidInputError, KGQAError, NotFoundError
from shared.web.problems import error_field, error_message

_INVALID, _SERVER = "invalid_request_error", "server_error"
_BUSY, _BUSY_CODE = "rate_limit_error", "rate_limit_exceeded"
_DESCRIPTIONS = {
    400: "The request is invalid, or its prompt is too long",
    401: "The API key is missing or incorrect",
    404: "Model not found",
    408: "The request took too long to arrive",
    413: "The body is too large",
    429: "Too many requests are waiting for this model; retry after `Retry-After` seconds",
    431: "The headers are too large",
    500: "Internal server error",
    503: "llama.cpp failed",
}


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the error responses of an operation, for its OpenAPI document."""
    return {status: {"model": ErrorReply, "description": _DESCRIPTIONS[status]} for status in statuses}


def install_error_handlers(app: FastAPI) -> None:
    """Make `app` return every error in OpenAI's format, without a traceback."""
    handlers: dict[type[Exception], Callable[[Any], JSONResponse]] = {
        BusyError: lambda error: _reply(error, 429, _BUSY, _BUSY_CODE, {"Retry-After": "1"}),
        NotFoundError: lambda error: _reply(error, 404, _INVALID, "model_not_found"),
        PromptTooLongError: lambda error: _reply(error, 400, _INVALID, "context_length_exceeded"),
        InvalidInputError: lambda error: _reply(error, 400, _INVALID),
        DependencyError: lambda error: _reply(error, 503, _SERVER),
        KGQAError: lambda error: _reply(error, 500, _SERVER),
        RequestValidationError: lambda error: _reply(_first_reason(error), 400, _INVALID),
        # The server closes the connection afterwards.
        Exception: lambda _: _reply(
            "internal server error; see the server's log", 500, _SERVER, headers={"Connection": "close"}
        ),
    }
    for raised, answer in handlers.items():
        app.add_exception_handler(raised, _handler(answer))
    app.add_exception_handler(HTTPException, on_http_error)


async def on_http_error(_: Request, error: Exception) -> JSONResponse:
    """Return the response to a request that the framework or the middleware rejects."""
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this type
    if error.status_code == HTTPStatus.TOO_MANY_REQUESTS:
        return _reply(error.detail, error.status_code, _BUSY, _BUSY_CODE, error.headers)
    return _reply(error.detail, error.status_code, _INVALID, headers=error.headers)


class RequireKey:
    """Respond with 401 to requests that do not send the key as a bearer token, before reading their body."""

    def __init__(self, app: ASGIApp, key: str, open_paths: Collection[str]) -> None:
        self._app = app
        self._expected = key.encode()
        self._open_paths = open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI request."""
        if scope["type"] != "http" or scope["path"] in self._open_paths or self._has_key(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        message = "this server requires an API key; send the header `Authorization: Bearer KEY`"
        refused = _reply(message, 401, _INVALID, "invalid_api_key", {"WWW-Authenticate": "Bearer"})
        await refused(scope, receive, send)

    def _has_key(self, headers: Headers) -> bool:
        scheme, _, key = headers.get("authorization", "").partition(" ")
        return hmac.compare_digest(key.strip().encode(), self._expected) and scheme.lower() == "bearer"


def _handler(answer: Callable[[Any], JSONResponse]) -> Callable[[Request, Exception], Awaitable[JSONResponse]]:
    async def handle(_: Request, error: Exception) -> JSONResponse:
        return answer(error)

    return handle


def as_openai_error(status: HTTPStatus, detail: str) -> tuple[str, bytes]:
    """Format the error for a request that the server rejects before it reaches the application."""
    return "application/json", bytes(_reply(detail, status, _INVALID).body)


def _first_reason(error: RequestValidationError) -> str:
    first = error.errors()[0]
    return f"{error_field(first)}: {error_message(first)}"


def _reply(
    message: object, status: int, kind: str, code: str | None = None, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    error = {"message": str(message), "type": kind, "param": None, "code": code}
    return JSONResponse({"error": error}, status_code=status, headers=headers)
