"""Render every error as problem+json (RFC 9457), or as OpenAI does on routes of its API."""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from traceback import TracebackException
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError, ValidationException
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from shared.errors import BusyError, DeadlineExceededError, InvalidInputError, KGQAError, UnauthenticatedError
from shared.problem import Problem
from shared.request_context import DEADLINE_HEADER, accept_request_id, current_request_id
from shared.validation import error_text, json_place, without_consequences
from shared.web.openai_errors import OPENAI_PREFIX, openai_error
from shared.web.routes import allowed_methods

log = logging.getLogger("kgqa.errors")

_MEDIA_TYPE = "application/problem+json"

# A body may have tens of thousands of errors; the first few are enough to find the others.
_MAX_ERRORS = 20
_MAX_PATH_CHARACTERS = 200
_MAX_FIELD_CHARACTERS = 100

# FastAPI's message for a body that Python cannot read although it is JSON.
_FASTAPI_UNREADABLE = "There was an error parsing the body"
_UNREADABLE = (
    "the body cannot be read; send UTF-8 text, nest its values less deeply, and write numbers of at most 4,300 digits"
)
# The kinds and titles of errors for requests that the framework or the middleware rejects.
_HTTP_KINDS = {
    400: (InvalidInputError.kind, InvalidInputError.title),
    404: ("no-such-route", "Route not found"),
    405: ("method-not-allowed", "Method not allowed"),
    408: ("request-timeout", "Request timeout"),
    413: ("body-too-large", "Request body too large"),
    429: (BusyError.kind, BusyError.title),
}


def install_problem_handlers(app: FastAPI) -> None:
    """Make `app` respond to all expected errors with problem+json."""
    app.add_exception_handler(HTTPException, on_http_error)  # type: ignore[arg-type]

    @app.exception_handler(KGQAError)
    async def on_known_error(request: Request, error: KGQAError) -> JSONResponse:
        return problem_response(request, error)

    @app.exception_handler(RequestValidationError)
    async def on_invalid_request(request: Request, error: RequestValidationError) -> JSONResponse:
        found = without_consequences(error.errors())[:_MAX_ERRORS]
        errors = [{"field": error_field(item), "message": error_message(item)} for item in found]
        detail = "; ".join(f"{item['field']}: {item['message']}" for item in errors[:5])
        return _respond(request, InvalidInputError.kind, InvalidInputError.title, 422, detail, errors)


async def on_http_error(request: Request, error: HTTPException) -> JSONResponse:
    """Return the response to a request that the framework or the middleware rejects."""
    kind, title = _HTTP_KINDS.get(error.status_code, ("http", HTTPStatus(error.status_code).phrase))
    reason = _UNREADABLE if error.detail == _FASTAPI_UNREADABLE else error.detail
    detail = f"{request.method} {request.url.path[:_MAX_PATH_CHARACTERS]}: {reason}"
    response = _respond(request, kind, title, error.status_code, detail)
    response.headers.update(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED and (methods := allowed_methods(request.scope)):
        response.headers["Allow"] = ", ".join(methods)
    return response


def problem_response(request: Request, error: KGQAError) -> JSONResponse:
    """Return the response to one of this project's errors, and log the details that only the operator may read."""
    if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.warning("%s id=%s", error.detail, current_request_id.get())
    status = error.status
    if isinstance(error, DeadlineExceededError) and DEADLINE_HEADER in request.headers:
        status = HTTPStatus.REQUEST_TIMEOUT.value
    response = _respond(request, error.kind, error.title, status, error.public_detail)
    if isinstance(error, BusyError):
        response.headers["Retry-After"] = str(error.retry_after_s)
    if isinstance(error, UnauthenticatedError):
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def unexpected_error_response(request: Request, error: Exception) -> JSONResponse:
    """Return the response to an unexpected error, and log the traceback under the request's ID."""
    log.error("unexpected error id=%s\n%s", current_request_id.get(), _format_traceback(error))
    detail = "an unexpected error occurred; look up this request_id in the service's log"
    return _respond(request, KGQAError.kind, KGQAError.title, 500, detail)


def rejection_as_problem(status: HTTPStatus, detail: str) -> tuple[str, bytes]:
    """Return the media type and body of the response to a request that the server rejects before the app sees it."""
    problem = Problem(
        type=f"urn:kgqa:error:{status.name.lower().replace('_', '-')}",
        title=status.phrase,
        status=status,
        detail=detail,
        instance="",
        request_id=accept_request_id(None),
    )
    return _MEDIA_TYPE, problem.model_dump_json().encode()


def error_field(item: Mapping[str, Any]) -> str:
    """Return the path of the invalid field, truncated because its name may come from the caller."""
    # pydantic locates a JSON syntax error by its byte offset, which is not a field.
    names = json_place(item["loc"][1:]) if item["type"] != "json_invalid" else []
    name = ".".join(names) or "body"
    return name if len(name) <= _MAX_FIELD_CHARACTERS else f"{name[: _MAX_FIELD_CHARACTERS - 1]}…"


def error_message(item: Mapping[str, Any]) -> str:
    """Return a validation error's message for the caller."""
    if item["type"] == "json_invalid":
        return f"invalid JSON at character {item['loc'][-1]}: {item.get('ctx', {}).get('error', '')}".rstrip(": ")
    if item["type"] in {"model_attributes_type", "dataclass_type", "dict_type"} and len(item["loc"]) == 1:
        return "expected a JSON object sent as application/json"
    if item["type"] in {"extra_forbidden", "unexpected_keyword_argument"}:
        return "unknown field; /docs lists the valid ones"
    return error_text(item)


def _respond(
    request: Request, kind: str, title: str, status: int, detail: str, errors: list[dict[str, str]] | None = None
) -> JSONResponse:
    if request.url.path.startswith(OPENAI_PREFIX):
        return openai_error(status, kind, detail, errors or ())
    problem = Problem(
        type=f"urn:kgqa:error:{kind}",
        title=title,
        status=status,
        detail=detail,
        instance=request.url.path[:_MAX_PATH_CHARACTERS],
        request_id=current_request_id.get(),
        errors=errors or [],
    )
    return JSONResponse(problem.model_dump(), status_code=status, media_type=_MEDIA_TYPE)


def _format_traceback(error: BaseException) -> str:
    """Format a traceback without the messages of validation errors, which quote the request."""
    formatted = TracebackException.from_exception(error)
    pairs: list[tuple[TracebackException | None, BaseException | None]] = [(formatted, error)]
    while pairs:
        shown, raised = pairs.pop()
        if shown is None or raised is None:
            continue
        if isinstance(raised, (ValidationError, ValidationException)):
            line = f"{type(raised).__qualname__}: (message omitted, because it quotes the request)\n"
            shown.format_exception_only = lambda line=line, **_: iter([line])  # type: ignore[method-assign,assignment]
        pairs += [(shown.__cause__, raised.__cause__), (shown.__context__, raised.__context__)]
        if isinstance(raised, BaseExceptionGroup):
            pairs += zip(shown.exceptions or [], raised.exceptions, strict=False)
    return "".join(formatted.format())
