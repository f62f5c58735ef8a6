"""An image's HEALTHCHECK."""

import asyncio

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from services.healthcheck import is_alive
from shared.processes import free_port
from tests.fakes.serving import serving


@pytest.mark.parametrize(("status", "alive"), [(200, True), (503, False)])
async def test_it_says_what_healthz_says(status: int, alive: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    # One set for the outside world must not be asked.
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            found = scope["path"] == "/healthz"
            await PlainTextResponse("", status if found else 404)(scope, receive, send)

    async with serving(app) as url:
        assert await asyncio.to_thread(is_alive, int(url.rpartition(":")[2])) is alive


def test_where_nobody_listens_nothing_is_alive() -> None:
    assert not is_alive(free_port())
