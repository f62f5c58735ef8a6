"""Model servers that differ from each other: parameters, paths, lists of models, thoughts, and reasons."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from shared.errors import DependencyError, RefusedError
from shared.llm.client import OpenAIClient
from shared.llm.server_dialect import REASONING_TOKENS
from shared.llm.usage import Usage
from tests.fakes.serving import serving

Answer = Callable[[dict[str, Any]], Response]


def refused(message: str, param: str | None = None) -> Response:
    return JSONResponse({"error": {"message": message, "param": param, "code": None}}, 400)


def completed(content: Any = "Oslo", finish: str = "stop", **fields: Any) -> Response:
    message = {"role": "assistant", "content": content, **fields}
    return JSONResponse({"choices": [{"message": message, "finish_reason": finish}]})


class Server:
    """Answer completions with a function of the request, under one path, and list some models."""

    def __init__(self, answer: Answer, path: str = "/v1", models: Response | None = None) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.routes: list[str] = []
        self._answer = answer
        self._path = path
        self._models = models or JSONResponse({"data": [{"id": "m"}]})

    async def _serve(self, request: Request) -> Response:
        self.routes.append(f"{request.method} {request.url.path}")
        if request.url.path == f"{self._path}/models":
            return self._models
        if request.url.path != f"{self._path}/chat/completions":
            return PlainTextResponse("no such route", 404)
        self.bodies.append(json.loads(await request.body()))
        return self._answer(self.bodies[-1])

    @asynccontextmanager
    async def client(self, path: str = "") -> AsyncIterator[OpenAIClient]:
        async with serving(Starlette(routes=[Route("/{path:path}", self._serve, methods=["GET", "POST"])])) as url:
            model = OpenAIClient(f"{url}{path}", "m", api_key="sk-1")
            try:
                yield model
            finally:
                await model.close()


def takes_new_names(body: dict[str, Any]) -> Response:
    if "max_tokens" in body:
        return refused("Not a parameter of this model.", "max_tokens")
    if "temperature" in body:
        return refused("Leave 'temperature' at its default.")
    return completed()


async def test_refused_parameters_are_left_out_and_not_sent_again() -> None:
    server = Server(takes_new_names)
    async with server.client() as model:
        assert await model.complete("q", max_tokens=7) == "Oslo"
        assert await model.complete("q", max_tokens=8) == "Oslo"
    assert [{*body} - {"model", "messages"} for body in server.bodies] == [
        {"max_tokens", "temperature"},
        {"max_completion_tokens", "temperature"},
        {"max_completion_tokens"},
        {"max_completion_tokens"},
    ]
    assert server.bodies[-1]["max_completion_tokens"] == 8


async def test_a_grammar_is_sent_in_both_notations_until_the_server_refuses_it() -> None:
    def answer(body: dict[str, Any]) -> Response:
        return refused("Unrecognized request argument supplied: grammar") if "grammar" in body else completed()

    server, refusing = Server(lambda _: completed()), Server(answer)
    for one in (server, refusing):
        async with one.client() as model:
            for _ in range(2):
                assert await model.complete("q", max_tokens=7, grammar='root ::= "Oslo"') == "Oslo"
            assert await model.complete("q", max_tokens=7) == "Oslo"

    constrained = {"grammar": 'root ::= "Oslo"', "structured_outputs": {"grammar": 'root ::= "Oslo"'}}
    sent = [{key: body[key] for key in constrained if key in body} for body in server.bodies]
    assert sent == [constrained, constrained, {}]
    assert [bool({*body} & {*constrained}) for body in refusing.bodies] == [True, False, False, False]


async def test_both_parameters_of_a_validation_error_are_left_out_at_once() -> None:
    def answer(body: dict[str, Any]) -> Response:
        extra = [name for name in ("max_tokens", "temperature") if name in body]
        errors = [{"loc": ["body", name], "msg": "Extra inputs are not permitted"} for name in extra]
        return JSONResponse({"detail": errors}, 422) if extra else completed()

    server = Server(answer)
    async with server.client() as model:
        assert await model.complete("q", max_tokens=7) == "Oslo"
    assert len(server.bodies) == 2


async def test_a_token_limit_that_is_too_large_is_reported_and_never_dropped() -> None:
    server = Server(lambda body: refused("max_tokens or max_completion_tokens is too large: 99"))
    async with server.client() as model:
        for _ in range(2):
            with pytest.raises(RefusedError, match="returned 400: max_tokens or max_completion_tokens is too large"):
                await model.complete("q", max_tokens=99)
    assert all({"max_tokens", "max_completion_tokens"} & {*body} for body in server.bodies)
    assert "max_tokens" in server.bodies[2]  # nothing was learned from a request that failed


@pytest.mark.parametrize(
    ("given", "served"),
    [
        ("", "/v1"),
        ("/", "/v1"),
        ("/v1", "/v1"),
        ("/v1beta/openai/", "/v1beta/openai"),
        ("/api/paas/v4", "/api/paas/v4"),
    ],
)
async def test_a_path_is_used_as_given(given: str, served: str) -> None:
    server = Server(lambda _: completed(), served)
    async with server.client(given) as model:
        assert await model.ready()
        assert await model.complete("q", max_tokens=1) == "Oslo"
    assert server.routes == [f"GET {served}/models", f"POST {served}/chat/completions"]


@pytest.mark.parametrize(
    "models",
    [JSONResponse({"data": [{"id": "other"}]}), PlainTextResponse("no list", 404), PlainTextResponse("<html>")],
)
async def test_a_model_that_is_not_listed_is_asked_once(models: Response) -> None:
    server = Server(lambda _: completed("OK"), models=models)
    async with server.client() as model:
        assert await model.ready()
        assert await model.ready()
    assert len(server.bodies) == 1


async def test_a_model_that_is_not_served_is_reported_with_the_servers_reason_and_not_asked_again_at_once() -> None:
    server = Server(
        lambda _: JSONResponse({"error": {"message": "unknown model, try n"}}, 404), models=JSONResponse({"data": []})
    )
    async with server.client() as model:
        for _ in range(3):
            with pytest.raises(RefusedError, match="returned 404: unknown model, try n; does it serve"):
                await model.ready()
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    ("content", "fields"),
    [
        ("Oslo", {"reasoning_content": "Norway..."}),
        ("<think>Norway, so Bergen?\nNo.</think>\n\nOslo", {}),
        ("<think>a</think>Oslo<thinking>b</thinking>", {}),
        ("Norway, so Bergen? No.</think>Oslo", {}),
        ("<think></think>Oslo", {}),
        ([{"type": "thinking", "thinking": []}, {"type": "text", "text": "Os"}, {"type": "text", "text": "lo"}], {}),
    ],
)
async def test_thoughts_and_parts(content: Any, fields: dict[str, Any]) -> None:
    async with Server(lambda _: completed(content, **fields)).client() as model:
        assert await model.complete("q", max_tokens=9) == "Oslo"


@pytest.mark.parametrize("cut", [completed("<think>Hm", "length"), completed(None, "length", reasoning_content="Hm")])
async def test_a_model_that_reasons_gets_room_for_it_from_then_on(cut: Response) -> None:
    server = Server(lambda body: completed() if body["max_tokens"] > REASONING_TOKENS else cut)
    async with server.client() as model:
        assert [await model.complete("q", max_tokens=9) for _ in range(2)] == ["Oslo", "Oslo"]
        assert model.usage == Usage(calls=3)
    assert [body["max_tokens"] for body in server.bodies] == [9, 9 + REASONING_TOKENS, 9 + REASONING_TOKENS]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (completed("<think>Hm", "length"), "tokens before it wrote an answer; turn its reasoning off"),
        (completed(None, reasoning="Hm"), "returned thoughts but no answer"),
        (completed(None, refusal="I must not."), "declined to answer"),
        (completed(None, "content_filter"), "declined to answer"),
        (completed(None, "tool_calls", tool_calls=[{}]), "called a tool"),
        (completed(None), "returned a completion without text"),
        (completed([{"type": "image_url"}]), "returned a part of the type 'image_url'"),
        (completed({"text": "Oslo"}), "returned a completion without text"),
        (completed([7]), "returned a part of the type 'int'"),
    ],
)
async def test_a_completion_without_text_is_explained(reply: Response, said: str) -> None:
    async with Server(lambda _: reply).client() as model:
        with pytest.raises(DependencyError, match=said):
            await model.complete("q", max_tokens=9)


async def test_an_empty_text_stays_empty() -> None:
    async with Server(lambda _: completed(" ")).client() as model:
        assert await model.complete("q", max_tokens=9) == ""
