"""Responses to clients that are gone, on both event loops."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx
import pytest
import uvloop
from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from shared.settings import ServiceSettings
from shared.web.disconnection import is_disconnected
from shared.web.health import ServiceMetrics
from shared.web.server import BoundedProtocol
from shared.web.service import create_service
from tests.fakes.serving import serving
from tests.support.waiting import until

NewLoop = Callable[[], asyncio.AbstractEventLoop]


@asynccontextmanager
async def _nothing(_: FastAPI) -> AsyncIterator[None]:
    yield


class _Service:
    """Serve one route, which loses its connection before or during its response."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._transports: list[asyncio.Transport] = []
        self.metrics = ServiceMetrics()
        self.app = create_service("test", "test", ServiceSettings(), self.metrics, {}, _nothing)
        self.app.add_api_route("/whole", self._whole, methods=["GET", "POST"])
        self.app.add_api_route("/streamed", self._streamed, methods=["GET", "POST"])
        made = BoundedProtocol.connection_made

        def connection_made(protocol: BoundedProtocol, transport: asyncio.Transport) -> None:
            made(protocol, transport)
            self._transports.append(transport)

        monkeypatch.setattr(BoundedProtocol, "connection_made", connection_made)

    def _lose(self) -> None:
        """Close the connection as a reset does: the protocol learns of it some callbacks later."""
        self._transports[-1].abort()

    async def _whole(self, lost: bool) -> str:
        if lost:
            self._lose()
        return "answer"

    async def _streamed(self, lost: bool) -> StreamingResponse:
        async def parts() -> AsyncIterator[str]:
            yield "first"
            if lost:
                self._lose()
            yield "second"

        return StreamingResponse(parts())

    def counts(self, route: str) -> dict[int, float]:
        return {status: self.metrics.requests.labels(route, status)._value.get() for status in (200, 499, 500)}


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("route", ["/whole", "/streamed"])
@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_a_client_that_leaves_counts_as_disconnected(
    new_loop: NewLoop, route: str, method: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    service = _Service(monkeypatch)

    async def leave() -> None:
        async with serving(service.app) as url, httpx.AsyncClient(base_url=url) as client:
            assert (await client.request(method, f"{route}?lost=false")).is_success
            with pytest.raises(httpx.TransportError):
                await client.request(method, f"{route}?lost=true")
            await until(lambda: sum(service.counts(route).values()) == 2, "it was not counted")

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(leave())
    assert service.counts(route) == {200: 1, 499: 1, 500: 0}
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_server_that_says_nothing_is_taken_for_connected() -> None:
    assert not is_disconnected({"type": "http"})


async def test_a_response_after_which_the_server_closes_counts_as_delivered(monkeypatch: pytest.MonkeyPatch) -> None:
    service = _Service(monkeypatch)
    async with serving(service.app) as url, httpx.AsyncClient(base_url=url) as client:
        reply = await client.get("/whole?lost=false", headers={"Connection": "close"})
        assert reply.json() == "answer"
    assert service.counts("/whole") == {200: 1, 499: 0, 500: 0}
