"""Pure-ASGI middleware that all services share: request id, log, metrics; limits of size, number and time."""

import asyncio
import logging
import time
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared.deadline import HEADER as DEADLINE_HEADER
from shared.deadline import read_header, within
from shared.errors import BusyError
from shared.metrics import ServiceMetrics
from shared.problems import problem
from shared.tracing import HEADER, accept_request_id, current_request_id

log = logging.getLogger("kgqa.requests")

_CLIENT_WENT_AWAY = 499


class ObserveRequests:
    """Gives each request an id, counts and times it, and writes one log line; contents are never logged."""

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

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        started = time.perf_counter()
        with self._metrics.in_flight.track_inprogress():
            try:
                await self._app(scope, receive, send_with_id)
            except Exception:
                status = HTTPStatus.INTERNAL_SERVER_ERROR
                raise
            finally:
                self._record(scope, status, time.perf_counter() - started, request_id)

    def _record(self, scope: Scope, status: int, seconds: float, request_id: str) -> None:
        route = getattr(scope.get("route"), "path", "unmatched")
        self._metrics.requests.labels(route, status).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        level = logging.DEBUG if route in {"/healthz", "/readyz", "/metrics"} else logging.INFO
        log.log(level, "%s %s %d %.1f ms id=%s", scope["method"], route, status, seconds * 1000, request_id)


class LimitBodySize:
    """Refuses a request whose body is larger than `max_bytes` with 413, without reading it to the end."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        received = 0

        async def limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._max_bytes:
                detail = f"the body is larger than {self._max_bytes} bytes; send less"
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail)
            return message

        await self._app(scope, limited, send)


class LimitInFlight:
    """Refuses a POST beyond `most` at a time with 429, so that a crowd does not make everybody wait in vain."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI request."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
        elif self._in_flight >= self._most:
            busy = BusyError(f"{self._most} requests are being answered already; ask again in a moment")
            response = problem(Request(scope), busy.kind, busy.title, busy.status, busy.detail)
            response.headers["Retry-After"] = "1"
            await response(scope, receive, send)
        else:
            self._in_flight += 1
            try:
                await self._app(scope, receive, send)
            finally:
                self._in_flight -= 1


class KeepDeadline:
    """Ends a request with whoever asked: what it still waits for is given up when the client goes away.

    It takes `seconds` at the most, or what the caller's header leaves it.
    """

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        allowed = read_header(Headers(scope=scope).get(DEADLINE_HEADER))
        messages: asyncio.Queue[Message] = asyncio.Queue(1)
        is_answered = False

        async def noted(message: Message) -> None:
            nonlocal is_answered
            is_answered = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        async def passed_on() -> None:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect" and not is_answered:
                    answering.cancel()
                await messages.put(message)

        async def answered() -> None:
            await self._app(scope, messages.get, noted)

        with within(self._seconds), within(allowed):
            answering = asyncio.create_task(answered())
        reading = asyncio.create_task(passed_on())
        try:
            await answering
        except asyncio.CancelledError:
            answering.cancel()
            if not answering.cancelled() or (task := asyncio.current_task()) is None or task.cancelling():
                raise  # not the client, but the server ends
        finally:
            reading.cancel()
