"""A service that stood still for a while does not blame others for it."""

import asyncio
import os
import signal

import httpx
import pytest
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from shared.processes import free_port, start_module, stop
from tests.fakes.serving import serving
from tests.support.waiting import HANGS_AFTER_S

FROZEN_S = 2.5
UNKNOWN = {
    "topic_entities": [],
    "hops": {"predicted": 0, "probabilities": [1.0]},
    "relation_paths": [],
    "answers": [],
    "evidence": [],
    "confidence": 0.0,
    "other_answers": [],
    "plan": None,
    "alternatives": [],
    "warnings": [],
    "truncated": False,
    "graph_version": "1",
    "link_ms": 1.0,
    "retrieve_ms": 1.0,
}


async def _retriever(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await asyncio.sleep(0.3)
        await JSONResponse(UNKNOWN)(scope, receive, send)


async def _ask(client: httpx.AsyncClient) -> int:
    return (await client.post("/ask", json={"question": "Which countries border France?"})).status_code


@pytest.mark.parametrize("idle", [False, True])
async def test_an_answerer_that_was_frozen_answers_at_once(idle: bool) -> None:
    port = free_port()
    async with (
        serving(_retriever) as retriever,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=HANGS_AFTER_S) as client,
    ):
        settings = {
            "KGQA_ANSWERER_PORT": str(port),
            "KGQA_ANSWERER_RETRIEVER_URL": retriever,
            "KGQA_ANSWERER_RETRIEVER_TIMEOUT_S": "1",
        }
        process = start_module("services.answerer", environment={**os.environ, **settings})
        try:
            for _ in range(300):
                try:
                    assert await _ask(client) == 200
                    break
                except httpx.HTTPError:
                    await asyncio.sleep(0.1)
            in_flight = [] if idle else [asyncio.create_task(_ask(client)) for _ in range(8)]
            await asyncio.sleep(0.1)
            process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(FROZEN_S)
            process.send_signal(signal.SIGCONT)
            await asyncio.gather(*in_flight)

            assert await asyncio.gather(*(_ask(client) for _ in range(8))) == [200] * 8
        finally:
            process.send_signal(signal.SIGCONT)
            await asyncio.to_thread(stop, process, 10)
