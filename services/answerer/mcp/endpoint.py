"""Serve the Model Context Protocol over HTTP, without sessions: any replica can answer any request."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError, JSONRPCNotification, jsonrpc_message_adapter
from pydantic import ValidationError
from pydantic_core import from_json
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from shared.web.json_body import unencodable_values

MCP_PATH = "/mcp"
MAX_MCP_BODY_BYTES = 1_000_000
_NOT_JSON_RPC = (
    "the body must be one message of JSON-RPC 2.0, with a number or a string as id, such as "
    '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
)


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
        body = await Request(scope, receive).body()
        if refusal := _refusal(body):
            await Response(refusal, HTTPStatus.BAD_REQUEST, media_type="application/json")(scope, receive, send)
        else:
            await self._manager.handle_request(scope, _with_body(body, receive), send)


def _refusal(body: bytes) -> str | None:
    """Return the reply to JSON that is no message of JSON-RPC, or that no reply could repeat; None for others.

    The library would reply with a text of pydantic. It takes a request whose ID is null, or of another wrong type, for
    a notification, and does not reply.
    """
    try:
        content = from_json(body)
        message = jsonrpc_message_adapter.validate_python(content, by_name=False)
    except ValidationError:
        return _invalid_request(None, _NOT_JSON_RPC)
    except ValueError:  # not JSON, which the library explains
        return None
    if isinstance(message, JSONRPCNotification) and "id" in content:
        return _invalid_request(None, _NOT_JSON_RPC)
    if faults := unencodable_values(content):
        return _invalid_request(content.get("id"), "; ".join(f"{place}: {fault}" for place, fault in faults[:5]))
    return None


def _invalid_request(id_: int | str | None, message: str) -> str:
    error = ErrorData(code=INVALID_REQUEST, message=message)
    return JSONRPCError(jsonrpc="2.0", id=id_, error=error).model_dump_json(exclude_unset=True)


def _with_body(body: bytes, receive: Receive) -> Receive:
    """Return a function that gives a body that has been read again, and then what follows it."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return pending.pop() if pending else await receive()

    return receive_again
