"""How one service calls another: contracts over HTTP, errors back as the errors they were."""

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from shared.deadline import HEADER as DEADLINE_HEADER
from shared.deadline import left
from shared.errors import (
    BusyError,
    DependencyError,
    InvalidInputError,
    KGQAError,
    NoTimeLeftError,
    TooManyPathsError,
    UnknownEntityError,
)
from shared.outbound.circuit_breaker import Breaker
from shared.outbound.connections import ConnectionFailed, Connections, reason
from shared.outbound.urls import checked_url, shown
from shared.tracing import HEADER, current_request_id

Response = TypeVar("Response", bound=BaseModel)

_OWN = "urn:kgqa:error:"
# Errors that the caller can do something about keep their kind; all others are between the services.
_KEPT = (BusyError, InvalidInputError, NoTimeLeftError, TooManyPathsError, UnknownEntityError)
_BY_TYPE: dict[str, Callable[[str], KGQAError]] = {error.kind: error for error in _KEPT}


class ServiceClient:
    """Calls one service at `base_url`; safe for concurrent use on one event loop.

    Raises InvalidInputError for a `base_url` that is no URL.
    """

    def __init__(self, name: str, base_url: str, timeout_s: float) -> None:
        self._name = name
        url = checked_url(base_url, f"a {name}" if name[0] not in "aeiou" else f"an {name}")
        self._shown = shown(url)
        self._timeout_s = timeout_s
        self._connections = Connections(url)
        self._breaker = Breaker(f"the {name} at {self._shown}")

    async def call(self, route: str, request: BaseModel, response: type[Response]) -> Response:
        """POST `request` to `route`.

        Raises what the service raised (a 4xx problem keeps its kind and message), DependencyError for all else.
        """
        seconds = left(self._timeout_s)
        async with self._breaker.call():
            status, content = await self._sent(route, request, seconds)
            if status == HTTPStatus.OK:
                return self._read(route, content, response)
            error = self._own_error(status, content)
            if error is None:
                raise self._answered(status, "it is no service of this project, or something between does not reach it")
        # A service that says what is wrong answers, and is asked again.
        raise error

    async def _sent(self, route: str, request: BaseModel, seconds: float) -> tuple[int, bytes]:
        headers = {HEADER: current_request_id.get(), DEADLINE_HEADER: str(int(seconds * 1000))}
        try:
            return await self._connections.post(route, request.model_dump_json().encode(), seconds, headers)
        except TimeoutError as error:
            silent = self._silent(f"not within {seconds:.3g} s")
            raise (NoTimeLeftError(silent.detail) if seconds < self._timeout_s else silent) from error
        except ConnectionFailed as error:
            raise self._silent(reason(error)) from error

    def _read(self, route: str, content: bytes, response: type[Response]) -> Response:
        try:
            return response.model_validate_json(content)
        except ValidationError as error:
            raise DependencyError(
                f"the {self._name} at {self._shown} answered {route} in another shape than expected; "
                "do both run the same version?",
                f"the {self._name} answered in another shape than expected",
            ) from error

    async def ready(self) -> bool:
        """Whether the service calls itself ready."""
        try:
            status, _ = await self._connections.get("/readyz", self._timeout_s)
        except (TimeoutError, ConnectionFailed):
            return False
        return status == HTTPStatus.OK

    async def close(self) -> None:
        """Close connections."""
        await self._connections.close()

    def _silent(self, reason: str) -> DependencyError:
        return DependencyError(
            f"the {self._name} at {self._shown} does not answer: {reason}",
            f"the {self._name} does not answer; ask again in a moment",
        )

    def _answered(self, status: int, detail: str) -> DependencyError:
        answered = f"answered {status}: {detail}"
        return DependencyError(f"the {self._name} at {self._shown} {answered}", f"the {self._name} {answered}")

    def _own_error(self, status: int, content: bytes) -> KGQAError | None:
        """The error that a service of this project tells of; None for what others say."""
        try:
            problem = json.loads(content)
            kind, detail = str(problem["type"]), str(problem["detail"])
        except (ValueError, KeyError, TypeError):
            return None
        if not kind.startswith(_OWN) or status < HTTPStatus.BAD_REQUEST:
            return None
        callers_doing = _BY_TYPE.get(kind.removeprefix(_OWN))
        return callers_doing(detail) if callers_doing else self._answered(status, detail)
