import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from shared.errors import DependencyError, InvalidInputError, OverloadedError, RefusedError, UnreachableError
from shared.llm.client import OpenAIClient
from tests.fakes.serving import NOBODY, serving

KEY = "sk-very-secret"
PROMPT = "secret prompt"


class Server:
    """Serve one fixed reply as an OpenAI-compatible API, and record the requests."""

    def __init__(self, reply: Response) -> None:
        self.reply = reply
        self.asked: list[tuple[Request, bytes]] = []
        routes = [
            Route(f"/v1/{name}", self._answer, methods=["GET", "POST"]) for name in ("chat/completions", "models")
        ]
        self.app = Starlette(routes=routes)

    async def _answer(self, request: Request) -> Response:
        self.asked.append((request, await request.body()))
        return self.reply

    @asynccontextmanager
    async def client(self, url: Callable[[str], str] = str, key: str = KEY) -> AsyncIterator[OpenAIClient]:
        """Return a client; `url` turns the server's URL into what a user may enter."""
        async with serving(self.app) as served:
            model = OpenAIClient(url(served), "rewriter", api_key=key)
            try:
                yield model
            finally:
                await model.close()


def saying(content: object) -> Server:
    return Server(JSONResponse({"choices": [{"message": {"role": "assistant", "content": content}}]}))


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/"])
async def test_sends_one_user_message_with_temperature_zero(ending: str) -> None:
    server = saying(" Paris\n")
    async with server.client(lambda url: url + ending) as model:
        assert await model.complete("capital?", max_tokens=7) == "Paris"
    [(request, body)] = server.asked
    assert request.url.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(body) == {
        "model": "rewriter",
        "messages": [{"role": "user", "content": "capital?"}],
        "max_tokens": 7,
        "temperature": 0,
    }


async def _failure(model: OpenAIClient) -> str:
    with pytest.raises(DependencyError) as raised:
        await model.complete(PROMPT, max_tokens=1)
    message = str(raised.value)
    assert "'rewriter'" in message
    assert KEY not in message
    assert PROMPT not in message
    assert len(message) < 500
    return message


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (PlainTextResponse("no", 401), "set the API key"),
        (JSONResponse({"error": {"message": PROMPT}}, 404), "returned 404; does it serve"),
        (PlainTextResponse("too long", 400), "returned 400: too long"),
        (PlainTextResponse(PROMPT, 400), "returned 400; see its log"),
        (PlainTextResponse(f"bad key {KEY}", 401), "returned 401: bad key …; set the API key"),
        (JSONResponse([{"error": {"message": "no quota"}}], 429), "returned 429: no quota; the server limits"),
        (PlainTextResponse("slower", 429), "send fewer requests at a time"),
        (PlainTextResponse("x" * 9999, 500), "returned 500: xxx"),
        (Response(status_code=500), "returned 500; see its log"),
        (PlainTextResponse("moved", 302, {"Location": "http://elsewhere"}), "returned 302"),
        (PlainTextResponse("<html>"), "did not return JSON"),
        (Response(b"\xff\xfe"), "did not return JSON"),
        (JSONResponse({"choices": []}), "returned no completion"),
        (JSONResponse([1]), "returned no completion"),
        (JSONResponse({"choices": [{"message": {"content": None}}]}), "completion without text"),
    ],
)
async def test_errors_name_the_url_the_model_and_a_remedy_but_never_the_key(reply: Response, said: str) -> None:
    async with Server(reply).client() as model:
        message = await _failure(model)
        assert said in message
        assert f"{model.server} " in message


async def test_an_overloaded_server_does_not_open_the_circuit_breaker() -> None:
    async with Server(PlainTextResponse("slower", 429)).client() as model:
        for _ in range(5):
            with pytest.raises(OverloadedError, match="returned 429"):
                await model.complete(PROMPT, max_tokens=1)


async def test_an_unreachable_server_is_named() -> None:
    model = OpenAIClient(NOBODY, "rewriter", api_key=KEY)
    assert "is unreachable: Connect" in await _failure(model)
    with pytest.raises(DependencyError, match="is unreachable"):
        await model.ready()
    await model.close()


async def test_a_hanging_server_times_out() -> None:
    ended = asyncio.Event()

    async def hang(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await ended.wait()

    async with serving(hang) as url:
        model = OpenAIClient(url, "rewriter", timeout_s=0.1)
        assert "did not respond within 0.1 s" in await _failure(model)
        await model.close()
        ended.set()


@pytest.mark.parametrize(
    "reply",
    [
        JSONResponse({"data": [{"id": "base"}, {"id": "rewriter"}]}),
        JSONResponse({"data": [{"id": "rewriter:latest"}]}),
        JSONResponse({"data": [{"id": "models/rewriter"}]}),
    ],
)
async def test_ready_when_the_model_is_listed(reply: Response) -> None:
    server = Server(reply)
    async with server.client() as model:
        assert await model.ready()
    assert [request.method for request, _ in server.asked] == ["GET"]


async def test_a_server_that_does_not_list_the_model_is_asked_gently_and_quoted() -> None:
    server = Server(JSONResponse({"error": {"message": "no such model; pull it first"}}, 404))
    now = [0.0]
    async with serving(server.app) as url:
        model = OpenAIClient(url, "rewriter", api_key=KEY, clock=lambda: now[0])
        for _ in range(20):
            with pytest.raises(DependencyError, match="no such model; pull it first"):
                await model.ready()
        assert [request.method for request, _ in server.asked] == ["GET", "POST"]
        now[0] = 5.0
        server.reply = JSONResponse({"data": [{"id": "rewriter"}]})
        assert await model.ready()
        await model.close()


async def test_not_ready_while_the_server_fails() -> None:
    async with Server(Response(status_code=503)).client() as model:
        with pytest.raises(DependencyError, match="returned 503; see its log"):
            await model.ready()


def test_rejects_a_malformed_url() -> None:
    with pytest.raises(InvalidInputError, match="is not the URL"):
        OpenAIClient("http://host:port:1", "m")


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_errors_that_a_retry_cannot_fix_are_refusals(status: int) -> None:
    async with Server(Response(status_code=status)).client() as model:
        with pytest.raises(RefusedError):
            await model.complete("x", max_tokens=1)


async def test_close_and_name() -> None:
    async with saying("x").client() as model:
        assert model.name == "rewriter"
        await model.complete("x", max_tokens=1)
        await model.close()
        with pytest.raises(UnreachableError, match="stopping"):
            await model.complete("x", max_tokens=1)


@pytest.mark.parametrize("ending", ["\n", "\r\n", " "])
async def test_strips_the_newline_of_a_mounted_key(ending: str) -> None:
    server = saying("Paris")
    async with server.client(key=f"{KEY}{ending}") as model:
        await model.complete("q", max_tokens=1)
    assert server.asked[0][0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", [f"{KEY}\nx", f"{KEY}é"])
def test_rejects_an_invalid_key_without_showing_it(key: str) -> None:
    with pytest.raises(InvalidInputError, match="API key") as raised:
        OpenAIClient("http://llm", "m", key)
    assert KEY not in str(raised.value)


async def test_sends_a_password_in_the_url_without_showing_it() -> None:
    server = Server(Response(status_code=500))
    async with server.client(lambda url: url.replace("http://", "http://user:hunter2@"), key="") as model:
        assert "hunter2" not in await _failure(model)
    assert server.asked[0][0].headers["authorization"].startswith("Basic ")


async def test_a_key_takes_precedence_over_a_password_in_the_url() -> None:
    server = saying("x")
    async with server.client(lambda url: url.replace("http://", "http://user:hunter2@")) as model:
        await model.complete("x", max_tokens=1)
    assert server.asked[0][0].headers["authorization"] == f"Bearer {KEY}"
