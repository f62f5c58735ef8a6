import asyncio
import json

import httpx
import pytest

from shared.settings import ServiceSettings
from shared.web.middleware import body_limit
from tests.fakes.serving import serving
from tests.fakes.slow_service import BODY, SlowService
from tests.support.waiting import HANGS_AFTER_S, until


async def test_a_body_that_does_not_arrive_occupies_no_slot_and_times_out() -> None:
    slow = SlowService(ServiceSettings(max_in_flight=1, receive_timeout_s=0.5))
    slow.gate.set()
    async with serving(slow.app) as url, httpx.AsyncClient(base_url=url) as client:
        stalled = [await _start_request(url, 100, b"{") for _ in range(4)]
        assert (await client.post("/wait", json=BODY)).status_code == 200
        for reader, writer in stalled:
            reply = await asyncio.wait_for(reader.read(), HANGS_AFTER_S)
            assert reply.startswith(b"HTTP/1.1 408 ")
            assert b"application/problem+json" in reply
            writer.close()
            await writer.wait_closed()


async def test_large_bodies_share_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_limit, "_LARGE_BODIES_BYTES", 300_000)
    slow = SlowService()
    slow.gate.set()
    async with serving(slow.app) as url, httpx.AsyncClient(base_url=url) as client:
        stalled = [await _start_request(url, 900_000, b" " * 200_000) for _ in range(2)]
        await asyncio.sleep(0.2)
        rejected = await client.post("/wait", content=b" " * 200_000)
        assert (rejected.status_code, rejected.headers["Retry-After"]) == (429, "1")
        assert (await client.post("/wait", json=BODY)).status_code == 200
        for _, writer in stalled:
            writer.close()
            await writer.wait_closed()
        await _until_accepted(client)


async def _until_accepted(client: httpx.AsyncClient) -> None:
    """Wait until the memory of the incomplete bodies is released."""
    body = json.dumps(BODY).encode() + b" " * 200_000

    async def is_accepted() -> bool:
        return (await client.post("/wait", content=body, headers={"Content-Type": "application/json"})).is_success

    await until(is_accepted)


async def _start_request(url: str, length: int, body: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Announce a body of `length` bytes, and send only a part of it."""
    parts = httpx.URL(url)
    reader, writer = await asyncio.open_connection(parts.host, parts.port)
    writer.write(b"POST /wait HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n")
    writer.write(b"Content-Length: %d\r\n\r\n%s" % (length, body))
    await writer.drain()
    return reader, writer
