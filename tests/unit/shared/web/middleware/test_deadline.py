import asyncio

import httpx
import pytest

from shared.request_context import DEADLINE_HEADER
from shared.settings import ServiceSettings
from tests.fakes.serving import serving
from tests.fakes.slow_service import BODY, SlowService
from tests.support.waiting import until


async def test_cancels_a_request_whose_client_disconnects() -> None:
    slow = SlowService()
    async with serving(slow.app) as url:
        async with httpx.AsyncClient(base_url=url) as client:
            request = asyncio.create_task(client.post("/wait", json=BODY))
            await until(lambda: slow.active == 1)
            request.cancel()
            with pytest.raises(asyncio.CancelledError):
                await request
        await until(lambda: slow.cancelled == 1)
        await until(lambda: slow.metrics.in_flight._value.get() == 0)
    assert slow.metrics.requests.labels("/wait", 499)._value.get() == 1


@pytest.mark.parametrize("value", ["", "-5", "1e3", "٣", "9" * 30, "abc"])
async def test_rejects_an_invalid_deadline_header(value: str) -> None:
    slow = SlowService()
    async with serving(slow.app) as url, httpx.AsyncClient(base_url=url) as client:
        headers = [(DEADLINE_HEADER.encode(), value.encode())]
        reply = await client.post("/remaining", json=BODY, headers=headers)
    assert (reply.status_code, "X-Timeout-Ms" in reply.json()["detail"]) == (422, True)


async def test_only_a_deadline_of_the_caller_returns_408() -> None:
    slow = SlowService()
    async with serving(slow.app) as url, httpx.AsyncClient(base_url=url) as client:
        reply = await client.post("/remaining", json=BODY, headers={DEADLINE_HEADER: "0"})
        assert (reply.status_code, reply.json()["type"]) == (408, "urn:kgqa:error:deadline-exceeded")
    hurried = SlowService(ServiceSettings(request_timeout_s=1e-9))
    async with serving(hurried.app) as url, httpx.AsyncClient(base_url=url) as client:
        reply = await client.post("/remaining", json=BODY)
        assert (reply.status_code, reply.json()["type"]) == (503, "urn:kgqa:error:deadline-exceeded")
