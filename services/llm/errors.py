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
from shared.api_keys import bearer_token
from shared.errors import BusyError, DependencyError, InvalidInputError, KGQAError, NotFoundError
from shared.llm.openai_api import INVALID_REQUEST, RATE_LIMIT, SERVER_ERROR, ErrorReply, error_body
from shared.web.problems import error_field, error_message

_BUSY_CODE = "rate_limit_exceeded"
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
        BusyError: lambda error: _reply(error, 429, RATE_LIMIT, _BUSY_CODE, {"Retry-After": "1"}),
        NotFoundError: lambda error: _reply(error, 404, INVALID_REQUEST, "model_not_found"),
        PromptTooLongError: lambda error: _reply(error, 400, INVALID_REQUEST, "context_length_exceeded"),
        InvalidInputError: lambda error: _reply(error, 400, INVALID_REQUEST),
        DependencyError: lambda error: _reply(error, 503, SERVER_ERROR),
        KGQAError: lambda error: _reply(error, 500, SERVER_ERROR),
        RequestValidationError: _invalid_request,
        # The server closes the connection afterwards.
        Exception: lambda _: _reply(
            "internal server error; see the server's log", 500, SERVER_ERROR, headers={"Connection": "close"}
        ),
    }
    for raised, answer in handlers.items():
        app.add_exception_handler(raised, _handler(answer))
    app.add_exception_handler(HTTPException, on_http_error)


async def on_http_error(_: Request, error: Exception) -> JSONResponse:
    """Return the response to a request that the framework or the middleware rejects."""
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this type
    if error.status_code == HTTPStatus.TOO_MANY_REQUESTS:
        return _reply(error.detail, error.status_code, RATE_LIMIT, _BUSY_CODE, error.headers)
    return _reply(error.detail, error.status_code, INVALID_REQUEST, headers=error.headers)


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
        message = (
            "this is kgqa's embedded language model, which requires an API key: `Authorization: Bearer KEY`. To ask a "
            "question, send it to the answerer instead: POST /ask, on port 8000 by default"
        )
        refused = _reply(message, 401, INVALID_REQUEST, "invalid_api_key", {"WWW-Authenticate": "Bearer"})
        await refused(scope, receive, send)

    def _has_key(self, headers: Headers) -> bool:
        key = bearer_token(headers.get("authorization", ""))
        return key is not None and hmac.compare_digest(key.encode(), self._expected)


def _handler(answer: Callable[[Any], JSONResponse]) -> Callable[[Request, Exception], Awaitable[JSONResponse]]:
    async def handle(_: Request, error: Exception) -> JSONResponse:
        return answer(error)

    return handle


def as_openai_error(status: HTTPStatus, detail: str) -> tuple[str, bytes]:
    """Format the error for a request that the server rejects before it reaches the application."""
    return "application/json", bytes(_reply(detail, status, INVALID_REQUEST).body)


def _invalid_request(error: RequestValidationError) -> JSONResponse:
    first = error.errors()[0]
    field = error_field(first)
    return _reply(f"{field}: {error_message(first)}", 400, INVALID_REQUEST, param=field)


def _reply(
    message: object,
    status: int,
    kind: str,
    code: str | None = None,
    headers: Mapping[str, str] | None = None,
    param: str | None = None,
) -> JSONResponse:
    return JSONResponse(error_body(message, kind, code, param), status_code=status, headers=headers)
