"""Limit the number of requests in flight."""

from prometheus_client import Gauge
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from shared.errors import BusyError
from shared.web.problems import problem_response


class ConcurrencyLimitMiddleware:
    """Reject POST requests beyond `max_in_flight` with 429 and `Retry-After`; `gauge` counts the accepted ones."""

    def __init__(self, app: ASGIApp, max_in_flight: int, gauge: Gauge) -> None:
        self._app = app
        self._max_in_flight = max_in_flight
        self._gauge = gauge
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
        elif self._in_flight >= self._max_in_flight:
            error = BusyError(f"{self._max_in_flight} requests are already in progress; retry shortly")
            await problem_response(Request(scope), error)(scope, receive, send)
        else:
            self._in_flight += 1
            try:
                with self._gauge.track_inprogress():
                    await self._app(scope, receive, send)
            finally:
                self._in_flight -= 1
