"""Every error becomes problem+json (RFC 9457) here, and only here."""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from shared.contracts import Problem
from shared.errors import BusyError, InvalidInputError, KGQAError
from shared.tracing import HEADER, current_request_id

log = logging.getLogger("kgqa.errors")

RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": description}
    for status, description in {
        400: "The body cannot be read",
        404: "The topic entity, or the route, does not exist",
        413: "The body is too large",
        422: "The request is not valid; `errors` names each field",
        429: "Too many requests at once; ask again after `Retry-After` seconds",
        503: "Something that this service depends on does not answer",
    }.items()
}


# A body may be wrong in tens of thousands of places; who mends the first few will see the others.
_MOST_ERRORS = 20

# What the framework refuses before our own code sees it.
_HTTP_KINDS = {
    400: (InvalidInputError.kind, InvalidInputError.title),
    404: ("no-such-route", "There is no such route"),
    405: ("method-not-allowed", "The route does not take this method"),
    413: ("body-too-large", "The request is too large"),
}


def install_problem_handlers(app: FastAPI) -> None:
    """Answer all errors of `app` as problem+json, without tracebacks."""
    app.add_exception_handler(KGQAError, _on_known)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(Exception, _on_unknown)


def problem(
    request: Request, kind: str, title: str, status: int, detail: str, errors: list[dict[str, str]] | None = None
) -> JSONResponse:
    """One problem+json response."""
    body = Problem(
        type=f"urn:kgqa:error:{kind}",
        title=title,
        status=status,
        detail=detail,
        instance=request.url.path,
        request_id=current_request_id.get(),
        errors=errors or [],
    )
    # An unexpected error is answered outside of the middleware that gives all other responses this header.
    headers = {HEADER: body.request_id}
    return JSONResponse(body.model_dump(), status_code=status, headers=headers, media_type="application/problem+json")


async def _on_known(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, KGQAError)  # noqa: S101 - registered for this type
    if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.warning("%s id=%s", error.detail, current_request_id.get())
    response = problem(request, error.kind, error.title, error.status, error.detail)
    if isinstance(error, BusyError):
        response.headers["Retry-After"] = "1"
    return response


async def _on_invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this type
    errors = [{"field": _field(item), "message": _message(item)} for item in error.errors()[:_MOST_ERRORS]]
    detail = "; ".join(f"{item['field']}: {item['message']}" for item in errors[:5])
    return problem(request, InvalidInputError.kind, InvalidInputError.title, 422, detail, errors)


def _field(item: Mapping[str, Any]) -> str:
    # A JSON syntax error is located by its byte offset, which is no field.
    names = [str(part) for part in item["loc"][1:] if item["type"] != "json_invalid"]
    return ".".join(names) or "body"


def _message(item: Mapping[str, Any]) -> str:
    if item["type"] == "json_invalid":
        return f"not valid JSON at character {item['loc'][-1]}: {item.get('ctx', {}).get('error', '')}".rstrip(": ")
    if item["type"] in {"model_attributes_type", "dict_type"}:
        return "expected a JSON object sent as application/json"
    if item["type"] == "extra_forbidden":
        return "there is no such field; see /docs for those that exist"
    return str(item["msg"])


async def _on_http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this type
    kind, title = _HTTP_KINDS.get(error.status_code, ("http", HTTPStatus(error.status_code).phrase))
    detail = f"{request.method} {request.url.path}: {error.detail}"
    response = problem(request, kind, title, error.status_code, detail)
    response.headers.update(error.headers or {})
    return response


async def _on_unknown(request: Request, error: Exception) -> JSONResponse:
    log.error("unexpected error id=%s", current_request_id.get(), exc_info=error)
    detail = "an unexpected error; the service's log has it under this request_id"
    return problem(request, KGQAError.kind, KGQAError.title, 500, detail)
