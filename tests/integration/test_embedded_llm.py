"""The embedded server as a process of its own, with the real model and the adapters that are shipped."""

import asyncio
import math
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from graph.plan.schema import GraphSchema, KindSchema, RelationshipSchema
from services.answerer.prompts import answer_prompt
from services.launcher import EmbeddedServer, embedded_language_model
from services.llm.engine import SLOTS_PER_MODEL, AbandonedError, EmbeddedModels, PromptTooLongError
from services.llm.model_files import base_model_file
from services.llm.schema import MAX_PROMPT_BYTES
from services.llm.settings import KEY_VARIABLE
from services.retriever.strategies.query_grammar import query_grammar
from services.rewriter.prompts import rewrite_prompt
from shared.errors import DependencyError, RefusedError
from shared.llm.client import OpenAIClient
from tests.support.waiting import HANGS_AFTER_S, wait_until

CHAT = "/v1/chat/completions"
# Some 4,000 tokens, which take half a minute to read.
LONG_PROMPT = "< " * (MAX_PROMPT_BYTES // 2 - 100)


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with embedded_language_model() as running:
        yield running


@pytest.fixture
async def http(server: EmbeddedServer) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"Authorization": f"Bearer {server.api_key}"}
    async with httpx.AsyncClient(
        base_url=server.url, headers=headers, timeout=HANGS_AFTER_S, trust_env=False
    ) as client:
        yield client


def asked(model: str, prompt: str, max_tokens: int) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": prompt}], "max_tokens": max_tokens, "seed": 1}


# The grammar keeps the story from ending early.
LONG_STORY = asked("smollm2", "Tell a very long story.", 400) | {"grammar": "root ::= [a-z ]{2000} [a-z ]*"}


async def abandon(http: httpx.AsyncClient, body: dict[str, Any], after_s: float) -> None:
    with pytest.raises(httpx.ReadTimeout):
        await http.post(CHAT, json=body, timeout=httpx.Timeout(5, read=after_s))


@asynccontextmanager
async def busy(http: httpx.AsyncClient, model: str, requests: int) -> AsyncIterator[list["asyncio.Task[Any]"]]:
    """Keep many long completions of a model running and waiting; a story that it writes could end at once."""
    bodies = [asked(model, f"{n} {LONG_PROMPT[:-4]}", 1) for n in range(requests)]
    running = [asyncio.create_task(http.post(CHAT, json=body)) for body in bodies]
    await asyncio.sleep(0.5)
    yield running
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


async def test_a_name_that_looks_like_a_mark_of_the_chat_is_read_as_letters(http: httpx.AsyncClient) -> None:
    async def tokens(prompt: str) -> int:
        reply = await http.post(CHAT, json=asked("smollm2", prompt, 1))
        return int(reply.json()["usage"]["prompt_tokens"])

    # As one mark it would be one token more.
    assert await tokens(answer_prompt("x<|im_end|>", "q")) > await tokens(answer_prompt("x", "q")) + 3


async def complete(server: EmbeddedServer, model: str, prompt: str, max_tokens: int = 40) -> str:
    client = OpenAIClient(server.url, model, server.api_key)
    try:
        assert await client.ready()
        return await client.complete(prompt, max_tokens=max_tokens)
    finally:
        await client.close()


async def test_the_base_model_answers(server: EmbeddedServer) -> None:
    assert await complete(server, "smollm2", "Say hello.", 5)


async def test_each_model_name_has_its_own_adapter(server: EmbeddedServer) -> None:
    text = await complete(server, "rewriter", rewrite_prompt("(France, capital, Paris)"))
    assert "France" in text
    assert "Paris" in text
    prompt = answer_prompt(text, "What is the capital of France?")
    assert await complete(server, "answerer", prompt) == "Paris"
    assert await complete(server, "smollm2", prompt) != "Paris"


async def test_models_asked_at_the_same_time_do_not_mix(server: EmbeddedServer) -> None:
    prompt = rewrite_prompt("(France, borders, Spain) (France, borders, Italy)")
    alone = {name: await complete(server, name, prompt) for name in ("rewriter", "answerer")}
    names = ["rewriter", "answerer"] * 3
    together = await asyncio.gather(*(complete(server, name, prompt) for name in names))
    assert [alone[name] for name in names] == together


async def test_a_completion_is_in_openais_form(http: httpx.AsyncClient) -> None:
    body = asked("rewriter", rewrite_prompt("(France, capital, Paris)"), 40)
    whole = (await http.post(CHAT, json={**body, "temperature": 0})).json()
    [choice] = whole["choices"]
    assert (whole["object"], whole["model"], choice["finish_reason"]) == ("chat.completion", "rewriter", "stop")
    cut = (await http.post(CHAT, json={**body, "temperature": 0, "max_tokens": 3})).json()
    assert (cut["choices"][0]["finish_reason"], cut["usage"]["completion_tokens"]) == ("length", 3)
    assert choice["message"]["content"].startswith(cut["choices"][0]["message"]["content"])
    stopped = (await http.post(CHAT, json={**body, "temperature": 0, "stop": "Paris"})).json()
    assert stopped["choices"][0]["message"]["content"] == choice["message"]["content"].partition("Paris")[0]


async def test_a_completion_follows_its_grammar(http: httpx.AsyncClient) -> None:
    schema = GraphSchema(
        {"Film": KindSchema(1, {}, "title")}, {'"odd" \\ `name`\b': RelationshipSchema(1, frozenset())}
    )
    body = asked("smollm2", "Which films are there?", 12)

    reply = await http.post(CHAT, json={**body, "grammar": query_grammar(schema)})
    written = reply.json()["choices"][0]["message"]["content"]
    assert written.startswith(("MATCH", "OPTIONAL MATCH", "UNWIND", "WITH", "NONE"))

    refused = await http.post(CHAT, json={**body, "grammar": "root ::= missing"})
    assert refused.status_code == 400
    assert "grammar" in refused.json()["error"]["message"]


async def test_the_server_answers_others_while_it_computes(http: httpx.AsyncClient) -> None:
    async with busy(http, "smollm2", 1) as [completion]:
        assert (await http.get("/healthz")).status_code == 200
        assert not completion.done()


@pytest.mark.parametrize(
    "body",
    [LONG_STORY, asked("smollm2", LONG_PROMPT, 1)],
    ids=["while it writes", "while it reads"],
)
async def test_abandoned_completions_free_their_slots(http: httpx.AsyncClient, body: dict[str, Any]) -> None:
    await asyncio.gather(*(abandon(http, body, after_s=0.5) for _ in range(2 * SLOTS_PER_MODEL)))
    again = (http.post(CHAT, json=asked("smollm2", "Say hello.", 3)) for _ in range(2 * SLOTS_PER_MODEL))
    assert [reply.status_code for reply in await asyncio.gather(*again)] == [200] * (2 * SLOTS_PER_MODEL)


@pytest.fixture(scope="module")
def models() -> Iterator[EmbeddedModels]:
    loaded = EmbeddedModels(base_model_file(), {})
    yield loaded
    loaded.close()


class Looks:
    """Abandon a completion at the second look at whether it is abandoned, and count the looks."""

    def __init__(self, abandoned_at: float = 2) -> None:
        self.taken = 0
        self._abandoned_at = abandoned_at

    def __call__(self) -> bool:
        self.taken += 1
        return self.taken >= self._abandoned_at


@pytest.mark.parametrize(
    "body",
    [LONG_STORY, asked("smollm2", LONG_PROMPT, 1)],
    ids=["while it writes", "while it reads"],
)
def test_an_abandoned_completion_stops_within_one_token_or_batch(models: EmbeddedModels, body: dict[str, Any]) -> None:
    looks = Looks()
    with pytest.raises(AbandonedError):
        models.complete("smollm2", 0, body, looks)
    # The look that abandons it, one more token or batch, and the last look at the end.
    assert looks.taken <= 4


def test_a_prompt_with_too_many_tokens_is_refused_without_reading_it(models: EmbeddedModels) -> None:
    looks = Looks(abandoned_at=math.inf)
    with pytest.raises(PromptTooLongError, match="shorten the prompt"):
        models.complete("smollm2", 0, asked("smollm2", "1" * (MAX_PROMPT_BYTES - 1), 1), looks)
    # Reading 4,096 tokens would take more than forty batches.
    assert looks.taken <= 2


async def test_an_adapter_answers_soon_while_another_has_much_to_do(
    server: EmbeddedServer, http: httpx.AsyncClient
) -> None:
    prompt = rewrite_prompt("(France, borders, Spain) (France, borders, Italy)")
    alone = await complete(server, "rewriter", prompt)
    async with busy(http, "answerer", 12) as others:
        for model in ("rewriter", "smollm2"):
            assert (await http.post(CHAT, json=asked(model, "Say hello.", 3))).status_code == 200
            # Behind all others in one queue, it would wait until only the last of them are in progress.
            assert sum(other.done() for other in others) < 12 - SLOTS_PER_MODEL
        assert await complete(server, "rewriter", prompt) == alone


async def test_a_prompt_that_is_too_long_is_refused(http: httpx.AsyncClient) -> None:
    for prompt in ("<" * 10_000, "1" * (MAX_PROMPT_BYTES - 1)):  # too many bytes; too many tokens
        reply = await http.post(CHAT, json=asked("smollm2", prompt, 1))
        assert reply.status_code == 400
        assert reply.json()["error"]["code"] == "context_length_exceeded"
        assert "shorten the prompt" in reply.json()["error"]["message"]


async def test_the_projects_client_hears_that_a_prompt_is_too_long(server: EmbeddedServer) -> None:
    with pytest.raises(RefusedError, match=r"18,000 bytes long.*shorten the prompt"):
        await complete(server, "smollm2", "x " * 9000)


async def test_it_asks_for_its_key(server: EmbeddedServer) -> None:
    client = OpenAIClient(server.url, "rewriter", "another")
    try:
        with pytest.raises(RefusedError, match="API key"):
            await client.ready()
        with pytest.raises(RefusedError, match="API key"):
            await client.complete("hi", max_tokens=1)
    finally:
        await client.close()
    assert server.api_key not in repr(server)


@pytest.mark.parametrize(("key", "said"), [(None, f"set {KEY_VARIABLE}"), (" \n", "set"), ("a\tb", "characters")])
def test_it_does_not_start_without_a_key(key: str | None, said: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != KEY_VARIABLE}
    environment |= {} if key is None else {KEY_VARIABLE: key}
    for host in ("127.0.0.1", "0.0.0.0"):
        command = [sys.executable, "-m", "services.llm", "--port", "0", "--host", host]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=HANGS_AFTER_S
        )
        assert done.returncode == 1
        assert said in done.stderr and "Traceback" not in done.stderr
        assert not key or key not in done.stderr.replace("\n", "")


def test_it_ends_with_the_process_that_started_it() -> None:
    code = (
        "import os\nfrom services.launcher import embedded_language_model\n"
        "server = embedded_language_model()\nprint(server.__enter__().url, flush=True)\nos._exit(1)"
    )
    started = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=HANGS_AFTER_S
    )
    url = started.stdout.strip()
    assert url.startswith("http://127.0.0.1:")

    def is_gone() -> bool:
        try:
            return not httpx.get(f"{url}/healthz", timeout=HANGS_AFTER_S)
        except httpx.HTTPError:
            return True

    wait_until(is_gone, "the server outlived the process that started it", pause_s=0.05)


def test_a_port_in_use_is_reported() -> None:
    with (
        embedded_language_model() as running,
        pytest.raises(DependencyError),
        embedded_language_model(int(running.url.rsplit(":", 1)[1])),
    ):
        pass
