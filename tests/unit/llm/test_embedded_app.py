import asyncio
import threading
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from shared.errors import DependencyError, InvalidInputError, KGQAError
from shared.llm.client import OpenAIClient
from shared.llm.embedded_app import MAX_BODY_BYTES, create_app
from tests.fakes.serving import serving

QUESTION = {"model": "smollm2", "messages": [{"role": "user", "content": "hi"}]}


class FakeModels:
    """Says which model was asked; `error` is raised instead, `hold` keeps all completions waiting."""

    names: tuple[str, ...] = ("smollm2", "rewriter")

    def __init__(self, error: KGQAError | None = None) -> None:
        self.asked: list[tuple[str, int, dict[str, Any]]] = []
        self.error = error
        self.hold = threading.Event()
        self.hold.set()
        self.closed = False

    def complete(self, model: str, slot: int, request: dict[str, Any]) -> dict[str, Any]:
        self.asked.append((model, slot, request))
        assert self.hold.wait(5)
        if self.error:
            raise self.error
        return {"choices": [{"message": {"role": "assistant", "content": f"I am {model}"}}], "model": model}

    async def asked_times(self, times: int) -> None:
        while len(self.asked) < times:  # noqa: ASYNC110 - another thread does the asking
            await asyncio.sleep(0.001)

    def close(self) -> None:
        self.closed = True


class Served:
    """An app within its lifespan, and a client for it."""

    def __init__(self, models: FakeModels) -> None:
        self.app: FastAPI = create_app(models)

    async def __aenter__(self) -> httpx.AsyncClient:
        self.lifespan = self.app.router.lifespan_context(self.app)
        await self.lifespan.__aenter__()
        self.http = httpx.AsyncClient(transport=httpx.ASGITransport(self.app), base_url="http://embedded")
        return self.http

    async def __aexit__(self, *_: object) -> None:
        await self.http.aclose()
        await self.lifespan.__aexit__(None, None, None)


async def test_the_projects_own_client_is_answered_by_model_name() -> None:
    models = FakeModels()
    async with serving(create_app(models)) as url:
        for name in models.names:
            client = OpenAIClient(url, name)
            assert await client.ready()
            assert await client.complete("hi", max_tokens=3) == f"I am {name}"
            await client.close()
        other = OpenAIClient(url, "other")
        assert not await other.ready()
        await other.close()
    assert models.closed


async def test_llama_is_asked_for_what_the_request_says_and_no_more() -> None:
    models = FakeModels()
    async with Served(models) as http:
        await http.post("/v1/chat/completions", json={**QUESTION, "stop": ["x"], "seed": 1, "id_slot": 7, "lora": []})
        await http.post("/v1/chat/completions", json={**QUESTION, "max_completion_tokens": 9, "temperature": 0})
    messages = [{"role": "user", "content": "hi"}]
    first, second = (request for _, _, request in models.asked)
    assert first == {
        "messages": messages, "temperature": 1.0, "top_p": 1.0, "seed": 1, "stop": ["x"], "max_tokens": 256,
    }  # fmt: skip
    assert second == {"messages": messages, "temperature": 0.0, "top_p": 1.0, "max_tokens": 9}


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"model": "gpt-4"}, 404, "there is smollm2, rewriter"),
        ({"messages": []}, 400, "messages"),
        ({"messages": "hi"}, 400, "messages"),
        ({"max_tokens": 0}, 400, "max_tokens"),
        ({"max_tokens": 9_000_000}, 400, "max_tokens"),
        ({"messages": [{"role": "user", "content": "x" * MAX_BODY_BYTES}]}, 413, "the body is larger than"),
        ({"stream": True}, 400, "does not stream"),
    ],
)
async def test_errors_are_in_openais_shape(change: dict[str, Any], status: int, said: str) -> None:
    async with Served(FakeModels()) as http:
        reply = await http.post("/v1/chat/completions", json={**QUESTION, **change})
    assert reply.status_code == status
    error = reply.json()["error"]
    assert error["type"] == "invalid_request_error"
    assert said in error["message"]


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (InvalidInputError("too long"), 400, "invalid_request_error"),
        (DependencyError("gone"), 503, "server_error"),
    ],
)
async def test_what_llama_refuses_is_an_error_of_the_same_shape(error: KGQAError, status: int, kind: str) -> None:
    async with Served(FakeModels(error)) as http:
        reply = await http.post("/v1/chat/completions", json=QUESTION)
        assert (reply.status_code, reply.json()["error"]["type"]) == (status, kind)
        again = await http.post("/v1/chat/completions", json=QUESTION)
    assert again.status_code == status  # and the slot was given back


async def test_a_running_completion_does_not_stop_the_server_from_answering() -> None:
    models = FakeModels()
    models.hold.clear()
    async with Served(models) as http:
        asked = [asyncio.create_task(http.post("/v1/chat/completions", json=QUESTION)) for _ in range(5)]
        await models.asked_times(2)
        assert (await http.get("/healthz")).json() == {"status": "alive"}
        assert sorted(slot for _, slot, _ in models.asked) == [0, 1]
        other = asyncio.create_task(http.post("/v1/chat/completions", json={**QUESTION, "model": "rewriter"}))
        await models.asked_times(3)
        models.hold.set()
        assert {(await reply).status_code for reply in (*asked, other)} == {200}
    assert len(models.asked) == 6
