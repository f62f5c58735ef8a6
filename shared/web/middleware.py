"""Pure-ASGI middleware that all services share: request id, log, metrics; limits of host, size, number and time.

A request passes, in this order: `ObserveRequests`, `CheckHost`, `ReceiveBody`, `LimitInFlight`, `KeepDeadline`.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from http import HTTPStatus

from prometheus_client import Gauge
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared.deadline import HEADER as DEADLINE_HEADER
from shared.deadline import read_header, within
from shared.errors import BusyError, InvalidInputError, KGQAError
from shared.tracing import HEADER, accept_request_id, current_request_id
from shared.web.metrics import ServiceMetrics
from shared.web.problems import problem_of, unexpected

log = logging.getLogger("kgqa.requests")

ExceptionHandler = Callable[[Request, Exception], Awaitable[Response]]

_CLIENT_WENT_AWAY = 499
# Every connection may buffer this much anyway, so only what exceeds it counts towards the memory for large bodies.
_SMALL_BODY_BYTES = 65_536
_LARGE_BODIES_BYTES = 33_554_432


class ObserveRequests:
    """Gives each request an id, counts and times it, and writes one log line; contents are never logged.

    Answers an unexpected error with a problem, so that the connection stays usable.
    """

    def __init__(self, app: ASGIApp, metrics: ServiceMetrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = accept_request_id(Headers(scope=scope).get(HEADER))
        current_request_id.set(request_id)
        status = _CLIENT_WENT_AWAY
        is_started = False

        async def send_with_id(message: Message) -> None:
            nonlocal status, is_started
            if message["type"] == "http.response.start":
                status, is_started = message["status"], True
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        started = time.perf_counter()
        try:
            await self._app(scope, receive, send_with_id)
        except Exception as error:
            if is_started:
                status = HTTPStatus.INTERNAL_SERVER_ERROR
                raise
            await unexpected(Request(scope), error)(scope, receive, send_with_id)
        finally:
            self._record(scope, status, time.perf_counter() - started, request_id)

    def _record(self, scope: Scope, status: int, seconds: float, request_id: str) -> None:
        route = _route(scope)
        self._metrics.requests.labels(route, status).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        level = logging.DEBUG if route in {"/healthz", "/readyz", "/metrics"} else logging.INFO
        log.log(level, "%s %s %d %.1f ms id=%s", scope["method"], route, status, seconds * 1000, request_id)


def _route(scope: Scope) -> str:
    """The path template of the route, also of a request that was refused before it reached the router."""
    if "route" not in scope and "app" in scope:
        for route in scope["app"].routes:
            if route.matches(scope)[0] is not Match.NONE:
                return str(route.path)
    return str(getattr(scope.get("route"), "path", "unmatched"))


class CheckHost:
    """Refuses a request for another host than `allowed` with 400; `*` allows every host.

    A page on the internet whose name resolves to this machine would reach a service on loopback otherwise.
    """

    def __init__(self, app: ASGIApp, allowed: Collection[str]) -> None:
        self._app = app
        self._allowed = frozenset(allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI request."""
        if scope["type"] == "http" and "*" not in self._allowed:
            host = Headers(scope=scope).get("host", "")
            if _without_port(host).lower() not in self._allowed:
                await _refuse(scope, receive, send, HostError(f"this service does not answer for the host {host!r}"))
                return
        await self._app(scope, receive, send)


class HostError(InvalidInputError):
    """A request for a host that the service does not answer for."""

    status = 400


def _without_port(host: str) -> str:
    name, _, port = host.rpartition(":")
    return name if name and port.isdecimal() and not name.endswith(":") else host


class ReceiveBody:
    """Reads the whole body before a request takes a slot; stops at `max_bytes` (413) and after `seconds` (408).

    All bodies together may hold `_LARGE_BODIES_BYTES` beyond the first `_SMALL_BODY_BYTES` of each (429). `on_refusal`
    makes the response, as an exception handler does; the server closes a connection whose request was answered before
    it was complete.
    """

    def __init__(self, app: ASGIApp, max_bytes: int, seconds: float, on_refusal: ExceptionHandler) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._seconds = seconds
        self._on_refusal = on_refusal
        self._held_bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI request."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        with self._reserved() as held:
            try:
                # Before the client is told to continue; the parser has refused what is no number.
                self._check_size(int(Headers(scope=scope).get("content-length", "0")))
                body = await self._whole(receive, held)
            except HTTPException as error:
                response = await self._on_refusal(Request(scope), error)
                await response(scope, receive, send)
                return
            if body["type"] == "http.disconnect":
                return

            messages = [body]

            async def whole_body_first() -> Message:
                return messages.pop() if messages else await receive()

            await self._app(scope, whole_body_first, send)

    async def _whole(self, receive: Receive, held: list[int]) -> Message:
        """Return the body as one message, or the message that the client went away."""
        body = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return message
                    body += message.get("body", b"")
                    self._check_size(len(body))
                    self._account_for(len(body), held)
                    if not message.get("more_body", False):
                        return {"type": "http.request", "body": bytes(body), "more_body": False}
        except TimeoutError as error:
            detail = f"the body did not arrive within {self._seconds:g} s; send it at once"
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, detail) from error

    def _check_size(self, size: int) -> None:
        if size > self._max_bytes:
            detail = f"the body is larger than {self._max_bytes} bytes; send less"
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail)

    def _account_for(self, size: int, held: list[int]) -> None:
        more = max(0, size - _SMALL_BODY_BYTES) - held[0]
        if self._held_bytes + more > _LARGE_BODIES_BYTES:
            detail = "too many large bodies are being received; ask again in a moment"
            raise HTTPException(HTTPStatus.TOO_MANY_REQUESTS, detail, {"Retry-After": "1"})
        held[0] += more
        self._held_bytes += more

    @contextmanager
    def _reserved(self) -> Iterator[list[int]]:
        """Account for the memory of one body until its request ends."""
        held = [0]
        try:
            yield held
        finally:
            self._held_bytes -= held[0]


class LimitInFlight:
    """Rejects POST requests beyond `most` in flight with 429 and `Retry-After`."""

    def __init__(self, app: ASGIApp, most: int, gauge: Gauge) -> None:
        self._app = app
        self._most = most
        self._gauge = gauge
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI request."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
        elif self._in_flight >= self._most:
            busy = BusyError(f"{self._most} requests are being answered already; ask again in a moment")
            await _refuse(scope, receive, send, busy)
        else:
            self._in_flight += 1
            try:
                with self._gauge.track_inprogress():
                    await self._app(scope, receive, send)
            finally:
                self._in_flight -= 1


class KeepDeadline:
    """Cancels a request when its client goes away, and sets its deadline.

    A request takes `seconds` at the most, or what the header `X-Timeout-Ms` allows if that is less.
    """

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI request."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        try:
            allowed = read_header(Headers(scope=scope).get(DEADLINE_HEADER))
        except InvalidInputError as error:
            await _refuse(scope, receive, send, error)
            return
        with within(self._seconds), within(allowed):
            await _while_client_waits(self._app, scope, receive, send)


async def _while_client_waits(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    messages: asyncio.Queue[Message] = asyncio.Queue(1)
    watching: asyncio.Task[None] | None = None
    is_answered = False

    async def noted(message: Message) -> None:
        nonlocal is_answered
        is_answered = message["type"] == "http.response.body" and not message.get("more_body", False)
        await send(message)

    async def watch() -> None:
        while True:
            message = await receive()
            if message["type"] == "http.disconnect" and not is_answered:
                answering.cancel()
            await messages.put(message)

    async def body_then_watch() -> Message:
        nonlocal watching
        if watching is not None:
            return await messages.get()
        message = await receive()
        watching = asyncio.create_task(watch())
        return message

    async def answer() -> None:
        await app(scope, body_then_watch, noted)

    answering = asyncio.create_task(answer())
    try:
        await answering
    except asyncio.CancelledError:
        answering.cancel()
        if not answering.cancelled() or (task := asyncio.current_task()) is None or task.cancelling():
            raise  # not the client, but the server ends
    finally:
        if watching is not None:
            watching.cancel()


async def _refuse(scope: Scope, receive: Receive, send: Send, error: KGQAError) -> None:
    await problem_of(Request(scope), error)(scope, receive, send)
