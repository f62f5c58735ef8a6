"""Record a span for each request, as a part of the caller's trace."""

from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared.request_context import current_request_id
from shared.tracing.tracer import Tracer, current_tracer
from shared.web.middleware.observability import QUIET_ROUTES
from shared.web.routes import route_of


class TracingMiddleware:
    """Let the code that handles a request record its stages with `tracer`, inside a span for the whole request.

    `ObservabilityMiddleware` must come after it, because the span has the request ID.
    """

    def __init__(self, app: ASGIApp, tracer: Tracer) -> None:
        self._app = app
        self._tracer = tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in QUIET_ROUTES:
            await self._app(scope, receive, send)
            return
        status = 0

        async def send_and_note_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        current_tracer.set(self._tracer)
        # A path may contain names; the template of the route is known after the request.
        with self._tracer.span(scope["method"], "server", dict(Headers(scope=scope))) as span:
            try:
                await self._app(scope, receive, send_and_note_status)
            finally:
                route = route_of(scope)
                span.rename(f"{scope['method']} {route}")
                span.set(method=scope["method"], route=route, status=status, request_id=current_request_id.get())
            if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                span.fail(f"status {status}")
