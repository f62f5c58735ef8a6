"""Many streams at a time: each is whole and about its own question, and nothing is left of those that clients leave."""

import asyncio
from contextlib import AsyncExitStack

import httpx
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from contracts.answers import Answer
from services.answerer.app import create_app
from services.answerer.settings import AnswererSettings
from tests.fakes.llm import DraftingModel, ScriptedModel
from tests.fakes.services import capital_of_france
from tests.fakes.serving import serving
from tests.support.stream_clients import Event, StreamConnection, StreamCounts, new_request_id
from tests.support.waiting import until
from tests.unit.services.answerer.test_app import rewriter

CLIENTS, ROUNDS = 30, 4


def retriever() -> FastAPI:
    """Return a retriever whose answer has the number that is asked for."""
    app = FastAPI()

    @app.post("/retrieve")
    async def retrieve(request: Request) -> JSONResponse:
        name = _answer((await request.json())["question"])
        answer = Answer(value=name, id=name, score=0.9, evidence=[0])
        return JSONResponse(capital_of_france().model_copy(update={"answers": [answer]}).model_dump(mode="json"))

    return app


def _answer(question: str) -> str:
    return f"Town {question.split()[-1].removesuffix('?')}"


async def _in_flight(http: httpx.AsyncClient) -> str:
    text = (await http.get("/metrics")).text
    return next(line.split()[1] for line in text.splitlines() if line.startswith("kgqa_requests_in_flight "))


async def test_each_stream_is_whole_and_about_its_own_question() -> None:
    counts = StreamCounts()

    async def client(url: str, number: int) -> None:
        vanishes = number % 3 == 2
        connection = await StreamConnection.open(url)
        for turn in range(ROUNDS):
            question, request_id = f"What is the capital of Land {7 * number + turn}?", new_request_id()
            events = []
            async for event in connection.ask(question, request_id):
                events.append(event)
                if vanishes and len(events) == 1 + turn:
                    break
            if vanishes:
                counts.left += 1
                connection.abort()
                connection = await StreamConnection.open(url)
            else:
                counts.add(question, request_id, events, ([_answer(question)], False))
        connection.abort()

    async with AsyncExitStack() as stack:
        urls = [await stack.enter_async_context(serving(app)) for app in (retriever(), rewriter())]
        settings = AnswererSettings(retriever_url=urls[0], rewriter_url=urls[1])
        url = await stack.enter_async_context(serving(create_app(settings, model=ScriptedModel(lambda _: "Town."))))
        http = await stack.enter_async_context(httpx.AsyncClient(base_url=url, trust_env=False))
        await asyncio.gather(*(client(url, number) for number in range(CLIENTS)))

        async def is_idle() -> bool:
            return await _in_flight(http) == "0.0"

        await until(is_idle)

    assert counts.examples == []
    assert (counts.whole, counts.left) == (20 * ROUNDS, 10 * ROUNDS)


async def test_a_model_stops_when_the_last_of_its_streams_is_left() -> None:
    model = DraftingModel(["Par"], gate=asyncio.Event())
    async with AsyncExitStack() as stack:
        urls = [await stack.enter_async_context(serving(app)) for app in (retriever(), rewriter())]
        settings = AnswererSettings(retriever_url=urls[0], rewriter_url=urls[1])
        url = await stack.enter_async_context(serving(create_app(settings, model=model)))
        connections = [await StreamConnection.open(url) for _ in range(5)]
        for connection in connections:
            async for event in connection.ask("What is the capital of Land 1?", new_request_id()):
                if event.name == "text":
                    break
        assert (model.calls, model.stopped) == (1, 0)
        for connection in connections:
            connection.abort()
        await until(lambda: model.stopped == 1)


def _events(*names: str, answers: str = "Town 1", request_id: str = "id") -> list[Event]:
    listed = [{"value": answers}]
    data = {
        "answers": {"answers": listed},
        "text": {"text": "Town."},
        "result": {
            "answer": "Town.", "answers": listed, "abstained": False, "request_id": request_id, "warnings": [],
        },
    }  # fmt: skip
    return [Event(name, data.get(name, {}), 0.0) for name in names]


_WHOLE = ("topic", "plan", "answers", "evidence", "text", "result")


def test_faults_of_streams_are_counted() -> None:
    counts = StreamCounts()
    for events in (
        _events(*_WHOLE),
        _events(*_WHOLE[:-1]),
        _events(*_WHOLE[:4], "result"),
        _events("topic", *_WHOLE),
        _events(*_WHOLE, answers="Town 2"),
        _events(*_WHOLE, request_id="other"),
        _events(*_WHOLE[:4], "error"),
        [],
    ):
        counts.add("q", "id", events, (["Town 1"], False))
    assert (counts.whole, counts.lost, counts.duplicated, counts.crossed, counts.failed) == (1, 3, 1, 2, 1)
