"""What a wrong answer costs decides from which confidence on there is an answer, here also over a real retriever."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from pydantic import ValidationError

from contracts.ask import AskRequest
from kgqa.client import AsyncClient
from kgqa.client import InvalidInputError as InvalidRequestError
from services.answerer.app import create_app
from services.answerer.pipeline import Asker
from services.answerer.settings import AnswererSettings
from services.retriever.app import create_app as create_retriever
from services.retriever.settings import RetrieverSettings
from shared.api_keys import caller_keys, hash_of
from shared.cost_of_wrong import callers_cost, least_confidence
from shared.errors import InvalidInputError
from shared.settings import load_settings
from tests.fakes.llm import FailingModel
from tests.fakes.services import FakeRetrieval, FakeRewriting, capital_of_france
from tests.fakes.serving import NOBODY, serving
from tests.support.property_graphs import shop_graph, write_graph_file

pytestmark = pytest.mark.asyncio(loop_scope="module")

KEYS = {"plain": {}, "page": {"cost_of_wrong": 1}, "machine": {"cost_of_wrong": 1000}}
QUESTION = "How many products are there?"


@contextmanager
def _key(cost: float | None) -> Iterator[None]:
    token = callers_cost.set(cost)
    try:
        yield
    finally:
        callers_cost.reset(token)


@pytest.mark.parametrize(
    ("fields", "of_key", "setting", "asked"),
    [
        ({}, None, None, (None, False)),
        ({}, None, 10, (10 / 11, True)),
        ({}, 1, 10, (0.5, False)),
        ({}, 0, 10, (0.0, False)),
        ({"cost_of_wrong": 4}, 1, 10, (0.8, False)),
        ({"cost_of_wrong": 0}, 1, 10, (0.0, False)),
        ({"min_confidence": 0.3}, 1, 10, (0.3, False)),
        ({"min_confidence": 0}, 1, 10, (0.0, False)),
    ],
)
async def test_the_request_counts_before_the_key_and_the_key_before_the_setting(
    fields: Mapping[str, float], of_key: float | None, setting: float | None, asked: tuple[float | None, bool]
) -> None:
    retrieval = FakeRetrieval(capital_of_france())
    with _key(of_key):
        await Asker(retrieval, FakeRewriting(), None, cost_of_wrong=setting).find(
            AskRequest.model_validate({"question": QUESTION, **fields})
        )

    [request] = retrieval.requests
    assert request.min_confidence == pytest.approx(asked[0])
    assert request.is_default_confidence is asked[1]


@pytest.mark.parametrize("cost", [-0.1, 1000.1, float("nan"), float("inf"), "1", True])
async def test_costs_have_bounds(cost: object) -> None:
    with pytest.raises(ValidationError, match="cost_of_wrong"):
        AskRequest.model_validate({"question": QUESTION, "cost_of_wrong": cost})


async def test_null_leaves_it_to_the_key_and_the_setting() -> None:
    request = AskRequest.model_validate({"question": QUESTION, "cost_of_wrong": None, "min_confidence": 0.2})
    assert request.cost_of_wrong is None


async def test_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings(AnswererSettings).cost_of_wrong == 10
    monkeypatch.setenv("KGQA_ANSWERER_COST_OF_WRONG", "2.5")
    assert load_settings(AnswererSettings).cost_of_wrong == 2.5
    for wrong in ("-1", "1001", "nan", "much"):
        monkeypatch.setenv("KGQA_ANSWERER_COST_OF_WRONG", wrong)
        with pytest.raises(InvalidInputError, match="COST_OF_WRONG"):
            load_settings(AnswererSettings)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url(home: Path) -> AsyncIterator[str]:
    (home / "graphs").mkdir()
    write_graph_file(shop_graph(), home / "graphs" / "shop.sqlite")
    keys = caller_keys({name: {"hash": hash_of(name), **rest} for name, rest in KEYS.items()})
    async with AsyncExitStack() as stack:
        retriever = await stack.enter_async_context(serving(create_retriever(RetrieverSettings(graph="shop"))))
        settings = AnswererSettings(retriever_url=retriever, rewriter_url=NOBODY, api_keys=keys)
        yield await stack.enter_async_context(serving(create_app(settings, model=FailingModel())))


async def post(url: str, key: str, route: str = "/ask", **body: Any) -> httpx.Response:
    headers = {"X-API-Key": key, "Accept": "application/json, text/event-stream"}
    async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=None) as http:
        return await http.post(route, json=body, headers=headers)


async def ask(url: str, key: str, **fields: Any) -> dict[str, Any]:
    return dict((await post(url, key, question=QUESTION, **fields)).json())


async def test_a_reading_is_shown_with_the_cost_at_which_it_is_the_answer(url: str) -> None:
    silent = await ask(url, "machine")

    assert silent["abstained"] and silent["answer"] == "I don't know."
    assert silent["alternatives"][0]["answers"] == ["15"]
    [warning] = [one for one in silent["warnings"] if one["kind"] == "withheld"]
    cost = float(warning["text"].partition("cost_of_wrong of ")[2].split()[0])
    assert least_confidence(cost) <= silent["confidence"] < least_confidence(1000)
    said = await ask(url, "machine", cost_of_wrong=cost)
    assert ([one["value"] for one in said["answers"]], said["warnings"]) == ([15], [])
    assert said["confidence"] == silent["confidence"]


async def test_each_caller_gets_what_its_key_says(url: str) -> None:
    assert not (await ask(url, "page"))["abstained"]
    assert (await ask(url, "page", cost_of_wrong=1000))["abstained"]
    assert (await ask(url, "machine"))["abstained"]
    assert not (await ask(url, "machine", min_confidence=0.5))["abstained"]
    confidence = (await ask(url, "page"))["confidence"]
    assert (await ask(url, "plain"))["abstained"] is (confidence < least_confidence(10))


async def test_all_ways_to_ask_know_the_cost(url: str) -> None:
    batch = await post(url, "machine", "/ask/batch", requests=[{"question": QUESTION, "cost_of_wrong": 1}])
    assert not batch.json()["items"][0]["response"]["abstained"]
    tool = {"name": "ask", "arguments": {"question": QUESTION, "cost_of_wrong": 1}}
    called = await post(url, "machine", "/mcp", jsonrpc="2.0", id=1, method="tools/call", params=tool)
    assert called.json()["result"]["structuredContent"]["abstained"] is False
    chat = {"model": "kgqa", "messages": [{"role": "user", "content": QUESTION}]}
    contents = [
        (await post(url, "machine", "/v1/chat/completions", **chat, **cost)).json()["choices"][0]["message"]["content"]
        for cost in ({}, {"cost_of_wrong": 1})
    ]
    assert "I don't know." in contents[0] and "% sure of an answer" in contents[0] and "15" in contents[0]
    assert "15" in contents[1] and "% sure." in contents[1]
    wrong = await post(url, "machine", "/v1/chat/completions", **chat, cost_of_wrong=-1)
    assert (wrong.status_code // 100, "cost_of_wrong" in wrong.text) == (4, True)


async def test_both_ways_to_say_it_are_an_error_that_says_which_to_leave_out(url: str) -> None:
    reply = await post(url, "page", question=QUESTION, cost_of_wrong=1, min_confidence=0.5)

    assert (reply.status_code, reply.headers["content-type"]) == (422, "application/problem+json")
    [error] = reply.json()["errors"]
    assert "cost_of_wrong" in str(error)
    assert "leave out min_confidence" in str(error)


async def test_the_client_passes_it_on(url: str) -> None:
    async with AsyncClient(url, api_key="machine") as client:
        assert (await client.ask(QUESTION)).abstained
        assert not (await client.ask(QUESTION, cost_of_wrong=1)).abstained
        with pytest.raises(InvalidRequestError, match="cost_of_wrong"):
            await client.ask(QUESTION, cost_of_wrong=1, min_confidence=0.5)
