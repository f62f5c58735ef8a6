"""Both clients against the real answerer, in the same process over ASGI or on a port, with a retriever of its own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from datetime import date

import httpx
import pytest
from fastapi import FastAPI

from contracts.ask import AskRequest, AskResponse
from contracts.plans import PlanRequest
from graph.plan.algebra import Comparison, Constant, Match, NodePattern, Plan, Property
from graph.plan.checks import write_plan
from kgqa.client import (
    NO_RETRIES,
    AsyncClient,
    BusyError,
    Client,
    ConnectionFailedError,
    DependencyError,
    DiscardEvent,
    InvalidInputError,
    NoSuchRouteError,
    NotFoundError,
    ProblemError,
    ResultEvent,
    TextEvent,
    UnauthenticatedError,
    UnknownEntityError,
)
from services.answerer.app import create_app
from services.answerer.settings import AnswererSettings
from shared.api_keys import hash_of
from shared.llm.client import LanguageModel
from tests.fakes.llm import DraftingModel, ScriptedModel
from tests.fakes.serving import NOBODY, serving
from tests.support.waiting import until
from tests.unit.kgqa.client.test_errors import problem
from tests.unit.services.answerer.test_app import retriever, rewriter

QUESTION = "capital of France?"
SENTENCE = "The capital of France is Paris."
KEY = "kgqa_" + 43 * "k"


@asynccontextmanager
async def answerer(
    retriever_app: FastAPI | None = None, model: LanguageModel | None = None, **settings: object
) -> AsyncIterator[FastAPI]:
    async with AsyncExitStack() as stack:
        retriever_url = await stack.enter_async_context(serving(retriever_app or retriever()))
        rewriter_url = await stack.enter_async_context(serving(rewriter()))
        given = {"retriever_url": retriever_url, "rewriter_url": rewriter_url, **settings}
        yield create_app(AnswererSettings.model_validate(given), model=model or ScriptedModel([SENTENCE] * 9))


@asynccontextmanager
async def connected(app: FastAPI) -> AsyncIterator[AsyncClient]:
    transport = httpx.ASGITransport(app)
    talking = AsyncClient("http://127.0.0.1", retries=NO_RETRIES, transport=transport)
    async with app.router.lifespan_context(app), talking as client:
        yield client


async def test_a_question_is_answered() -> None:
    async with answerer() as app, connected(app) as client:
        reply = await client.ask(QUESTION, explain=True, max_evidence=3)

    assert (reply.answer, [answer.value for answer in reply.answers]) == (SENTENCE, ["Paris"])
    assert reply.evidence[0].text == "The capital is Paris."


async def test_a_stream_ends_with_the_reply_that_its_texts_add_up_to() -> None:
    async with answerer(model=DraftingModel(["Paris", "Paris or Lyon"])) as app, connected(app) as client:
        events = [event async for event in client.ask_stream(QUESTION)]

    text = ""
    for event in events:
        if isinstance(event, TextEvent):
            text += event.text
        elif isinstance(event, DiscardEvent):
            text = ""
    names = [type(event).__name__ for event in events]
    assert names[:4] == ["TopicEvent", "PlanEvent", "AnswersEvent", "EvidenceEvent"]
    assert isinstance(events[-1], ResultEvent)
    assert events[-1].response.answer == text == SENTENCE


async def test_closing_a_stream_stops_the_model() -> None:
    model = DraftingModel(["Par"], gate=asyncio.Event())
    async with answerer(model=model) as app, serving(app) as url, AsyncClient(url) as client:
        async with aclosing(client.ask_stream(QUESTION)) as events:  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, TextEvent):
                    break
        await until(lambda: model.stopped == 1)


async def test_a_batch_has_a_reply_for_each_question() -> None:
    async with answerer() as app, connected(app) as client:
        replies = await client.ask_batch([QUESTION, AskRequest(question=QUESTION, max_evidence=0)])
    async with answerer(retriever(404)) as app, connected(app) as client:
        [failure] = await client.ask_batch([QUESTION])

    assert [reply.answer for reply in replies if isinstance(reply, AskResponse)] == [SENTENCE, SENTENCE]
    assert isinstance(failure, UnknownEntityError)
    assert failure.detail == "no Atlantis"


@pytest.mark.parametrize(
    ("status", "kind", "expected"),
    [
        (404, "unknown-topic-entity", UnknownEntityError),
        (422, "invalid-input", InvalidInputError),
        (429, "busy", BusyError),
        (500, "internal", DependencyError),
    ],
)
async def test_problems_are_raised_as_their_classes(status: int, kind: str, expected: type[ProblemError]) -> None:
    async with answerer(retriever(status, kind)) as app, connected(app) as client:
        with pytest.raises(expected) as raised:
            await client.ask(QUESTION)
        with pytest.raises(expected):
            _ = [event async for event in client.ask_stream(QUESTION)]
    assert "no Atlantis" in raised.value.detail
    assert raised.value.request_id and raised.value.title and raised.value.hint


async def test_what_is_invalid_is_refused_before_it_is_sent() -> None:
    async with AsyncClient(NOBODY, retries=NO_RETRIES) as client:
        for call in (
            client.ask(""),
            client.ask(QUESTION, beam=99),
            client.ask_batch([]),
            client.plan({"steps": [{"op": "march"}]}),
            client.neighbours(),
            client.feedback(QUESTION),
        ):
            with pytest.raises(InvalidInputError) as raised:
                await call
            assert raised.value.errors
    with pytest.raises(ValueError, match="is not the URL of an answerer"):
        Client("127.0.0.1:8000")


async def test_evidence_that_is_not_kept_is_not_found() -> None:
    async with answerer() as app, connected(app) as client:
        with pytest.raises(NotFoundError, match="ask the question again"):
            await client.evidence("0a")
        with pytest.raises(NoSuchRouteError, match=r"/evidence/\.\./healthz"):
            await client.evidence("../healthz")


async def test_the_key_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    async with answerer(api_keys={"me": hash_of(KEY)}) as app, serving(app) as url:
        for key in (None, "wrong"):
            async with AsyncClient(url, key, retries=NO_RETRIES) as client:
                with pytest.raises(UnauthenticatedError):
                    await client.ask(QUESTION)
        async with AsyncClient(url, KEY, retries=NO_RETRIES) as client:
            assert (await client.ask(QUESTION)).answer == SENTENCE
        monkeypatch.setenv("KGQA_API_KEY", KEY)
        async with AsyncClient(url, retries=NO_RETRIES) as client:
            assert (await client.ask(QUESTION)).answer == SENTENCE


async def test_the_synchronous_client_does_the_same() -> None:
    def talk(url: str) -> None:
        with Client(url, retries=NO_RETRIES) as client:
            *_, last = client.ask_stream(QUESTION)
            assert isinstance(last, ResultEvent)
            assert client.ask(QUESTION).answer == last.response.answer == SENTENCE
            assert [type(reply) for reply in client.ask_batch([QUESTION])] == [AskResponse]
            with pytest.raises(NotFoundError, match="keeps no feedback"):
                client.feedback(QUESTION, answers=["Paris"])

    async with answerer() as app, serving(app) as url:
        await asyncio.to_thread(talk, url)


async def test_a_service_that_is_not_there_is_explained() -> None:
    async with AsyncClient(NOBODY, retries=NO_RETRIES) as client:
        with pytest.raises(ConnectionFailedError, match="is kgqa up running") as raised:
            await client.schema()
    assert not raised.value.was_sent


def test_plans_are_sent_as_they_are_meant() -> None:
    sent = []

    def record(request: httpx.Request) -> httpx.Response:
        sent.append(PlanRequest.model_validate_json(request.content))
        return httpx.Response(422, json=problem("invalid-input", 422))

    condition = Comparison("<", Property("order", "placed"), Constant(date(1996, 8, 1)))
    plan = Plan((Match((NodePattern("order", ("Order",)),), where=condition),))
    with Client("http://127.0.0.1", transport=httpx.MockTransport(record)) as client:
        for given in (plan, write_plan(plan)):
            with pytest.raises(InvalidInputError):
                client.plan(given, max_rows=7)

    assert sent == [PlanRequest(plan=plan, max_rows=7)] * 2
