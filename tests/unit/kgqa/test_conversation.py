"""`kgqa ask` without a question keeps a conversation with a real answerer."""

import asyncio
import io
import sys
from typing import Any

import pytest
from fastapi import FastAPI

from contracts.retrieve import RetrieveRequest, RetrieveResponse
from contracts.rewrite import RewriteRequest, RewriteResponse
from kgqa.conversation import Conversation, converse
from services.answerer.app import create_app
from services.answerer.settings import AnswererSettings
from shared.api_keys import hash_of
from shared.errors import UnauthenticatedError, UnreachableError
from tests.fakes.llm import ScriptedModel
from tests.fakes.services import capital_of_france, nothing_found
from tests.fakes.serving import NOBODY, serving
from tests.unit.kgqa.test_cli import run

_SECONDS = 60.0


class Services:
    """Serve a retriever that knows one capital, and a rewriter; record the questions."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.app = FastAPI()

        @self.app.post("/retrieve")
        async def retrieve(request: RetrieveRequest) -> RetrieveResponse:
            self.asked.append(request.question)
            return capital_of_france() if "France" in request.question else nothing_found()

        @self.app.post("/rewrite")
        async def rewrite(request: RewriteRequest) -> RewriteResponse:
            return RewriteResponse(
                texts=["The capital of France is Paris."] * len(request.evidence), degraded=[], cached=0
            )


async def _converse(
    capsys: pytest.CaptureFixture[str], *questions: str, **settings: object
) -> tuple[str, str, Services]:
    services = Services()
    async with serving(services.app) as url:
        given = {"retriever_url": url, "rewriter_url": url, **settings}
        answerer = create_app(AnswererSettings.model_validate(given), model=ScriptedModel(["Paris"] * 9))
        async with serving(answerer) as answerer_url:
            conversation = Conversation(answerer_url, _SECONDS, None)
            await asyncio.to_thread(converse, conversation, lambda: iter(questions))
    shown = capsys.readouterr()
    return shown.out, shown.err, services


async def test_a_question_may_refer_to_earlier_ones(capsys: pytest.CaptureFixture[str]) -> None:
    out, err, services = await _converse(capsys, "capital of France?", "", "and what about Germany?\n")
    assert out.startswith(
        "The capital of France is Paris [1].\nI am 90 % sure.\n  [1] The capital of France is Paris.\n"
    )
    assert "http" not in out
    assert err == ""
    assert "capital of Germany?" in services.asked


async def test_each_paragraph_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    out, _, _ = await _converse(capsys, "capital of Germany?")
    assert len(out.splitlines()) > 1
    assert "\\n" not in out


async def test_a_question_that_is_refused_does_not_end_it(capsys: pytest.CaptureFixture[str]) -> None:
    out, err, _ = await _converse(capsys, "x" * 2000, "capital of France?")
    assert "send a shorter question" in err
    assert out.startswith("The capital of France is Paris")


async def test_a_wrong_key_ends_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnauthenticatedError, match="KGQA_API_KEY"):
        await _converse(capsys, "capital of France?", api_keys={"a": hash_of("a")})


async def test_no_answerer_ends_it() -> None:
    with pytest.raises(UnreachableError, match="kgqa up"):
        await Conversation(NOBODY, _SECONDS, None).ask("capital of France?")


async def test_old_messages_are_left_out_and_options_are_not() -> None:
    app, sent, costs = FastAPI(), list[list[dict[str, str]]](), set[int]()

    @app.post("/v1/chat/completions")
    async def complete(body: dict[str, Any]) -> dict[str, Any]:
        sent.append(body["messages"])
        costs.add(body["cost_of_wrong"])
        return {"choices": [{"message": {"content": f"reply {len(sent)}"}}]}

    async with serving(app) as url:
        conversation = Conversation(url, _SECONDS, None, cost_of_wrong=3)
        replies = [(await conversation.ask(f"question {number}")).text() for number in range(1, 16)]
    assert costs == {3}
    assert replies == [f"reply {number}" for number in range(1, 16)]
    assert [len(messages) for messages in sent] == [*range(1, 21, 2), *[21] * 5]
    assert [message["content"] for message in sent[-1][-3:]] == ["question 14", "reply 14", "question 15"]


def test_the_command_reads_lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n"))
    assert run(monkeypatch, "ask", "--url", NOBODY) == 0
    assert run(monkeypatch, "ask", "--json") == 2
    assert "add a question" in capsys.readouterr().err
