"""Reject requests that are addressed to a different host."""

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from shared.errors import InvalidInputError
from shared.web.problems import problem_response


class UntrustedHostError(InvalidInputError):
    """Raised when the `Host` header names a host that the service does not accept."""

    status = 400


class TrustedHostMiddleware:
    """Prevent DNS rebinding: respond with 400 unless `allowed` contains the request's `Host` or `*`."""

    def __init__(self, app: ASGIApp, allowed: Collection[str]) -> None:
        self._app = app
        self._allowed = frozenset(allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and "*" not in self._allowed:
            host = Headers(scope=scope).get("host", "")
            if _without_port(host).lower() not in self._allowed:
                error = UntrustedHostError(f"this service does not accept requests for the host {host!r}")
                await problem_response(Request(scope), error)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _without_port(host: str) -> str:
    name, _, port = host.rpartition(":")
    return name if name and port.isdecimal() and not name.endswith(":") else host
