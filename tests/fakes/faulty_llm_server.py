"""Serve a language model that misbehaves on the wire, and that a test can switch from one behaviour to another."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

_PAUSE_S = 0.005


class Exchange:
    """A request that the server has read; a behaviour writes whatever it likes in reply.

    `end` is set when the server stops, which is when those that hang give up.
    """

    def __init__(self, writer: asyncio.StreamWriter, prompt: str, end: asyncio.Event) -> None:
        self.prompt = prompt
        self.end = end
        self._writer = writer

    async def send(self, data: bytes) -> None:
        """Send bytes."""
        self._writer.write(data)
        await self._writer.drain()

    async def reply(self, status: str, body: bytes, length: int | None = None) -> None:
        """Send a response with a JSON body, and say that it has `length` bytes."""
        size = len(body) if length is None else length
        await self.send(
            f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n"
            "Connection: close\r\n\r\n".encode()
            + body
        )


Behaviour = Callable[[Exchange], Awaitable[None]]


def writes(text: str | Callable[[str], str]) -> Behaviour:
    """Complete with a text, or with a function of the prompt."""

    async def behave(exchange: Exchange) -> None:
        content = text if isinstance(text, str) else text(exchange.prompt)
        await exchange.reply("200 OK", completion(content))

    return behave


def replies(status: str, body: bytes) -> Behaviour:
    """Reply with a status and a body."""

    async def behave(exchange: Exchange) -> None:
        await exchange.reply(status, body)

    return behave


async def hangs(exchange: Exchange) -> None:
    """Never reply."""
    await exchange.end.wait()


async def drips(exchange: Exchange) -> None:
    """Reply byte by byte, and never come to the end."""
    await exchange.reply("200 OK", b"", 10**9)
    while not exchange.end.is_set():
        await exchange.send(b" ")
        await asyncio.sleep(_PAUSE_S)


async def overflows(exchange: Exchange) -> None:
    """Reply as fast as possible, without an end."""
    await exchange.reply("200 OK", b"", 10**12)
    while not exchange.end.is_set():
        await exchange.send(b" " * 100_000)


async def closes(_: Exchange) -> None:
    """Close the connection without a reply."""


async def breaks_off(exchange: Exchange) -> None:
    """Close the connection in the middle of a reply."""
    await exchange.reply("200 OK", completion("MATCH (n)")[:20], 10**6)


async def babbles(exchange: Exchange) -> None:
    """Send something that is not HTTP."""
    await exchange.send(b"\x15\x03\x01\x00\x02\x02\x46" * 9)


def completion(text: str) -> bytes:
    """Return the body of a completion."""
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()


class FaultyServer:
    """Reply as `behave` does, which a test may replace at any time; `prompts` records the prompts.

    The server can be stopped and started again on the same port.
    """

    def __init__(self, behave: Behaviour) -> None:
        self.behave = behave
        self.prompts: list[str] = []
        self._end = asyncio.Event()
        self._port = 0
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """Return the URL."""
        return f"http://127.0.0.1:{self._port}"

    @asynccontextmanager
    async def running(self) -> AsyncIterator["FaultyServer"]:
        """Serve on a free port."""
        await self.start()
        try:
            yield self
        finally:
            self._end.set()
            await self.stop()

    async def start(self) -> None:
        """Accept connections, on the port of the last start."""
        self._server = await asyncio.start_server(self._exchange, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Refuse connections."""
        if self._server:
            self._server.close()
            await self._server.wait_closed()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            lengths = [line.split(":")[1] for line in head.split("\r\n") if line.lower().startswith("content-length:")]
            body = await reader.readexactly(int(lengths[0])) if lengths else b""
            prompt = json.loads(body)["messages"][0]["content"] if body else ""
            if body:
                self.prompts.append(prompt)
            await self.behave(Exchange(writer, prompt, self._end))
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has gone
        finally:
            writer.close()
