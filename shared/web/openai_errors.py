"""Render errors as OpenAI does, on the routes that speak its API."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from fastapi.responses import JSONResponse

from shared.errors import BusyError, NotFoundError, UnauthenticatedError, UnknownGraphError
from shared.llm.openai_api import INVALID_REQUEST, RATE_LIMIT, SERVER_ERROR, error_body

OPENAI_PREFIX = "/v1/"
"""Routes that begin with this speak OpenAI's API."""

_CODES = {
    NotFoundError.kind: "model_not_found",
    UnknownGraphError.kind: "model_not_found",
    BusyError.kind: "rate_limit_exceeded",
    UnauthenticatedError.kind: "invalid_api_key",
}


def openai_error(status: int, kind: str, detail: str, errors: Sequence[Mapping[str, str]] = ()) -> JSONResponse:
    """Return an error of one of this project's kinds; `errors` lists the invalid fields, of which the first counts."""
    if status == HTTPStatus.UNPROCESSABLE_ENTITY:
        status = HTTPStatus.BAD_REQUEST  # OpenAI's status for invalid requests
    error_type = SERVER_ERROR if status >= HTTPStatus.INTERNAL_SERVER_ERROR else INVALID_REQUEST
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        error_type = RATE_LIMIT
    field = errors[0]["field"] if errors else None
    return JSONResponse(error_body(detail, error_type, _CODES.get(kind), field), status_code=status)
