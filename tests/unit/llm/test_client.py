import json
from collections.abc import Callable

import httpx
import pytest

from shared.errors import DependencyError, InvalidInputError, RefusedError
from shared.llm.client import OpenAIClient

KEY = "sk-very-secret"
Handler = Callable[[httpx.Request], httpx.Response]


def client(handler: Handler, url: str = "http://llm.test:8000", model: str = "rewriter") -> OpenAIClient:
    return OpenAIClient(url, model, api_key=KEY, timeout_s=1.0, transport=httpx.MockTransport(handler))


def says(content: object) -> Handler:
    return lambda _: httpx.Response(200, json={"choices": [{"message": {"role": "assistant", "content": content}}]})


@pytest.mark.parametrize("url", ["http://llm.test:8000", "http://llm.test:8000/", "http://llm.test:8000/v1/"])
async def test_asks_one_user_message_greedily(url: str) -> None:
    seen: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return says(" Paris\n")(request)

    assert await client(handler, url).complete("capital?", max_tokens=7) == "Paris"
    assert str(seen[0].url) == "http://llm.test:8000/v1/chat/completions"
    assert seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(seen[0].content) == {
        "model": "rewriter",
        "messages": [{"role": "user", "content": "capital?"}],
        "max_tokens": 7,
        "temperature": 0,
    }


def raising(error: Exception) -> Handler:
    def handler(_: httpx.Request) -> httpx.Response:
        raise error

    return handler


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (raising(httpx.ConnectError("refused")), "cannot be reached (refused): is it running"),
        (raising(httpx.ReadTimeout("slow")), "did not answer in time"),
        (lambda _: httpx.Response(401, text="no"), "set the API key"),
        (lambda _: httpx.Response(404, json={"error": {"message": "secret prompt"}}), "answered 404: does it serve"),
        (lambda _: httpx.Response(400, text="too long"), "longer than the model's context"),
        (lambda _: httpx.Response(429, text="slower"), "ask less at once"),
        (lambda _: httpx.Response(500, text="x" * 9999), "look at its log"),
        (lambda _: httpx.Response(200, text="<html>"), "not JSON"),
        (lambda _: httpx.Response(200, json={"choices": []}), "without a completion"),
        (lambda _: httpx.Response(200, json=[1]), "without a completion"),
        (says(None), "without text"),
    ],
)
async def test_every_failure_names_url_model_and_what_to_do_but_never_the_key(handler: Handler, said: str) -> None:
    with pytest.raises(DependencyError) as raised:
        await client(handler).complete("x", max_tokens=1)
    message = str(raised.value)
    assert said in message
    assert "http://llm.test:8000/v1" in message
    assert "'rewriter'" in message
    assert KEY not in message
    assert "secret prompt" not in message
    assert len(message) < 500


@pytest.mark.parametrize(
    ("reply", "ready"),
    [
        (httpx.Response(200, json={"data": [{"id": "base"}, {"id": "rewriter"}]}), True),
        (httpx.Response(200, json={"data": [{"id": "rewriter:latest"}]}), True),
        (httpx.Response(200, json={"data": [{"id": "base"}]}), False),
        (httpx.Response(200, json=["rewriter"]), False),
        (httpx.Response(503), False),
    ],
)
async def test_ready_when_the_model_is_listed(reply: httpx.Response, ready: bool) -> None:
    assert await client(lambda _: reply).ready() is ready


async def test_not_ready_when_unreachable() -> None:
    assert not await client(raising(httpx.ConnectError("refused"))).ready()


def test_a_url_that_is_none_is_refused_at_once() -> None:
    with pytest.raises(InvalidInputError, match="is not the URL"):
        OpenAIClient("http://host:port:1", "m")


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_what_no_second_try_can_heal_is_told_apart(status: int) -> None:
    with pytest.raises(RefusedError):
        await client(lambda _: httpx.Response(status)).complete("x", max_tokens=1)


async def test_close_and_name() -> None:
    model = client(says("x"))
    assert model.name == "rewriter"
    await model.close()
    with pytest.raises(RuntimeError):
        await model.complete("x", max_tokens=1)


@pytest.mark.parametrize("ending", ["\n", "\r\n", " "])
async def test_a_mounted_secrets_line_end_is_no_part_of_the_key(ending: str) -> None:
    seen: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return says("Paris")(request)

    await OpenAIClient("http://llm", "m", f"{KEY}{ending}", 1.0, httpx.MockTransport(handler)).complete(
        "q", max_tokens=1
    )
    assert seen[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", [f"{KEY}\nx", f"{KEY}é"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(InvalidInputError, match="API key") as raised:
        OpenAIClient("http://llm", "m", key)
    assert KEY not in str(raised.value)


async def test_a_password_in_the_address_is_not_shown() -> None:
    model = OpenAIClient("http://user:hunter2@127.0.0.1:1", "m", timeout_s=1.0)
    with pytest.raises(DependencyError, match=r"http://127\.0\.0\.1:1/v1") as raised:
        await model.complete("q", max_tokens=1)
    assert "hunter2" not in str(raised.value)
