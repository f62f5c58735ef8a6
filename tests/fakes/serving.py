"""Serve an ASGI app on a real port of this machine."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp

from shared.web.server import server_options

NOBODY = "http://127.0.0.1:1"
"""A URL at which no server listens."""


_IDLE_S = 3600
"""The seconds after which an idle connection is closed: never during a test.

Server and client share an event loop. If a test keeps it busy for longer than this, the loop finds the time up before
it reads the request that has arrived meanwhile, and closes the connection on it.
"""


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.is_up.set()


@asynccontextmanager
async def serving(app: ASGIApp) -> AsyncIterator[str]:
    """Serve the app, and yield its URL."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = _Server(uvicorn.Config(app, **server_options(), timeout_keep_alive=_IDLE_S))
        served = asyncio.create_task(server.serve(sockets=[listening]))
        await server.is_up.wait()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await served
