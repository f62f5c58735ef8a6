"""Document every response that a service's routes and middleware can return."""

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from shared.llm.openai_api import ErrorReply
from shared.problem import Problem
from shared.request_context import DEADLINE_HEADER, REQUEST_ID_HEADER
from shared.web.open_paths import OpenPaths
from shared.web.openai_errors import OPENAI_PREFIX

_PROBLEMS = {
    HTTPStatus.BAD_REQUEST: "Not a valid HTTP request, or a `Host` that this service does not accept",
    HTTPStatus.METHOD_NOT_ALLOWED: "The route does not support this method",
    HTTPStatus.REQUEST_TIMEOUT: f"The request did not arrive in time, or the time in `{DEADLINE_HEADER}` has passed",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "The headers are too large",
    HTTPStatus.INTERNAL_SERVER_ERROR: "An unexpected error; look up `request_id` in the service's log",
}
_POST_PROBLEMS = _PROBLEMS | {
    HTTPStatus.FORBIDDEN: "The API key does not allow this",
    HTTPStatus.NOT_FOUND: "The graph or the topic entity does not exist",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The body is too large",
    HTTPStatus.UNPROCESSABLE_ENTITY: "The request is invalid; `errors` lists each invalid field",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many requests; retry after `Retry-After` seconds",
    HTTPStatus.SERVICE_UNAVAILABLE: "A dependency of this service is unavailable",
}


def _header(name: str, description: str, **schema: Any) -> dict[str, Any]:
    return {"name": name, "in": "header", "required": False, "description": description, "schema": schema}


_HEADERS = [
    _header(REQUEST_ID_HEADER, "ID of the request: 1 to 64 letters, digits, `.`, `_` or `-`", type="string"),
    _header(
        DEADLINE_HEADER,
        "Milliseconds that the caller will wait",
        type="integer",
        minimum=0,
        maximum=999_999_999,
    ),
]


def needs_dependency() -> dict[int | str, dict[str, Any]]:
    """Document the problems of a GET that other services answer; those of a POST are documented without it."""
    statuses = (
        HTTPStatus.FORBIDDEN,
        HTTPStatus.NOT_FOUND,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.SERVICE_UNAVAILABLE,
    )
    return {status.value: _response(status, _POST_PROBLEMS[status], is_openai=False) for status in statuses}


def link_to_topic(operation_id: str) -> dict[int | str, dict[str, Any]]:
    """Document that the next request to `operation_id` may name a topic entity from this response."""
    link = {
        "operationId": operation_id,
        "description": "Repeat the question for the linked topic entity, or for another one in the list",
        "requestBody": {
            "question": "$request.body#/question",
            "topic_entity": "$response.body#/topic_entities/0/entity",
        },
    }
    return {200: {"links": {"askAboutTopic": link}}}


def document_responses(app: FastAPI, open_paths: OpenPaths | None = None) -> None:
    """Add the problems that each operation can return, and the headers that it reads, to `app.openapi()`.

    All paths need an API key except `open_paths`; by default, none does.
    """

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
            if open_paths is not None:
                _require_keys(app.openapi_schema, open_paths)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way to extend the schema


def _document(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = Problem.model_json_schema()
    schemas["OpenAIError"] = ErrorReply.model_json_schema(ref_template="#/components/schemas/OpenAI{model}")
    schemas["OpenAIErrorDetail"] = schemas["OpenAIError"].pop("$defs")["ErrorDetail"]
    for path, operations in document["paths"].items():
        is_openai = path.startswith(OPENAI_PREFIX)
        for method, operation in operations.items():
            if "HTTPValidationError" in str(operation["responses"].get("422")):
                del operation["responses"]["422"]
            for status, description in (_POST_PROBLEMS if method == "post" else _PROBLEMS).items():
                if is_openai and status is HTTPStatus.UNPROCESSABLE_ENTITY:
                    continue  # invalid requests get 400, as OpenAI's API does
                # A response that the route itself documents takes precedence, such as the 503 of /readyz.
                operation["responses"].setdefault(str(status.value), _response(status, description, is_openai))
            if method == "post":
                operation.setdefault("parameters", []).extend(_HEADERS)
    return document


def _require_keys(document: dict[str, Any], open_paths: OpenPaths) -> None:
    document["components"]["securitySchemes"] = {"apiKey": {"type": "http", "scheme": "bearer"}}
    for path, operations in document["paths"].items():
        if path in open_paths:
            continue
        for operation in operations.values():
            operation["security"] = [{"apiKey": []}]
            problem = _response(
                HTTPStatus.UNAUTHORIZED, "The API key is missing or not valid", path.startswith(OPENAI_PREFIX)
            )
            operation["responses"].setdefault(str(HTTPStatus.UNAUTHORIZED.value), problem)


def _response(status: HTTPStatus, description: str, is_openai: bool) -> dict[str, Any]:
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    if is_openai:  # the server itself rejects malformed requests, whatever their path, with a problem
        content = {"application/json": {"schema": {"$ref": "#/components/schemas/OpenAIError"}}, **content}
    response: dict[str, Any] = {"description": description, "content": content}
    if status is HTTPStatus.TOO_MANY_REQUESTS:
        response["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait"}}
    return response
