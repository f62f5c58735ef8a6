"""Assign request IDs, record metrics, and log one line per request."""

import logging
import time
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared.request_context import REQUEST_ID_HEADER, accept_request_id, current_request_id
from shared.web.disconnection import is_disconnected
from shared.web.health import ServiceMetrics
from shared.web.problems import unexpected_error_response
from shared.web.routes import route_of

log = logging.getLogger("kgqa.requests")

_CLIENT_CLOSED_REQUEST = 499
QUIET_ROUTES = {"/healthz", "/readyz", "/metrics"}


class ObservabilityMiddleware:
    """Observe each request without logging its contents, and respond to an unexpected exception with a problem.

    A request whose client disconnects before the end of the response counts with status 499.
    """

    def __init__(self, app: ASGIApp, metrics: ServiceMetrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = accept_request_id(Headers(scope=scope).get(REQUEST_ID_HEADER))
        current_request_id.set(request_id)
        status = _CLIENT_CLOSED_REQUEST
        is_started = is_delivered = False

        async def send_with_id(message: Message) -> None:
            nonlocal status, is_started, is_delivered
            if message["type"] == "http.response.start":
                status, is_started = message["status"], True
                MutableHeaders(scope=message)[REQUEST_ID_HEADER] = request_id
            # The server may close the connection itself once it has the whole response.
            elif not message.get("more_body", False):
                is_delivered = not is_disconnected(scope)
            await send(message)

        started = time.perf_counter()
        try:
            await self._app(scope, receive, send_with_id)
        except Exception as error:
            if is_started:
                status = HTTPStatus.INTERNAL_SERVER_ERROR
                raise
            await unexpected_error_response(Request(scope), error)(scope, receive, send_with_id)
        finally:
            if not is_delivered and is_disconnected(scope):
                status = _CLIENT_CLOSED_REQUEST
            self._record(scope, status, time.perf_counter() - started)

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        route = route_of(scope)
        self._metrics.requests.labels(route, status).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        level = logging.DEBUG if route in QUIET_ROUTES else logging.INFO
        request_id = current_request_id.get()
        log.log(level, "%s %s %d %.1f ms id=%s", scope["method"], route, status, seconds * 1000, request_id)
