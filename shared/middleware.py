"""Pure-ASGI middleware that all services share: request id, request log, metrics, size limit."""

import logging
import time
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared.metrics import ServiceMetrics
from shared.tracing import HEADER, accept_request_id, current_request_id

log = logging.getLogger("kgqa.requests")


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
        status = 500

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
