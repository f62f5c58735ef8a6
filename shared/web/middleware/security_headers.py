"""Tell browsers what they may not do with responses."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    # Answers belong to one caller.
    "Cache-Control": "no-store",
}
_DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
# Pages load scripts and styles; a page may set a stricter policy itself.
_PAGE_POLICY = "frame-ancestors 'none'"


class SecurityHeadersMiddleware:
    """Add headers to every response, except those that the response sets itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                is_page = headers.get("content-type", "").startswith("text/html")
                headers.setdefault("Content-Security-Policy", _PAGE_POLICY if is_page else _DATA_POLICY)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)
