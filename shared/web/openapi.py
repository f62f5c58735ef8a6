"""The OpenAPI document of a service: every response that its routes and its middleware can give."""

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from shared.contracts import Problem
from shared.deadline import HEADER as DEADLINE_HEADER
from shared.tracing import HEADER as REQUEST_ID_HEADER

_ANY_REQUEST = {
    HTTPStatus.BAD_REQUEST: "Not a valid HTTP request, or for a host that this service does not answer for",
    HTTPStatus.METHOD_NOT_ALLOWED: "The route does not take this method",
    HTTPStatus.REQUEST_TIMEOUT: f"The request did not arrive in time, or was not answered within `{DEADLINE_HEADER}`",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "The headers are too large",
    HTTPStatus.INTERNAL_SERVER_ERROR: "An unexpected error; the service's log has it under `request_id`",
}
_POST = {
    HTTPStatus.NOT_FOUND: "The topic entity does not exist",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The body is too large",
    HTTPStatus.UNPROCESSABLE_ENTITY: "The request is not valid; `errors` names each field",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many requests at once; ask again after `Retry-After` seconds",
    HTTPStatus.SERVICE_UNAVAILABLE: "Something that this service depends on does not answer",
}
_HEADERS = [
    {
        "name": REQUEST_ID_HEADER,
        "in": "header",
        "required": False,
        "description": "The caller's id of the request: 1 to 64 letters, digits, `.`, `_` or `-`; else a new one",
        "schema": {"type": "string"},
    },
    {
        "name": DEADLINE_HEADER,
        "in": "header",
        "required": False,
        "description": "Milliseconds that the caller waits",
        "schema": {"type": "integer", "minimum": 0, "maximum": 999_999_999},
    },
]


def link_to_topic(operation_id: str) -> dict[int | str, dict[str, Any]]:
    """Document that a response lists topic entities which the next request to `operation_id` may name."""
    link = {
        "operationId": operation_id,
        "description": "Ask again about the topic entity that was linked, or about another one that is listed",
        "requestBody": {
            "question": "$request.body#/question",
            "topic_entity": "$response.body#/topic_entities/0/entity",
        },
    }
    return {200: {"links": {"askAboutTopic": link}}}


def document_responses(app: FastAPI) -> None:
    """Make `app.openapi()` list the problems that each operation can answer with, and the headers that it reads."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way to extend the document


def _document(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = Problem.model_json_schema()
    for operations in document["paths"].values():
        for method, operation in operations.items():
            problems = _ANY_REQUEST | (_POST if method == "post" else {})
            # A route's own documentation of a status stands, such as the 503 of /readyz.
            operation["responses"].pop("422", None)
            for status, description in problems.items():
                operation["responses"].setdefault(str(status.value), _problem(status, description))
            if method == "post":
                operation.setdefault("parameters", []).extend(_HEADERS)
    return document


def _problem(status: HTTPStatus, description: str) -> dict[str, Any]:
    response: dict[str, Any] = {
        "description": description,
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    if status is HTTPStatus.TOO_MANY_REQUESTS:
        response["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait"}}
    return response
