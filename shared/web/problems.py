"""Every error becomes problem+json (RFC 9457) here, and only here."""

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

from shared.contracts import Problem
from shared.deadline import HEADER as DEADLINE_HEADER
from shared.errors import BusyError, InvalidInputError, KGQAError, NoTimeLeftError
from shared.tracing import current_request_id

log = logging.getLogger("kgqa.errors")

# A body may be wrong in tens of thousands of places; the first few are enough to find the others.
_MOST_ERRORS = 20
_MOST_PATH = 200
_MOST_FIELD = 100

# What the framework or the middleware refuses before a route sees it.
_HTTP_KINDS = {
    400: (InvalidInputError.kind, InvalidInputError.title),
    404: ("no-such-route", "There is no such route"),
    405: ("method-not-allowed", "The route does not take this method"),
    408: ("request-timeout", "The request did not arrive in time"),
    413: ("body-too-large", "The request is too large"),
    429: (BusyError.kind, BusyError.title),
}


def install_problem_handlers(app: FastAPI) -> None:
    """Answer all errors of `app` as problem+json, without tracebacks."""
    app.add_exception_handler(KGQAError, _on_known)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, on_http_error)


def problem(
    request: Request, kind: str, title: str, status: int, detail: str, errors: list[dict[str, str]] | None = None
) -> JSONResponse:
    """One problem+json response."""
    body = Problem(
        type=f"urn:kgqa:error:{kind}",
        title=title,
        status=status,
        detail=detail,
        instance=request.url.path[:_MOST_PATH],
        request_id=current_request_id.get(),
        errors=errors or [],
    )
    return JSONResponse(body.model_dump(), status_code=status, media_type="application/problem+json")


def problem_of(request: Request, error: KGQAError) -> JSONResponse:
    """The response to an error of this project; what only the operator may read goes to the log."""
    if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.warning("%s id=%s", error.detail, current_request_id.get())
    status = error.status
    if isinstance(error, NoTimeLeftError) and DEADLINE_HEADER in request.headers:
        status = HTTPStatus.REQUEST_TIMEOUT.value
    response = problem(request, error.kind, error.title, status, error.public_detail)
    if isinstance(error, BusyError):
        response.headers["Retry-After"] = "1"
    return response


def unexpected(request: Request, error: Exception) -> JSONResponse:
    """The response to a defect: the log has the traceback, the caller gets the id to find it by."""
    log.error("unexpected error id=%s\n%s", current_request_id.get(), _traceback(error))
    detail = "an unexpected error; the service's log has it under this request_id"
    return problem(request, KGQAError.kind, KGQAError.title, 500, detail)


def _traceback(error: BaseException) -> str:
    """Format a traceback without the messages of validation errors, which quote the request."""
    whole = TracebackException.from_exception(error)
    pairs: list[tuple[TracebackException | None, BaseException | None]] = [(whole, error)]
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
    return "".join(whole.format())


async def _on_known(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, KGQAError)  # noqa: S101 - registered for this type
    return problem_of(request, error)


async def _on_invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this type
    errors = [{"field": error_field(item), "message": error_message(item)} for item in error.errors()[:_MOST_ERRORS]]
    detail = "; ".join(f"{item['field']}: {item['message']}" for item in errors[:5])
    return problem(request, InvalidInputError.kind, InvalidInputError.title, 422, detail, errors)


def error_field(item: Mapping[str, Any]) -> str:
    """Return the path of a validation error's field, shortened because a caller may name it."""
    # A JSON syntax error is located by its byte offset, which is no field.
    names = [str(part) for part in item["loc"][1:] if item["type"] != "json_invalid"]
    name = ".".join(names) or "body"
    return name if len(name) <= _MOST_FIELD else f"{name[: _MOST_FIELD - 1]}…"


def error_message(item: Mapping[str, Any]) -> str:
    """Return what a validation error says to the caller."""
    if item["type"] == "json_invalid":
        return f"not valid JSON at character {item['loc'][-1]}: {item.get('ctx', {}).get('error', '')}".rstrip(": ")
    if item["type"] in {"model_attributes_type", "dataclass_type", "dict_type"}:
        return "expected a JSON object sent as application/json"
    if item["type"] in {"extra_forbidden", "unexpected_keyword_argument"}:
        return "there is no such field; see /docs for those that exist"
    return str(item["msg"])


async def on_http_error(request: Request, error: Exception) -> JSONResponse:
    """Answer what the framework or the middleware refuses."""
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this type
    kind, title = _HTTP_KINDS.get(error.status_code, ("http", HTTPStatus(error.status_code).phrase))
    detail = f"{request.method} {request.url.path[:_MOST_PATH]}: {error.detail}"
    response = problem(request, kind, title, error.status_code, detail)
    response.headers.update(error.headers or {})
    return response
