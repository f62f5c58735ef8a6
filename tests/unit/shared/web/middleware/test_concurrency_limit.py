import asyncio

import httpx

from shared.settings import ServiceSettings
from tests.fakes.serving import serving
from tests.fakes.slow_service import BODY, SlowService
from tests.support.waiting import until


async def test_rejects_requests_beyond_the_limit() -> None:
    slow = SlowService(ServiceSettings(max_in_flight=2))
    async with serving(slow.app) as url, httpx.AsyncClient(base_url=url) as client:
        waiting = [asyncio.create_task(client.post("/wait", json=BODY)) for _ in range(2)]
        await until(lambda: slow.active == 2)
        rejected = await client.post("/wait", json=BODY)
        assert (rejected.status_code, rejected.headers["Retry-After"]) == (429, "1")
        assert rejected.json()["type"] == "urn:kgqa:error:busy"
        assert slow.metrics.requests.labels("/wait", 429)._value.get() == 1
        assert (await client.get("/healthz")).status_code == 200
        slow.gate.set()
        assert [reply.status_code for reply in await asyncio.gather(*waiting)] == [200, 200]
        assert (await client.post("/wait", json=BODY)).status_code == 200
