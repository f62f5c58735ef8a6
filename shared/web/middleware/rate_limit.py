"""Limit the requests that each caller sends per minute."""

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from shared.errors import BusyError
from shared.web.middleware.api_key import CALLER
from shared.web.problems import problem_response
from shared.web.rate_limits import CallerLimits

_NOBODY = ""


class RateLimitMiddleware:
    """Respond with 429 to POST requests beyond a caller's limit, before their body is read.

    Requests without a limit are not counted.
    """

    def __init__(self, app: ASGIApp, limits: CallerLimits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST":
            caller = scope.get("state", {}).get(CALLER, _NOBODY)
            if (allowed := self._limits.per_minute(caller)) is not None:
                seconds = await self._limits.limiter.seconds_to_wait(caller, allowed)
                if seconds is not None:
                    error = BusyError(_detail(caller, allowed, seconds), seconds)
                    await problem_response(Request(scope), error)(scope, receive, send)
                    return
        await self._app(scope, receive, send)


def _detail(caller: str, allowed: int, seconds: int) -> str:
    who = f"the key of {caller} allows" if caller else "callers without a key may send"
    return f"{who} {allowed} requests per minute; retry in {seconds} s"
