"""The client talks to a running `kgqa up`; the samples of its page do, too, and print what the page says."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from kgqa.client import Client, ResultEvent
from tests.support.command_line import Running

_PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "client.md"
_SAMPLE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)
_QUESTION = "What is the capital of France?"


@pytest.fixture
def client(running: Running) -> Iterator[Client]:
    with Client(running.urls["answerer"]) as connected:
        yield connected


def test_each_method_reaches_its_route(client: Client, running: Running) -> None:
    reply = client.ask(_QUESTION)
    *_, last = client.ask_stream(_QUESTION)
    chat = httpx.post(
        f"{running.urls['answerer']}/v1/chat/completions",
        json={"model": "kgqa", "messages": [{"role": "user", "content": _QUESTION}]},
        trust_env=False,
        timeout=60,
    ).json()
    cited = chat["choices"][0]["message"]["annotations"][0]["url_citation"]["url"].rpartition("/")[2]

    assert reply.answers[0].value == "Paris"
    assert isinstance(last, ResultEvent)
    assert last.response.answers == reply.answers
    assert client.evidence(cited).answers == ["Paris"]
    assert reply.plan is not None
    assert client.plan({"steps": reply.plan.steps}).rows[0][0]["name"] == "Paris"
    assert client.neighbours("Paris").entity.id == reply.answers[0].id
    assert "Country" in client.schema().kinds
    assert client.feedback(_QUESTION, answers=["Paris"]).kept


@pytest.mark.parametrize(("sample", "printed"), _SAMPLE.findall(_PAGE.read_text(encoding="utf-8")))
def test_samples_print_what_the_page_says(running: Running, sample: str, printed: str) -> None:
    code = sample.replace("http://127.0.0.1:8000", running.urls["answerer"])
    run = subprocess.run(
        [sys.executable, "-c", code], env=running.environment, capture_output=True, text=True, check=False
    )
    assert (run.stdout, run.stderr) == (printed, "")


def test_the_page_has_samples() -> None:
    assert (
        _PAGE.read_text(encoding="utf-8").count("```python")
        == len(_SAMPLE.findall(_PAGE.read_text(encoding="utf-8")))
        > 3
    )
