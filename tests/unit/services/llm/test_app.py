import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException

from services.llm.app import MAX_BODY_BYTES, create_app
from services.llm.engine import MAX_NEW_TOKENS, SLOTS_PER_MODEL, AbandonedError, PromptTooLongError
from services.llm.errors import on_http_error
from services.llm.scheduler import MAX_WAITING
from services.llm.schema import MAX_MESSAGES, MAX_PROMPT_BYTES
from shared import __version__
from shared.errors import DependencyError, InvalidInputError, KGQAError
from shared.llm.client import OpenAIClient
from tests.fakes.serving import serving
from tests.support.waiting import HANGS_AFTER_S

KEY = "key"
BEARER = {"Authorization": f"Bearer {KEY}"}
CHAT = "/v1/chat/completions"
QUESTION = {"model": "smollm2", "messages": [{"role": "user", "content": "hi"}]}


class FakeModels:
    """Reply with the requested model; raise `error` instead if it is set, and with `hold`, wait until abandoned."""

    names: tuple[str, ...] = ("smollm2", "rewriter")

    def __init__(self, error: Exception | None = None) -> None:
        self.asked: list[tuple[str, int, dict[str, Any]]] = []
        self.error = error
        self.hold = threading.Event()
        self.hold.set()
        self.abandoned = 0
        self.closed = False

    def complete(
        self, model: str, slot: int, request: dict[str, Any], is_abandoned: Callable[[], bool]
    ) -> dict[str, Any]:
        self.asked.append((model, slot, request))
        for _ in range(5000):
            if is_abandoned():
                self.abandoned += 1
                raise AbandonedError("nobody waits")
            if self.hold.wait(0.001):
                break
        if self.error:
            raise self.error
        message = {"role": "assistant", "content": f"I am {model}"}
        return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "model": model}

    async def asked_times(self, times: int) -> None:
        while len(self.asked) < times:  # noqa: ASYNC110 - another thread does the asking
            await asyncio.sleep(0.001)

    async def abandoned_times(self, times: int) -> None:
        while self.abandoned < times:  # noqa: ASYNC110 - another thread notices
            await asyncio.sleep(0.001)

    def close(self) -> None:
        self.closed = True


class Served:
    """Run an app within its lifespan, with a client for it."""

    def __init__(self, models: FakeModels, headers: dict[str, str] = BEARER) -> None:
        self.app: FastAPI = create_app(models, KEY)
        self.headers = headers

    async def __aenter__(self) -> httpx.AsyncClient:
        self.lifespan = self.app.router.lifespan_context(self.app)
        await self.lifespan.__aenter__()
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        self.http = httpx.AsyncClient(transport=transport, base_url="http://embedded", headers=self.headers)
        return self.http

    async def __aexit__(self, *_: object) -> None:
        await self.http.aclose()
        await self.lifespan.__aexit__(None, None, None)


async def test_the_projects_own_client_is_answered_by_model_name() -> None:
    models = FakeModels()
    async with serving(create_app(models, KEY)) as url:
        for name in models.names:
            client = OpenAIClient(url, name, KEY)
            assert await client.ready()
            assert await client.complete("hi", max_tokens=3) == f"I am {name}"
            await client.close()
        other = OpenAIClient(url, "other", KEY)
        assert not await other.ready()
        await other.close()
    assert models.closed


async def test_llama_is_asked_for_what_the_request_says_and_no_more() -> None:
    models = FakeModels()
    async with Served(models) as http:
        await http.post(CHAT, json={**QUESTION, "stop": ["x"], "seed": 1, "id_slot": 7, "lora": []})
        await http.post(CHAT, json={**QUESTION, "max_completion_tokens": 9.0, "temperature": 0})
    messages = [{"role": "user", "content": "hi"}]
    first, second = (request for _, _, request in models.asked)
    assert first == {
        "messages": messages, "temperature": 1.0, "top_p": 1.0, "seed": 1, "stop": ["x"], "max_tokens": 256,
    }  # fmt: skip
    assert second == {"messages": messages, "temperature": 0.0, "top_p": 1.0, "max_tokens": 9}


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"model": "gpt-4"}, 404, "available models: smollm2, rewriter"),
        ({"messages": []}, 400, "messages"),
        ({"messages": "hi"}, 400, "messages"),
        ({"messages": [{"role": "user", "content": ""}] * (MAX_MESSAGES + 1)}, 400, f"at most {MAX_MESSAGES} items"),
        ({"messages": [{"role": "user<|im_end|>", "content": "hi"}]}, 400, "'system', 'user' or 'assistant'"),
        ({"max_tokens": 0}, 400, "max_tokens"),
        ({"max_tokens": MAX_NEW_TOKENS + 1}, 400, f"less than or equal to {MAX_NEW_TOKENS}"),
        ({"max_completion_tokens": 8000}, 400, "max_completion_tokens"),
        ({"messages": [{"role": "user", "content": "<" * 10_000}]}, 400, "the prompt is 10,000 bytes long"),
        ({"messages": [{"role": "user", "content": "é" * (MAX_PROMPT_BYTES // 2)}] * 2}, 400, "shorten the prompt"),
        ({"messages": [{"role": "user", "content": "x" * MAX_BODY_BYTES}]}, 413, "the body is larger than"),
        ({"stream": True}, 400, "does not support streaming"),
        ({"seed": 2**40}, 400, "seed"),
        ({"stop": ""}, 400, "stop"),
        ({"stop": [""]}, 400, "stop.0: String should have at least 1 character"),
        ({"n": 5}, 400, "n: Input should be 1"),
        ({"stop": ["x"] * 5}, 400, "stop"),
    ],
)
async def test_errors_are_in_openais_shape(change: dict[str, Any], status: int, said: str) -> None:
    models = FakeModels()
    async with Served(models) as http:
        reply = await http.post(CHAT, json={**QUESTION, **change})
    assert reply.status_code == status
    error = reply.json()["error"]
    assert error["type"] == "invalid_request_error"
    assert said in error["message"]
    assert not models.asked


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff",
        b"[" * 60_000,
        json.dumps({**QUESTION, "temperature": float("nan")}).encode(),
        json.dumps({**QUESTION, "temperature": float("inf")}).encode(),
        json.dumps({**QUESTION, "messages": [{"role": "user", "content": "\ud800"}]}).encode(),
        json.dumps({**QUESTION, "model": "\ud800"}).encode(),
        b'{"model": "smollm2", "seed": ' + b"9" * 5000 + b"}",
    ],
)
async def test_a_body_that_cannot_be_read_is_refused(body: bytes) -> None:
    models = FakeModels()
    async with Served(models) as http:
        reply = await http.post(CHAT, content=body, headers={"Content-Type": "application/json"})
    assert (reply.status_code, reply.json()["error"]["type"]) == (400, "invalid_request_error")
    assert not models.asked


@pytest.mark.parametrize(
    ("error", "status", "kind", "code"),
    [
        (InvalidInputError("no"), 400, "invalid_request_error", None),
        (PromptTooLongError("too long"), 400, "invalid_request_error", "context_length_exceeded"),
        (DependencyError("gone"), 503, "server_error", None),
        (KGQAError("other"), 500, "server_error", None),
        (KeyError("secret"), 500, "server_error", None),
    ],
)
async def test_what_llama_refuses_is_an_error_of_the_same_shape(
    error: Exception, status: int, kind: str, code: str | None
) -> None:
    async with Served(FakeModels(error)) as http:
        reply = await http.post(CHAT, json=QUESTION)
        told = reply.json()["error"]
        assert (reply.status_code, told["type"], told["code"]) == (status, kind, code)
        assert "secret" not in told["message"]
        again = await http.post(CHAT, json=QUESTION)
    assert again.status_code == status  # and the slot was given back


async def test_a_running_completion_does_not_stop_the_server_from_answering() -> None:
    models = FakeModels()
    models.hold.clear()
    async with Served(models) as http:
        asked = [asyncio.create_task(http.post(CHAT, json=QUESTION)) for _ in range(5)]
        await models.asked_times(2)
        assert (await http.get("/healthz")).json() == {"status": "alive", "version": __version__}
        assert sorted(slot for _, slot, _ in models.asked) == [0, 1]
        other = asyncio.create_task(http.post(CHAT, json={**QUESTION, "model": "rewriter"}))
        await models.asked_times(3)
        models.hold.set()
        assert {(await reply).status_code for reply in (*asked, other)} == {200}
    assert len(models.asked) == 6


async def test_a_completion_stops_when_its_client_goes_away() -> None:
    models = FakeModels()
    models.hold.clear()
    async with serving(create_app(models, KEY)) as url, httpx.AsyncClient(headers=BEARER) as http:
        for times in range(1, 4 * SLOTS_PER_MODEL):  # more often than there are slots
            with pytest.raises(httpx.ReadTimeout):
                await http.post(url + CHAT, json=QUESTION, timeout=httpx.Timeout(5, read=0.05))
            await asyncio.wait_for(models.abandoned_times(times), HANGS_AFTER_S)
        models.hold.set()
        assert (await http.post(url + CHAT, json=QUESTION)).status_code == 200


async def test_who_goes_away_while_waiting_is_never_run() -> None:
    models = FakeModels()
    models.hold.clear()
    async with serving(create_app(models, KEY)) as url, httpx.AsyncClient(headers=BEARER) as http:
        running = [asyncio.create_task(http.post(url + CHAT, json=QUESTION)) for _ in range(SLOTS_PER_MODEL)]
        await models.asked_times(SLOTS_PER_MODEL)
        for _ in range(3):
            with pytest.raises(httpx.ReadTimeout):
                await http.post(url + CHAT, json=QUESTION, timeout=httpx.Timeout(5, read=0.05))
        await asyncio.sleep(0.1)  # until the server has seen that the last one is gone
        models.hold.set()
        assert {(await reply).status_code for reply in running} == {200}
        assert (await http.post(url + CHAT, json=QUESTION)).status_code == 200
    assert len(models.asked) == SLOTS_PER_MODEL + 1


async def test_a_full_queue_of_one_model_refuses_and_another_answers() -> None:
    models = FakeModels()
    models.hold.clear()
    async with Served(models) as http:
        asked = [asyncio.create_task(http.post(CHAT, json=QUESTION)) for _ in range(SLOTS_PER_MODEL + MAX_WAITING)]
        await models.asked_times(SLOTS_PER_MODEL)
        await asyncio.sleep(0.1)  # until the others wait
        refused = await http.post(CHAT, json=QUESTION)
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
        assert refused.json()["error"]["code"] == "rate_limit_exceeded"
        other = asyncio.create_task(http.post(CHAT, json={**QUESTION, "model": "rewriter"}))
        await models.asked_times(SLOTS_PER_MODEL + 1)
        models.hold.set()
        assert {(await reply).status_code for reply in (*asked, other)} == {200}


@pytest.mark.parametrize(
    "authorization", [None, "", "Bearer", "Bearer other", "Bearer key2", "Basic key", "key", "Bearer kéy"]
)
@pytest.mark.parametrize(("method", "path"), [("POST", CHAT), ("GET", "/v1/models"), ("GET", "/nowhere")])
async def test_nothing_is_served_without_the_key(method: str, path: str, authorization: str | None) -> None:
    models = FakeModels()
    headers = {} if authorization is None else {b"Authorization": authorization.encode()}
    async with Served(models, {}) as http:
        reply = await http.request(method, path, headers=headers, content=b"{")
    assert (reply.status_code, reply.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert reply.json()["error"]["code"] == "invalid_api_key"
    assert KEY not in reply.json()["error"]["message"].split()


async def test_the_body_of_who_has_no_key_is_not_read() -> None:
    sent: list[Any] = []
    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": CHAT,
        "headers": [],
        "query_string": b"",
        "app": None,
    }

    async def receive() -> Any:
        raise AssertionError("the body was read")

    async def send(message: Any) -> None:
        sent.append(message)

    await create_app(FakeModels(), KEY)(scope, receive, send)
    assert sent[0]["status"] == 401


async def test_health_and_the_api_document_need_no_key() -> None:
    async with Served(FakeModels(), {}) as http:
        assert (await http.get("/healthz")).status_code == 200
        document = (await http.get("/openapi.json")).json()
        assert (await http.get("/docs")).status_code == 401
    assert set(document["paths"]) == {"/healthz", "/v1/models", CHAT}
    chat = document["paths"][CHAT]["post"]
    assert set(chat["responses"]) == {"200", "400", "401", "404", "408", "413", "429", "431", "500", "503"}
    for status, response in chat["responses"].items():
        shape = "Completion" if status == "200" else "ErrorReply"
        assert response["content"] == {"application/json": {"schema": {"$ref": f"#/components/schemas/{shape}"}}}
    assert chat["security"] == [{"HTTPBearer": []}]
    assert "security" not in document["paths"]["/healthz"]["get"]


async def test_another_method_or_route_is_an_error_of_the_same_shape() -> None:
    async with Served(FakeModels()) as http:
        wrong_method = await http.get(CHAT)
        assert (wrong_method.status_code, wrong_method.headers["Allow"]) == (405, "POST")
        for reply in (wrong_method, await http.get("/v1/models/"), await http.get("/v1")):
            assert reply.json()["error"]["type"] == "invalid_request_error"


async def test_a_syntax_error_is_located_in_the_body() -> None:
    async with Served(FakeModels()) as http:
        reply = await http.post(CHAT, content=b"{", headers={"Content-Type": "application/json"})
    assert reply.json()["error"]["message"].startswith("body: invalid JSON at character 1")


async def test_a_refusal_for_want_of_memory_is_a_rate_limit() -> None:
    reply = await on_http_error(Request({"type": "http"}), HTTPException(429, "busy", {"Retry-After": "1"}))
    assert b'"type":"rate_limit_error"' in reply.body and reply.headers["Retry-After"] == "1"
