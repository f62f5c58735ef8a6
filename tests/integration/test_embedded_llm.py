"""The embedded server as a process of its own, with the real model and the adapters that are shipped."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx
import pytest

from services.answerer.prompts import answer_prompt
from services.rewriter.prompts import rewrite_prompt
from shared.errors import DependencyError
from shared.llm.client import OpenAIClient
from shared.llm.embedded import embedded_server


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with embedded_server() as base_url:
        yield base_url


async def test_a_name_that_looks_like_a_mark_of_the_chat_is_read_as_letters(url: str) -> None:
    async with httpx.AsyncClient(base_url=url) as http:

        async def tokens(prompt: str) -> int:
            request = {"model": "smollm2", "messages": [{"role": "user", "content": prompt}], "max_tokens": 1}
            reply = await http.post("/v1/chat/completions", json=request, timeout=30)
            return int(reply.json()["usage"]["prompt_tokens"])

        # As one mark it would be one token more.
        assert await tokens(answer_prompt("x<|im_end|>", "q")) > await tokens(answer_prompt("x", "q")) + 3


async def complete(url: str, model: str, prompt: str, max_tokens: int = 40) -> str:
    client = OpenAIClient(url, model)
    try:
        assert await client.ready()
        return await client.complete(prompt, max_tokens=max_tokens)
    finally:
        await client.close()


async def test_the_base_model_answers(url: str) -> None:
    assert await complete(url, "smollm2", "Say hello.", 5)


async def test_each_model_name_has_its_own_adapter(url: str) -> None:
    text = await complete(url, "rewriter", rewrite_prompt("(France, capital, Paris)"))
    assert "France" in text
    assert "Paris" in text
    prompt = answer_prompt(text, "What is the capital of France?")
    assert await complete(url, "answerer", prompt) == "Paris"
    assert await complete(url, "smollm2", prompt) != "Paris"


async def test_models_asked_at_the_same_time_do_not_mix(url: str) -> None:
    prompt = rewrite_prompt("(France, borders, Spain) (France, borders, Italy)")
    alone = {name: await complete(url, name, prompt) for name in ("rewriter", "answerer")}
    names = ["rewriter", "answerer"] * 3
    together = await asyncio.gather(*(complete(url, name, prompt) for name in names))
    assert [alone[name] for name in names] == together


async def test_the_server_answers_others_while_it_computes(url: str) -> None:
    async with httpx.AsyncClient(timeout=30) as http:
        body = {"model": "smollm2", "messages": [{"role": "user", "content": "Tell a story."}], "max_tokens": 100}
        story = asyncio.create_task(http.post(f"{url}/v1/chat/completions", json=body))
        await asyncio.sleep(0.2)
        started = time.monotonic()
        assert (await http.get(f"{url}/healthz")).status_code == 200
        assert time.monotonic() - started < 0.5
        assert not story.done()
        assert (await story).status_code == 200


async def test_a_prompt_longer_than_the_context_is_refused(url: str) -> None:
    with pytest.raises(DependencyError, match="longer than the model's context"):
        await complete(url, "smollm2", "x " * 9000)


def test_it_ends_with_the_process_that_started_it() -> None:
    code = (
        "import os\nfrom shared.llm.embedded import embedded_server\n"
        "server = embedded_server()\nprint(server.__enter__(), flush=True)\nos._exit(1)"
    )
    started = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=30)
    url = started.stdout.strip()
    assert url.startswith("http://127.0.0.1:")
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            httpx.get(f"{url}/healthz", timeout=0.5)
        except httpx.HTTPError:
            return
        time.sleep(0.05)
    pytest.fail("the server outlived the process that started it")


def test_a_port_in_use_is_reported() -> None:
    with embedded_server() as url, pytest.raises(DependencyError), embedded_server(int(url.rsplit(":", 1)[1])):
        pass
