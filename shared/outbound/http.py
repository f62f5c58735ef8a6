"""Call JSON APIs over HTTP, including the project's own services."""

import asyncio
import json
import random
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Protocol, TypeVar

import aiohttp
from pydantic import BaseModel, ValidationError

from shared.errors import (
    BusyError,
    DeadlineExceededError,
    DependencyError,
    ForbiddenError,
    InvalidInputError,
    KGQAError,
    PlanLimitError,
    TooManyPathsError,
    UnauthenticatedError,
    UnknownEntityError,
    UnknownGraphError,
    UnreachableError,
)
from shared.outbound.circuit_breaker import CircuitBreaker
from shared.outbound.urls import parse_http_url, redact_url
from shared.request_context import DEADLINE_HEADER, REQUEST_ID_HEADER, current_request_id, remaining_time
from shared.tracing.tracer import trace_headers, traced

Response = TypeVar("Response", bound=BaseModel)

# Shorter than uvicorn's keep-alive time, so that no request is sent on a connection that the server is closing.
_KEEP_ALIVE_S = 4.0
_CONNECT_TIMEOUT_S = 5.0
_MAX_BYTES = 64_000_000
_RETRY_DELAY_S = (0.02, 0.1)

_ERROR_URN = "urn:kgqa:error:"
# The caller can act on these errors; all other errors concern only the two services.
_CALLER_ERRORS = (
    BusyError,
    InvalidInputError,
    DeadlineExceededError,
    ForbiddenError,
    PlanLimitError,
    TooManyPathsError,
    UnauthenticatedError,
    UnknownEntityError,
    UnknownGraphError,
)
_ERROR_BY_KIND: dict[str, Callable[[str], KGQAError]] = {error.kind: error for error in _CALLER_ERRORS}


class Sink(Protocol):
    """Takes the body of a successful response as it arrives; `begin` starts over if the request is sent again."""

    def begin(self) -> None:
        """Forget what was fed."""
        ...

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        ...


class HttpClient:
    """Send requests to one server over pooled connections. Safe for concurrent use on one event loop.

    Error messages start with `name`, such as "the retriever". Each call may take up to `timeout_s`, or until the
    current deadline if that comes first. A response of more than `max_bytes` is an error, since a server that never
    stops would fill the memory. `use_proxies` honours the proxies that are set in the environment.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        timeout_s: float,
        headers: Mapping[str, str] | None = None,
        *,
        use_proxies: bool = False,
        max_bytes: int = _MAX_BYTES,
    ) -> None:
        self.location = redact_url(base_url)
        self._name = name
        self._base_url = base_url
        self._timeout_s = timeout_s
        self._headers = headers
        self._use_proxies = use_proxies
        self._max_bytes = max_bytes
        self._opened: aiohttp.ClientSession | None = None
        self._is_closed = False

    async def request(
        self,
        route: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        sink: Sink | None = None,
    ) -> tuple[int, bytes]:
        """Send a GET, or a POST if there is a JSON body, and return the status and body of the response.

        The `sink` takes the body of a successful POST while it arrives.

        A POST is retried once if the connection fails, because a replica that is shutting down closes its connections.
        Raises UnreachableError if the retry fails, too, or if the server does not respond within `timeout_s`, and
        DeadlineExceededError if the request's deadline passes first.
        """
        seconds = remaining_time(self._timeout_s)
        try:
            async with asyncio.timeout(seconds):
                if body is None:
                    return await self._send("GET", route, None, headers)
                headers = {**(headers or {}), "Content-Type": "application/json"}
                try:
                    return await self._send("POST", route, body, headers, sink)
                except aiohttp.ServerTimeoutError:
                    raise
                except aiohttp.ClientConnectionError:
                    await asyncio.sleep(random.uniform(*_RETRY_DELAY_S))
                    return await self._send("POST", route, body, headers, sink)
        except TimeoutError as error:
            problem = f"did not respond within {seconds:.3g} s"
            if seconds < self._timeout_s:
                raise DeadlineExceededError(self.error(problem).detail) from error
            raise self.error(f"{problem}; is it overloaded, or is the timeout too short?", UnreachableError) from error
        except aiohttp.ClientError as error:
            unreachable = f"is unreachable: {reason(error)}; is it running, and is the URL correct?"
            raise UnreachableError(
                self.error(unreachable).detail, f"{self._name} is unreachable; retry shortly"
            ) from error

    def error(self, problem: str, error_type: type[DependencyError] = DependencyError) -> DependencyError:
        """Return an error about this server; HTTP callers do not see its URL."""
        return error_type(f"{self._name} at {self.location} {problem}", f"{self._name} {problem}")

    async def close(self) -> None:
        """Close the connections; later calls raise UnreachableError."""
        self._is_closed = True
        if self._opened:
            await self._opened.close()

    async def _send(
        self,
        method: str,
        route: str,
        body: bytes | None,
        headers: Mapping[str, str] | None,
        sink: Sink | None = None,
    ) -> tuple[int, bytes]:
        url = f"{self._base_url}{route}"
        async with self._session.request(method, url, data=body, headers=headers, allow_redirects=False) as response:
            listener = sink if response.status == HTTPStatus.OK else None
            if listener:
                listener.begin()
            content = bytearray()
            async for data in response.content.iter_any():
                content += data
                if len(content) > self._max_bytes:
                    raise self.error(f"returned more than {self._max_bytes:,} bytes")
                if listener:
                    listener.feed(data)
            return response.status, bytes(content)

    @property
    def _session(self) -> aiohttp.ClientSession:
        """Open the session on the first call, because it belongs to the running event loop."""
        if self._is_closed:  # a background task may still call while the service stops
            raise self.error("is not called any more, because this service is stopping", UnreachableError)
        if self._opened is None:
            self._opened = aiohttp.ClientSession(
                # With a limit, slow calls would delay the readiness check.
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEP_ALIVE_S),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_TIMEOUT_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=self._headers,
                trust_env=self._use_proxies,
            )
        return self._opened


def reason(error: aiohttp.ClientError) -> str:
    """Return why a call failed, using the operating system's message if there is one."""
    if isinstance(error, aiohttp.ClientConnectorError) and error.os_error.strerror:
        return error.os_error.strerror
    if isinstance(error, aiohttp.InvalidURL):
        return type(error).__name__  # the message is the URL, which may contain a password
    return str(error) or type(error).__name__


class ServiceClient:
    """Call one of the project's services, and raise the errors that it reports with their original types.

    Safe for concurrent use on one event loop. Raises InvalidInputError if `base_url` is malformed.
    """

    def __init__(self, name: str, base_url: str, timeout_s: float, api_key: str | None = None) -> None:
        url = parse_http_url(base_url, f"a {name}" if name[0] not in "aeiou" else f"an {name}")
        self._timeout_s = timeout_s
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else None
        self._http = HttpClient(f"the {name}", str(url), timeout_s, headers)
        self._breaker = CircuitBreaker(f"the {name} at {self._http.location}", public_name=f"the {name}")

    async def call(self, route: str, request: BaseModel, response: type[Response]) -> Response:
        """Return the parsed response; errors that the caller cannot act on become a DependencyError."""
        return await self._exchange(route, request.model_dump_json().encode(), response)

    async def fetch(self, route: str, response: type[Response]) -> Response:
        """Return the parsed response to a GET; see `call`."""
        return await self._exchange(route, None, response)

    async def _exchange(self, route: str, body: bytes | None, response: type[Response]) -> Response:
        seconds = remaining_time(self._timeout_s)
        async with self._breaker.call():
            status, content = await self._send(route, body, seconds)
            if status == HTTPStatus.OK:
                return self._parse(route, content, response)
            error = self._reported_error(status, content)
            if error is None:
                raise self._http.error(f"returned {status}; does this URL point to a different server or to a proxy?")
        # The service responded, so the circuit breaker must not count this as a failure.
        raise error

    async def _send(self, route: str, body: bytes | None, seconds: float) -> tuple[int, bytes]:
        path = route.partition("?")[0]
        with traced(f"{'GET' if body is None else 'POST'} {path}", "client") as span:
            headers = {REQUEST_ID_HEADER: current_request_id.get(), DEADLINE_HEADER: str(int(seconds * 1000))}
            status, content = await self._http.request(route, body, {**headers, **trace_headers()})
            span.set(status=status)
            return status, content

    async def ready(self) -> bool:
        """Return whether the service reports that it is ready."""
        try:
            status, _ = await self._http.request("/readyz")
        except DependencyError:
            return False
        return status == HTTPStatus.OK

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()

    def _parse(self, route: str, content: bytes, response: type[Response]) -> Response:
        try:
            return response.model_validate_json(content)
        except ValidationError as error:
            problem = f"returned an unexpected response to {route}; do both services run the same version?"
            raise self._http.error(problem) from error

    def _reported_error(self, status: int, content: bytes) -> KGQAError | None:
        """Return the error that a problem+json response of this project reports, or None for any other response."""
        try:
            problem = json.loads(content)
            urn, detail = str(problem["type"]), str(problem["detail"])
        except (ValueError, KeyError, TypeError):
            return None
        if not urn.startswith(_ERROR_URN) or status < HTTPStatus.BAD_REQUEST:
            return None
        error = _ERROR_BY_KIND.get(urn.removeprefix(_ERROR_URN))
        return error(detail) if error else self._http.error(f"returned {status}: {detail}")
