"""Serve the Model Context Protocol over HTTP, without sessions: any replica can answer any request."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

MCP_PATH = "/mcp"
MAX_MCP_BODY_BYTES = 1_000_000


class McpEndpoint:
    """An ASGI app for POST requests; it works while `running`.

    The middleware of the service has checked the API key, the host, and the size of the body before.
    """

    def __init__(self, server: Server[Any]) -> None:
        self._server = server
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Accept requests in the block."""
        manager = StreamableHTTPSessionManager(
            self._server, json_response=True, stateless=True, max_request_body_size=MAX_MCP_BODY_BYTES
        )
        async with manager.run():
            self._manager = manager
            try:
                yield
            finally:
                self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if self._manager is None:
            raise RuntimeError("the service has not started, or is stopping")
        await self._manager.handle_request(scope, receive, send)
