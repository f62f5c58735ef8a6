import asyncio
from types import SimpleNamespace

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from contracts.rewrite import RewriteRequest, RewriteResponse
from services.answerer.clients import HttpRewriting
from shared.errors import DeadlineExceededError, DependencyError, InvalidInputError, UnreachableError
from shared.outbound.http import ServiceClient
from shared.request_context import REQUEST_ID_HEADER, current_request_id, time_limit
from shared.settings import ServiceSettings
from tests.fakes.serving import NOBODY, serving
from tests.fakes.slow_service import Seconds, SlowService
from tests.support.waiting import until

REQUEST = RewriteRequest(evidence=[])


async def call(app: ASGIApp, timeout_s: float = 5.0) -> RewriteResponse:
    """Call a service; a Response is an app that always returns it."""
    async with serving(app) as url:
        client = ServiceClient("rewriter", f"{url}/", timeout_s)
        try:
            return await client.call("/rewrite", REQUEST, RewriteResponse)
        finally:
            await client.close()


@pytest.mark.parametrize(
    "reply",
    [
        Response("not json"),
        Response(b"\xff\xfe", 404),
        JSONResponse({"texts": 1}),
        JSONResponse([]),
        RedirectResponse("http://elsewhere", 302),
        Response("<html>Bad gateway</html>", 502),
        JSONResponse(["no problem"], 404),
        JSONResponse({"type": ["unhashable"], "detail": "x"}, 404),
        JSONResponse({"type": "urn:kgqa:error:internal", "detail": "x"}, 500),
    ],
)
async def test_an_unexpected_response_raises_dependency_error(reply: Response) -> None:
    with pytest.raises(DependencyError, match="rewriter"):
        await call(reply)


async def test_forwards_the_request_id() -> None:
    seen: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(Request(scope).headers[REQUEST_ID_HEADER])
        await JSONResponse({"texts": [], "degraded": [], "cached": 0})(scope, receive, send)

    current_request_id.set("from-far-away")
    assert (await call(app)).texts == []
    assert seen == ["from-far-away"]


async def test_a_hanging_service_is_unreachable() -> None:
    async def hang(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(1)

    with pytest.raises(UnreachableError, match=r"did not respond within 0\.1 s"):
        await call(hang, timeout_s=0.1)


async def test_the_deadline_propagates_from_service_to_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.request_context.time", SimpleNamespace(monotonic=lambda: 50.0))
    slow = SlowService(ServiceSettings(request_timeout_s=3000))
    async with serving(slow.app) as url:
        client = ServiceClient("slow", url, timeout_s=10_000)
        alone = await client.call("/remaining", Seconds(seconds=100_000), Seconds)
        with time_limit(1000):
            limited = await client.call("/remaining", Seconds(seconds=100_000), Seconds)
        with pytest.raises(DeadlineExceededError, match="deadline has passed"), time_limit(0):
            await client.call("/remaining", Seconds(seconds=100_000), Seconds)
        await client.close()
    assert (alone.seconds, limited.seconds) == (3000, 1000)


async def test_a_call_ends_at_the_deadline() -> None:
    slow = SlowService()
    async with serving(slow.app) as url:
        client = ServiceClient("slow", url, timeout_s=10_000)
        with pytest.raises(DeadlineExceededError, match="did not respond within"), time_limit(0.2):
            await client.call("/wait", Seconds(seconds=1), Seconds)
        await until(lambda: slow.cancelled == 1)
        await client.close()


async def test_ready_reflects_the_status_of_readyz() -> None:
    for reply, ready in ((Response(), True), (Response(status_code=503), False)):
        async with serving(reply) as url:
            client = ServiceClient("rewriter", url, 5.0)
            assert await client.ready() is ready
            await client.close()
    client = ServiceClient("rewriter", NOBODY, 5.0)
    assert not await client.ready()
    await client.close()


def test_rejects_a_malformed_url() -> None:
    with pytest.raises(InvalidInputError, match="not the URL of a retriever"):
        ServiceClient("retriever", "http://localhost:80a", 1.0)


@pytest.mark.parametrize("url", ["retriever:8001", "foo", "", "ftp://retriever", "http://"])
def test_rejects_a_url_without_scheme_or_host(url: str) -> None:
    with pytest.raises(InvalidInputError, match="not the URL of a retriever"):
        ServiceClient("retriever", url, 1.0)


async def test_errors_do_not_show_a_password_in_the_url() -> None:
    client = ServiceClient("rewriter", "http://user:hunter2@127.0.0.1:1", 1.0)
    with pytest.raises(DependencyError, match=r"the rewriter at http://127\.0\.0\.1:1 is unreachable") as raised:
        await client.call("/x", REQUEST, RewriteResponse)
    await client.close()
    assert "hunter2" not in str(raised.value)


async def test_rejects_a_wrong_number_of_texts() -> None:
    async with serving(JSONResponse({"texts": ["a", "b"], "degraded": [], "cached": 0})) as url:
        rewriting = HttpRewriting("rewriter", url, 5.0)
        with pytest.raises(DependencyError, match="2 texts for 0 items of evidence"):
            await rewriting.rewrite(REQUEST)
        await rewriting.close()


async def test_an_unknown_route_is_not_the_callers_error() -> None:
    reply = JSONResponse({"type": "urn:kgqa:error:no-such-route", "detail": "POST /rewrite: Not Found"}, 404)
    with pytest.raises(DependencyError, match="404"):
        await call(reply)


@pytest.mark.parametrize(("its_own", "said"), [(True, "the graph is away"), (False, "is not being called")])
async def test_only_unknown_errors_open_the_circuit_breaker(its_own: bool, said: str) -> None:
    kind = "urn:kgqa:error:dependency-unavailable" if its_own else "about:blank"
    async with serving(JSONResponse({"type": kind, "detail": "the graph is away"}, 503)) as url:
        client = ServiceClient("retriever", url, 5.0)
        for _ in range(5):
            with pytest.raises(DependencyError) as raised:
                await client.call("/retrieve", REQUEST, RewriteResponse)
        await client.close()
    assert said in str(raised.value)


async def test_a_closed_client_opens_no_new_connection() -> None:
    requests: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        requests.append(scope["type"])
        await JSONResponse({"texts": [], "degraded": [], "cached": 0})(scope, receive, send)

    async with serving(app) as url:
        client = ServiceClient("rewriter", url, 5.0)
        await client.close()
        with pytest.raises(UnreachableError, match="stopping"):
            await client.call("/rewrite", REQUEST, RewriteResponse)
    assert "http" not in requests
