"""An ASGI app behind a real port of this machine, for clients that speak HTTP."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp

from shared.web.server import server_options

NOBODY = "http://127.0.0.1:1"
"""Where nobody answers."""


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.is_up.set()


@asynccontextmanager
async def serving(app: ASGIApp) -> AsyncIterator[str]:
    """The app's URL, for as long as it is served."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = _Server(uvicorn.Config(app, **server_options()))
        served = asyncio.create_task(server.serve(sockets=[listening]))
        await server.is_up.wait()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await served
