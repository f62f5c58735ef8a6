"""Ask questions over `POST /ask/stream`, and check that each stream is whole and about its own question."""

import asyncio
import json
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlsplit

Answers = tuple[Sequence[str], bool]
"""The answer set of a question, and whether the system abstained."""
FINDINGS = ("topic", "plan", "answers", "evidence")
_LATE = "late"


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a stream, and when it arrived, in seconds since the request."""

    name: str
    data: Any
    after_s: float


@dataclass(slots=True)
class StreamCounts:
    """Count what went wrong with streams.

    `whole` streams have all events once, and a result about their own question; `late` ones abstained because time ran
    out. `lost`, `duplicated`, and `crossed` streams lack events, have events twice, or have a result about something
    else. `refused` counts replies without a stream, by status, `broken` connections that the service
    closed, by error, and `left` streams that the client left.
    """

    whole: int = 0
    late: int = 0
    lost: int = 0
    duplicated: int = 0
    crossed: int = 0
    failed: int = 0
    left: int = 0
    refused: Counter[int] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    first_event_s: list[float] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)

    def add(self, question: str, request_id: str, events: Sequence[Event], expected: Answers) -> None:
        """Count a stream that has ended."""
        names = Counter(event.name for event in events)
        if "error" in names:
            self.failed += 1
        elif any(names[name] > 1 for name in (*FINDINGS, "result")):
            self._keep("duplicated", question, events)
        elif not _is_complete(events):
            self._keep("lost", question, events)
        elif any(warning["kind"] == _LATE for warning in events[-1].data["warnings"]):
            self.late += 1
        elif not _is_about(events, request_id, expected):
            self._keep("crossed", question, events)
        else:
            self.whole += 1

    def _keep(self, fault: str, question: str, events: Sequence[Event]) -> None:
        setattr(self, fault, getattr(self, fault) + 1)
        result = events[-1].data if events else None
        self.examples.append(f"{fault}: {question}: {[event.name for event in events]}: {json.dumps(result)[:300]}")


def answers_of(result: Mapping[str, Any]) -> Answers:
    """Return the answers of a reply, and whether the system abstained."""
    return [str(answer["value"]) for answer in result["answers"]], result["abstained"]


def _is_complete(events: Sequence[Event]) -> bool:
    """Return whether the findings come first, the result last, and the texts add up to the answer."""
    if tuple(event.name for event in events[: len(FINDINGS)]) != FINDINGS or events[-1].name != "result":
        return False
    return bool(_text(events) == events[-1].data["answer"])


def _text(events: Sequence[Event]) -> str:
    """Return what a client shows after all events."""
    text = ""
    for event in events:
        if event.name == "text":
            text += event.data["text"]
        elif event.name == "discard":
            text = ""
    return text


def _is_about(events: Sequence[Event], request_id: str, expected: Answers) -> bool:
    result, found = events[-1].data, events[2].data
    is_own = result["request_id"] == request_id and found["answers"] == result["answers"]
    return is_own and answers_of(result) == expected


class StreamConnection:
    """One connection that is kept alive. Sockets are plain, because a client library would need more CPU."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, url: str, pause_s: float) -> None:
        self._reader = reader
        self._writer = writer
        self._pause_s = pause_s
        parts = urlsplit(url)
        self._head = f"POST {parts.path}/ask/stream HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json"
        self.status = 0

    @classmethod
    async def open(cls, url: str, pause_s: float = 0.0) -> Self:
        """Connect; a slow client pauses before it reads each chunk, and buffers little."""
        parts = urlsplit(url)
        limit = 2**12 if pause_s else 2**20
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=limit)
        return cls(reader, writer, url, pause_s)

    async def ask(self, question: str, request_id: str) -> AsyncIterator[Event]:
        """Send a question, and yield the events as they arrive; none if the status is not 200."""
        body = json.dumps({"question": question}).encode()
        head = f"{self._head}\r\nX-Request-ID: {request_id}\r\nContent-Length: {len(body)}\r\n\r\n"
        started = time.perf_counter()
        self._writer.write(head.encode() + body)
        self.status = 0
        headers = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        self.status = int(headers.split()[1])
        if "transfer-encoding: chunked" not in headers:
            length = next(line for line in headers.split("\r\n") if line.startswith("content-length:"))
            await self._reader.readexactly(int(length.split(":")[1]))
            return
        rest = b""
        async for chunk in self._chunks():
            *blocks, rest = (rest + chunk).split(b"\n\n")
            for block in blocks:
                yield _event(block, time.perf_counter() - started)

    async def _chunks(self) -> AsyncIterator[bytes]:
        while True:
            if self._pause_s:
                await asyncio.sleep(self._pause_s)
            size = int(await self._reader.readuntil(b"\r\n"), 16)
            chunk = await self._reader.readexactly(size + 2)
            if not size:
                return
            yield chunk[:-2]

    def abort(self) -> None:
        """Break the connection, as a client that vanishes does."""
        self._writer.transport.abort()


def _event(block: bytes, after_s: float) -> Event:
    name, _, data = block.partition(b"\n")
    return Event(name.removeprefix(b"event: ").decode(), json.loads(data.removeprefix(b"data: ")), after_s)


def new_request_id() -> str:
    """Return a request ID that no other stream has."""
    return uuid.uuid4().hex
