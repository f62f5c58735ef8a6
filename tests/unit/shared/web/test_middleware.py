"""Deadlines, crowds and clients that go away, over real connections."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from fastapi import FastAPI
from pydantic import BaseModel

from shared.deadline import HEADER, forgotten, left, read_header, within
from shared.errors import DependencyError, InvalidInputError
from shared.llm.request_coalescing import SharedModel
from shared.outbound.http import ServiceClient
from shared.web import middleware
from shared.web.metrics import ServiceMetrics
from shared.web.service import ServiceSettings, create_service
from tests.fakes.llm import ScriptedModel
from tests.fakes.serving import serving


class Left(BaseModel):
    """What a service is told to have left."""

    seconds: float


class Slow:
    """A service that waits until it is let go; counts who is in it and who was sent away."""

    def __init__(self, settings: ServiceSettings) -> None:
        self.gate = asyncio.Event()
        self.inside = 0
        self.given_up = 0
        self.metrics = ServiceMetrics()

        @asynccontextmanager
        async def lifespan(_: FastAPI) -> AsyncIterator[None]:
            yield

        self.app = create_service("slow", "slow", settings, self.metrics, lambda: {}, lifespan)

        @self.app.post("/wait")
        async def wait(request: Left) -> Left:
            self.inside += 1
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                self.given_up += 1
                raise
            finally:
                self.inside -= 1
            return request

        @self.app.post("/left")
        async def tell(request: Left) -> Left:
            return Left(seconds=left(request.seconds))


async def until(happened: object) -> None:
    """Wait for something that must happen soon."""
    assert callable(happened)
    deadline = time.monotonic() + 5
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        await asyncio.sleep(0.01)


async def test_beyond_so_many_at_a_time_one_is_sent_away() -> None:
    slow = Slow(ServiceSettings(max_in_flight=2))
    async with serving(slow.app) as url, httpx.AsyncClient(base_url=url) as client:
        waiting = [asyncio.create_task(client.post("/wait", json={"seconds": 1})) for _ in range(2)]
        await until(lambda: slow.inside == 2)
        refused = await client.post("/wait", json={"seconds": 1})
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
        assert refused.json()["type"] == "urn:kgqa:error:busy"
        assert slow.metrics.requests.labels("/wait", 429)._value.get() == 1
        assert (await client.get("/healthz")).status_code == 200
        slow.gate.set()
        assert [reply.status_code for reply in await asyncio.gather(*waiting)] == [200, 200]
        assert (await client.post("/wait", json={"seconds": 1})).status_code == 200


async def test_what_a_client_does_not_wait_for_is_given_up() -> None:
    slow = Slow(ServiceSettings())
    async with serving(slow.app) as url:
        async with httpx.AsyncClient(base_url=url) as client:
            asked = asyncio.create_task(client.post("/wait", json={"seconds": 1}))
            await until(lambda: slow.inside == 1)
            asked.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asked
        await until(lambda: slow.given_up == 1)
        await until(lambda: slow.metrics.in_flight._value.get() == 0)
    assert slow.metrics.requests.labels("/wait", 499)._value.get() == 1


async def test_what_is_left_goes_from_service_to_service() -> None:
    slow = Slow(ServiceSettings(request_timeout_s=3))
    async with serving(slow.app) as url:
        client = ServiceClient("slow", url, timeout_s=10)
        alone = await client.call("/left", Left(seconds=100), Left)
        with within(1):
            limited = await client.call("/left", Left(seconds=100), Left)
        with pytest.raises(DependencyError, match="no time is left"), within(0):
            await client.call("/left", Left(seconds=100), Left)
        await client.close()
    assert 2 < alone.seconds <= 3
    assert 0.5 < limited.seconds <= 1


async def test_a_call_ends_with_its_deadline() -> None:
    slow = Slow(ServiceSettings())
    async with serving(slow.app) as url:
        client = ServiceClient("slow", url, timeout_s=10)
        started = time.monotonic()
        with pytest.raises(DependencyError, match="does not answer: not within"), within(0.2):
            await client.call("/wait", Left(seconds=1), Left)
        assert time.monotonic() - started < 2
        await until(lambda: slow.given_up == 1)
        await client.close()


async def test_who_shares_a_prompt_waits_no_longer_than_its_own_deadline() -> None:
    gate = asyncio.Event()
    model = SharedModel(ScriptedModel(["Paris"], gate=gate), most=5)

    async def ask(seconds: float) -> str:
        with within(seconds):
            return await model.complete("x", max_tokens=5)

    hurried, patient = asyncio.create_task(ask(0.1)), asyncio.create_task(ask(5))
    with pytest.raises(DependencyError, match="in the time left"):
        await hurried
    gate.set()
    assert await patient == "Paris"


def test_the_earliest_deadline_holds_and_ends_with_its_block() -> None:
    assert left(7) == 7
    with within(5), within(100), within(None):
        assert 4 < left(7) <= 5
        assert left(1) == 1
        forgotten()
        assert left(7) == 7
    assert left(7) == 7


@pytest.mark.parametrize(("value", "seconds"), [(None, None), ("1500", 1.5), ("0", 0.0)])
def test_the_deadline_header_is_read_in_milliseconds(value: str | None, seconds: float | None) -> None:
    assert read_header(value) == seconds
    assert HEADER == "X-Timeout-Ms"


@pytest.mark.parametrize("value", ["", "-5", "1e3", "٣", "9" * 30, "abc"])
async def test_a_deadline_that_is_no_number_is_refused(value: str) -> None:
    with pytest.raises(InvalidInputError, match="X-Timeout-Ms"):
        read_header(value)
    slow = Slow(ServiceSettings())
    async with serving(slow.app) as url, httpx.AsyncClient(base_url=url) as client:
        headers = [(HEADER.encode(), value.encode())]
        reply = await client.post("/left", json={"seconds": 1}, headers=headers)
    assert (reply.status_code, "X-Timeout-Ms" in reply.json()["detail"]) == (422, True)


async def test_a_deadline_of_the_callers_own_is_not_the_services_failure() -> None:
    slow = Slow(ServiceSettings())
    async with serving(slow.app) as url, httpx.AsyncClient(base_url=url) as client:
        reply = await client.post("/left", json={"seconds": 1}, headers={HEADER: "0"})
        assert (reply.status_code, reply.json()["type"]) == (408, "urn:kgqa:error:deadline-exceeded")
    hurried = Slow(ServiceSettings(request_timeout_s=1e-9))
    async with serving(hurried.app) as url, httpx.AsyncClient(base_url=url) as client:
        reply = await client.post("/left", json={"seconds": 1})
        assert (reply.status_code, reply.json()["type"]) == (503, "urn:kgqa:error:deadline-exceeded")


async def test_a_body_that_does_not_arrive_holds_no_slot_and_is_given_up() -> None:
    slow = Slow(ServiceSettings(max_in_flight=1, receive_timeout_s=0.5))
    slow.gate.set()
    async with serving(slow.app) as url, httpx.AsyncClient(base_url=url) as client:
        stalled = [await begun(url, 100, b"{") for _ in range(4)]
        assert (await client.post("/wait", json={"seconds": 1})).status_code == 200
        started = time.monotonic()
        for reader, writer in stalled:
            reply = await asyncio.wait_for(reader.read(), 5)
            assert reply.startswith(b"HTTP/1.1 408 ")
            assert b"application/problem+json" in reply
            writer.close()
            await writer.wait_closed()
        assert 0.2 < time.monotonic() - started < 2


async def test_large_bodies_share_a_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "_LARGE_BODIES_BYTES", 300_000)
    slow = Slow(ServiceSettings())
    slow.gate.set()
    async with serving(slow.app) as url, httpx.AsyncClient(base_url=url) as client:
        held = [await begun(url, 900_000, b" " * 200_000) for _ in range(2)]
        await asyncio.sleep(0.2)
        refused = await client.post("/wait", content=b" " * 200_000)
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
        assert (await client.post("/wait", json={"seconds": 1})).status_code == 200
        for _, writer in held:
            writer.close()
            await writer.wait_closed()
        await until_accepted(client)


async def until_accepted(client: httpx.AsyncClient) -> None:
    """Wait until the memory of bodies that never arrived is free again."""
    body = json.dumps({"seconds": 1}).encode() + b" " * 200_000
    deadline = time.monotonic() + 5
    while (await client.post("/wait", content=body, headers={"Content-Type": "application/json"})).status_code == 429:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


async def begun(url: str, length: int, body: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A request that has said how long its body is, and sent a part of it."""
    parts = httpx.URL(url)
    reader, writer = await asyncio.open_connection(parts.host, parts.port)
    writer.write(b"POST /wait HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n")
    writer.write(b"Content-Length: %d\r\n\r\n%s" % (length, body))
    await writer.drain()
    return reader, writer
