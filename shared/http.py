"""How one service calls another: contracts over HTTP, errors back as the errors they were."""

import asyncio
import json
import random
from collections.abc import Mapping
from http import HTTPStatus
from typing import TypeVar

import aiohttp
from pydantic import BaseModel, ValidationError

from shared.breaker import Breaker
from shared.deadline import HEADER as DEADLINE_HEADER
from shared.deadline import left
from shared.errors import (
    DependencyError,
    InvalidInputError,
    KGQAError,
    NoTimeLeftError,
    TooManyPathsError,
    UnknownEntityError,
)
from shared.tracing import HEADER, current_request_id
from shared.urls import checked_url, shown

Response = TypeVar("Response", bound=BaseModel)

# Errors that are the caller's doing keep their kind; all others are between the services.
_BY_TYPE = {
    f"urn:kgqa:error:{error.kind}": error for error in (InvalidInputError, TooManyPathsError, UnknownEntityError)
}


# Shorter than uvicorn's own, so that a connection is not used that the service is about to close.
_KEEP_ALIVE_S = 4.0
_SECONDS_TO_ANOTHER_TRY = (0.02, 0.1)


class ServiceClient:
    """Calls one service at `base_url`; safe for concurrent use on one event loop.

    Raises InvalidInputError for a `base_url` that is no URL.
    """

    def __init__(self, name: str, base_url: str, timeout_s: float) -> None:
        self._name = name
        url = checked_url(base_url, f"a {name}" if name[0] not in "aeiou" else f"an {name}")
        self._base_url = str(url)
        self._shown = shown(url)
        self._timeout_s = timeout_s
        self._opened: aiohttp.ClientSession | None = None
        self._breaker = Breaker(f"the {name} at {self._shown}")

    async def call(self, route: str, request: BaseModel, response: type[Response]) -> Response:
        """POST `request` to `route`.

        Raises what the service raised (a 4xx problem keeps its kind and message), DependencyError for all else.
        """
        seconds = left(self._timeout_s)
        async with self._breaker.call():
            return await self._called(route, request, response, seconds)

    async def _called(self, route: str, request: BaseModel, response: type[Response], seconds: float) -> Response:
        headers = {
            HEADER: current_request_id.get(),
            DEADLINE_HEADER: str(int(seconds * 1000)),
            "Content-Type": "application/json",
        }
        try:
            status, content = await self._asked(route, request.model_dump_json().encode(), headers, seconds)
        except TimeoutError as error:
            silent = self._silent(f"not within {seconds:.3g} s")
            raise (NoTimeLeftError(silent.detail) if seconds < self._timeout_s else silent) from error
        except aiohttp.ClientError as error:
            raise self._silent(_reason(error)) from error
        if status != HTTPStatus.OK:
            raise self._as_error(status, content)
        try:
            return response.model_validate_json(content)
        except ValidationError as error:
            raise DependencyError(
                f"the {self._name} at {self._shown} answered {route} in another shape than expected; "
                "do both run the same version?"
            ) from error

    async def ready(self) -> bool:
        """Whether the service calls itself ready."""
        try:
            status, _ = await self._request("GET", "/readyz")
        except (TimeoutError, aiohttp.ClientError):
            return False
        return status == HTTPStatus.OK

    async def close(self) -> None:
        """Close connections."""
        if self._opened:
            await self._opened.close()

    async def _asked(self, route: str, body: bytes, headers: Mapping[str, str], seconds: float) -> tuple[int, bytes]:
        """Once more where no connection could be made, or one was closed: a replica that goes away lets go of them."""
        async with asyncio.timeout(seconds):
            try:
                return await self._request("POST", route, body, headers)
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(random.uniform(*_SECONDS_TO_ANOTHER_TRY))
                return await self._request("POST", route, body, headers)

    async def _request(
        self, method: str, route: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        url = f"{self._base_url}{route}"
        async with self._session.request(method, url, data=body, headers=headers, allow_redirects=False) as reply:
            return reply.status, await reply.read()

    @property
    def _session(self) -> aiohttp.ClientSession:
        """Opened with the first call: it belongs to the event loop that is running then."""
        if self._opened is None:
            self._opened = aiohttp.ClientSession(
                # A limit would let slow calls starve the question whether the service is ready.
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEP_ALIVE_S),
                timeout=aiohttp.ClientTimeout(total=self._timeout_s),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._opened

    def _silent(self, reason: str) -> DependencyError:
        return DependencyError(f"the {self._name} at {self._shown} does not answer: {reason}")

    def _as_error(self, status: int, content: bytes) -> KGQAError:
        try:
            problem = json.loads(content)
            kind, detail = _BY_TYPE.get(problem["type"]), str(problem["detail"])
        except (ValueError, KeyError, TypeError):
            kind, detail = None, "it is no service of this project, or something between does not reach it"
        if kind is not None:
            return kind(detail)
        return DependencyError(f"the {self._name} at {self._shown} answered {status}: {detail}")


def _reason(error: aiohttp.ClientError) -> str:
    if isinstance(error, aiohttp.ClientConnectorError) and error.os_error.strerror:
        return error.os_error.strerror
    return str(error) or type(error).__name__
