"""Receive request bodies within limits on size, time, and memory."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ExceptionHandler = Callable[[Request, HTTPException], Awaitable[Response]]

# Every connection may buffer this much anyway, so only the excess counts towards the memory limit for large bodies.
_SMALL_BODY_BYTES = 65_536
_LARGE_BODIES_BYTES = 33_554_432


class BodyLimitMiddleware:
    """Receive the whole body before the request counts towards the concurrency limit.

    The middleware responds with 413 if the body is larger than `max_bytes`, or than the limit in `larger` for its path;
    408 if it takes longer than `seconds`; and 429 if all bodies together exceed `_LARGE_BODIES_BYTES`, not counting the
    first `_SMALL_BODY_BYTES` of each. The server then closes the connection, because the request is incomplete. The
    exception handler `on_rejection` builds the response.
    """

    def __init__(
        self,
        app: ASGIApp,
        max_bytes: int,
        seconds: float,
        on_rejection: ExceptionHandler,
        larger: Mapping[str, int] | None = None,
    ) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._seconds = seconds
        self._on_rejection = on_rejection
        self._larger = larger or {}
        self._reserved_bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        limit = self._larger.get(scope["path"], self._max_bytes)
        reserved = [0]
        messages: list[Message] = []

        async def receive_body_first() -> Message:
            return messages.pop() if messages else await receive()

        try:
            # Check this before the server requests the body (100 Continue). The parser has validated the number.
            _check_size(int(Headers(scope=scope).get("content-length", "0")), limit)
            messages.append(await self._receive_all(receive, limit, reserved))
        except HTTPException as error:
            response = await self._on_rejection(Request(scope), error)
            await response(scope, receive, send)
        else:
            if messages[0]["type"] != "http.disconnect":
                await self._app(scope, receive_body_first, send)
        finally:
            self._reserved_bytes -= reserved[0]

    async def _receive_all(self, receive: Receive, limit: int, reserved: list[int]) -> Message:
        """Return the whole body as one message, or the client's disconnect message."""
        body = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return message
                    body += message.get("body", b"")
                    _check_size(len(body), limit)
                    self._reserve(len(body), reserved)
                    if not message.get("more_body", False):
                        return {"type": "http.request", "body": bytes(body), "more_body": False}
        except TimeoutError as error:
            detail = f"the body did not arrive within {self._seconds:g} s; send it without pauses"
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, detail) from error

    def _reserve(self, size: int, reserved: list[int]) -> None:
        more = max(0, size - _SMALL_BODY_BYTES) - reserved[0]
        if self._reserved_bytes + more > _LARGE_BODIES_BYTES:
            detail = "too many large bodies are arriving; retry shortly"
            raise HTTPException(HTTPStatus.TOO_MANY_REQUESTS, detail, {"Retry-After": "1"})
        reserved[0] += more
        self._reserved_bytes += more


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        detail = f"the body is larger than {limit} bytes; send a smaller one"
        raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail)
