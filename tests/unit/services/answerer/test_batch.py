"""`POST /ask/batch`: order, errors of single questions, limits, and clients that go away."""

import asyncio
from typing import Any

import httpx
import pytest

from contracts.ask import AskRequest, AskResponse
from contracts.batches import MAX_QUESTIONS
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from contracts.rewrite import RewriteRequest, RewriteResponse
from services.answerer.batch import ask_all
from services.answerer.pipeline import Asker
from shared.errors import UnknownEntityError
from tests.fakes.llm import DraftingModel, FailingModel
from tests.fakes.services import capital_of_france
from tests.support.waiting import until
from tests.unit.services.answerer.test_app import client, retriever

PATH = "/ask/batch"


class GatedRetrieval:
    """Implement `Retrieval`: wait for `gate`, then find something unless the question is unknown; count the calls."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.running = self.most_running = self.stopped = 0

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        finally:
            self.running -= 1
        if request.question == "unknown":
            raise UnknownEntityError("no Atlantis")
        if request.question == "broken":
            raise ZeroDivisionError
        found = capital_of_france()
        return found.model_copy(update={"confidence": float(request.question) / 100})


class NoRewriting:
    async def rewrite(self, request: RewriteRequest) -> RewriteResponse:
        return RewriteResponse(texts=["x"] * len(request.evidence), degraded=[], cached=0)


def started(questions: list[str]) -> tuple[GatedRetrieval, "asyncio.Task[list[Any]]"]:
    retrieval = GatedRetrieval()
    asker = Asker(retrieval, NoRewriting(), FailingModel())
    requests = [AskRequest(question=question) for question in questions]
    return retrieval, asyncio.create_task(ask_all(asker, requests, "id"))


async def test_outcomes_are_in_order_and_an_error_concerns_one_question() -> None:
    retrieval, asking = started([*map(str, range(20)), "unknown", "99"])
    retrieval.gate.set()
    *known, unknown, last = await asking
    assert [response.confidence for response in known] == [number / 100 for number in range(20)]
    assert isinstance(unknown, UnknownEntityError)
    assert isinstance(last, AskResponse) and last.confidence == 0.99


async def test_a_few_questions_run_at_a_time() -> None:
    retrieval, asking = started(["1"] * 50)
    await until(lambda: retrieval.running == 8)
    retrieval.gate.set()
    assert len(await asking) == 50
    assert retrieval.most_running == 8


async def test_a_batch_that_nobody_waits_for_stops() -> None:
    retrieval, asking = started(["1"] * 50)
    await until(lambda: retrieval.running == 8)
    asking.cancel()
    await asyncio.wait({asking})
    assert (retrieval.running, retrieval.stopped) == (0, 8)


async def test_an_unexpected_error_is_not_hidden() -> None:
    retrieval, asking = started(["broken", "1"])
    retrieval.gate.set()
    with pytest.raises(ExceptionGroup):
        await asking


async def post(body: Any, status: int = 200) -> httpx.Response:
    async with client(retriever(status), DraftingModel(["Paris"])) as http:
        return await http.post(PATH, json=body)


async def test_each_reply_is_that_of_ask() -> None:
    question = {"question": "capital of France?"}
    async with client(retriever()) as http:
        items = (await http.post(PATH, json={"requests": [question, {**question, "max_evidence": 0}]})).json()["items"]
        whole = (await http.post("/ask", json=question)).json()
        metrics = (await http.get("/metrics")).text
    varying = dict.fromkeys(("request_id", "timings_ms", "usage"))
    assert {**items[0]["response"], **varying} == {**whole, **varying}
    assert (items[0]["problem"], items[1]["response"]["evidence"]) == (None, [])
    assert 'kgqa_step_seconds_count{step="answer"} 3.0' in metrics


async def test_a_problem_of_one_question_is_in_its_item() -> None:
    reply = await post({"requests": [{"question": "capital of Atlantis?"}]}, status=404)
    [item] = reply.json()["items"]
    assert (reply.status_code, item["response"]) == (200, None)
    assert (item["problem"]["status"], item["problem"]["type"]) == (404, "urn:kgqa:error:unknown-topic-entity")
    assert item["problem"]["request_id"] == reply.headers["X-Request-ID"]


@pytest.mark.parametrize(
    ("requests", "field"),
    [
        ([], "requests"),
        ([{"question": "x"}] * (MAX_QUESTIONS + 1), "requests"),
        ([{"question": "x"}, {"question": ""}], "requests.1.question"),
        ([{"question": "x", "beam": 99}], "requests.0.beam"),
    ],
)
async def test_an_invalid_batch_names_the_question(requests: Any, field: str) -> None:
    reply = await post({"requests": requests})
    assert reply.status_code == 422
    assert [error["field"] for error in reply.json()["errors"]] == [field]


async def test_a_batch_may_be_larger_than_a_question() -> None:
    long = {"question": "x" * 1000}
    assert (await post({"requests": [long] * MAX_QUESTIONS})).status_code == 200
