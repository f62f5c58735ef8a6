"""Open WebUI asks a running `kgqa up` without a setting but the base URL, through its API and in its page."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.async_api import Browser, expect

from tests.support.browser import needs_chromium
from tests.support.command_line import Running
from tests.support.open_webui import needs_open_webui, open_webui

pytestmark = [needs_open_webui, pytest.mark.timeout(900)]
_QUESTION = "What is the capital of France?"
_GUARD_S = 60.0


@pytest.fixture(scope="module")
def front_end(running: Running, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with open_webui(tmp_path_factory.mktemp("open-webui"), f"{running.urls['answerer']}/v1") as url:
        yield url


@pytest.fixture
def api(front_end: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=front_end, timeout=_GUARD_S, trust_env=False) as client:
        token = client.post("/api/v1/auths/signin", json={"email": "", "password": ""}).json()["token"]
        client.headers["Authorization"] = f"Bearer {token}"
        client.get("/api/models")  # Open WebUI reads the list of models on demand.
        yield client


def _asked(*texts: str, **options: object) -> dict[str, object]:
    """Return a conversation in which the user and the assistant take turns."""
    roles = ("user", "assistant")
    messages = [{"role": roles[number % 2], "content": text} for number, text in enumerate(texts)]
    return {"model": "kgqa", "messages": messages, **options}


def _message(reply: httpx.Response) -> Any:
    return reply.raise_for_status().json()["choices"][0]["message"]


def test_it_lists_the_model(api: httpx.Client) -> None:
    assert [model["id"] for model in api.get("/api/models").json()["data"]] == ["kgqa"]


def test_it_passes_on_the_answer_and_its_citation(api: httpx.Client) -> None:
    message = _message(api.post("/api/chat/completions", json=_asked(_QUESTION)))

    assert "Paris [1]" in message["content"]
    [annotation] = message["annotations"]
    evidence = httpx.get(annotation["url_citation"]["url"], trust_env=False).json()
    assert {"subject": "France", "relation": "capital", "object": "Paris"} in evidence["triples"]


def test_it_streams(api: httpx.Client) -> None:
    with api.stream("POST", "/api/chat/completions", json=_asked(_QUESTION, stream=True)) as reply:
        lines = [line for line in reply.iter_lines() if line]

    assert any("Paris" in line for line in lines)
    assert lines[-1] == "data: [DONE]"


def test_a_follow_up_question_uses_the_conversation(api: httpx.Client) -> None:
    message = _message(api.post("/api/chat/completions", json=_asked(_QUESTION, "Paris", "And of Spain?")))

    assert "Madrid" in message["content"]


def test_its_title_prompt_is_answered_without_the_graph(api: httpx.Client) -> None:
    message = _message(api.post("/api/v1/tasks/title/completions", json=_asked(_QUESTION, "Paris")))

    assert message["content"] == '{"title": "What is the capital of France"}'


@needs_chromium
@pytest.mark.asyncio(loop_scope="module")
async def test_its_page_shows_the_answer_with_a_source(front_end: str, browser: Browser) -> None:
    page = await browser.new_page()
    await page.goto(front_end, wait_until="domcontentloaded")
    # The news of a release covers the page at first.
    await page.get_by_text("Okay, Let's Go!").click()
    await page.locator("#chat-input").click()
    await page.keyboard.type(_QUESTION)
    await page.keyboard.press("Enter")

    await expect(page.get_by_text("The capital of France is Paris").first).to_be_visible()
    await expect(page.get_by_text("1 Source")).to_be_visible()
    await page.close()
