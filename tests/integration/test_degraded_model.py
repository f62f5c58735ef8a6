"""Whatever the language model's server does, every strategy replies, and the reply says what the model did not do."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from services.retriever.strategies import chain_of_thought, cypher
from tests.fakes.faulty_llm_server import (
    Behaviour,
    Exchange,
    FaultyServer,
    babbles,
    breaks_off,
    closes,
    completion,
    drips,
    hangs,
    overflows,
    replies,
    writes,
)
from tests.support.degraded_retriever import (
    ANSWER,
    BY_CYPHER,
    BY_DENSE,
    BY_NEIGHBOURHOOD,
    QUERY,
    refusal,
    retrieve,
    retriever,
    send,
    values,
    warnings,
    write_graph,
    write_index,
)
from tests.support.waiting import until

SLOW = {"hangs": hangs, "drips": drips}
BROKEN: dict[str, tuple[Behaviour, str]] = {
    "closes": (closes, "is unreachable"),
    "breaks off": (breaks_off, "is unreachable"),
    "babbles": (babbles, "is unreachable"),
    "page": (replies("200 OK", b"<html>Welcome"), "did not return JSON"),
    "deep JSON": (replies("200 OK", b"[" * 100_000), "did not return JSON"),
    "long number": (replies("200 OK", b'{"choices": ' + b"9" * 5_000 + b"}"), "did not return JSON"),
    "no choices": (replies("200 OK", b'{"choices": []}'), "returned no completion"),
    "no text": (replies("200 OK", b'{"choices": [{"message": {"content": {"a": 1}}}]}'), "without text"),
    "endless": (overflows, "returned more than"),
    "thoughts only": (replies("200 OK", completion("<think>" * 20_000)), "without text"),
    "500": (replies("500 Internal Server Error", b'{"error": {"message": "out of memory"}}'), "out of memory"),
    "deep refusal": (replies("500 Internal Server Error", b"[" * 100_000), "returned 500"),
    "429": (replies("429 Too Many Requests", b"{}"), "send fewer requests"),
    "401": (replies("401 Unauthorized", b"{}"), "set the API key"),
    "404": (replies("404 Not Found", b"{}"), "serve a model with this name"),
}
"""Failures of a server, and what the reply says of each."""
WRONG: dict[str, tuple[str, str]] = {
    "nonsense": ("Borville, of course!", "cannot read the Cypher query"),
    "nothing": ("", "cannot read the Cypher query"),
    "blank lines": ("\n \n" * 9, "cannot read the Cypher query"),
    "huge": ("x" * 3_000_000, "too long"),
    "many paragraphs": ("MATCH (n) RETURN n\n\n" * 100_000, "too long"),
    "many spaces": ("cypher" + " " * 1_000_000 + "x", "cannot read"),
    "a deletion": ("MATCH (n) DETACH DELETE n", "a query that only reads"),
    "a write in a comment's shadow": ("MATCH (n) /* read */ SET n.name = 'x' RETURN n", "a query that only reads"),
    "a procedure": ("CALL db.labels() YIELD label RETURN label", "a query that only reads"),
    "a file": ("LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line", "a query that only reads"),
    "unknown names": ("MATCH (a)-[:zzz]->(b:Qqqq) RETURN b.www", "unknown kind 'Qqqq'"),
    "an expansion": ("MATCH (a)-[*]->(b) RETURN count(*)", "upper bound"),
}
"""Replies of a model that are no query to run, and the reason that the retriever gives."""


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KGQA_NEO4J_URL", raising=False)
    write_graph(tmp_path)
    write_index()


@pytest.fixture(autouse=True)
def _be_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait long for the steps of a chain of thought, which a busy machine may need; these tests are about replies."""
    monkeypatch.setattr(chain_of_thought, "_SECONDS", 60.0)


@pytest_asyncio.fixture
async def server() -> AsyncIterator[FaultyServer]:
    async with FaultyServer(writes(QUERY)).running() as running:
        yield running


def _be_impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the strategies wait less for their model, so that nobody waits for a server that hangs."""
    monkeypatch.setattr(cypher, "_SECONDS", 1.0)
    monkeypatch.setattr(chain_of_thought, "_SECONDS", 0.5)


async def test_a_model_that_works_answers_where_the_others_abstain(server: FaultyServer) -> None:
    async with retriever(server.url, threshold=0.2) as client:
        response = await retrieve(client, BY_CYPHER)

    assert (response["strategy"], values(response)) == ("cypher", [ANSWER])
    assert response["strategy_reason"].endswith("dense abstained; cypher answers with confidence 0.42")


async def test_without_a_model_the_reply_says_how_to_set_one() -> None:
    async with retriever() as client:
        response = await retrieve(client, BY_CYPHER)
        by_dense = await retrieve(client, BY_DENSE)
        problem = await refusal(client, BY_CYPHER, "cypher")

    assert (response["strategy"], values(response)) == ("plan", [])
    assert response["strategy_reason"].endswith("; cypher is not available")
    [warning] = warnings(response, "strategy_unavailable")
    assert warning.startswith("cypher is not available: ") and "KGQA_RETRIEVER_LLM_URL" in warning
    assert (by_dense["strategy"], by_dense["warnings"]) == ("dense", [])
    assert problem["status"] == 422 and "KGQA_RETRIEVER_LLM_URL" in problem["detail"]


async def test_a_server_that_is_down_is_not_missed_until_its_turn_and_answers_when_it_is_back(
    server: FaultyServer,
) -> None:
    await server.stop()
    async with retriever(server.url) as client:
        by_neighbourhood = await retrieve(client, BY_NEIGHBOURHOOD)
        by_dense = await retrieve(client, BY_DENSE)
        response = await retrieve(client, BY_CYPHER)
        problem = await refusal(client, BY_CYPHER, "cypher")
        await server.start()
        await until(partial(_answers, client), "the circuit breaker never let a call through")
        back = await retrieve(client, BY_CYPHER, "cypher", min_confidence=0.2)

    assert (by_neighbourhood["strategy"], by_neighbourhood["warnings"]) == ("neighbourhood", [])
    assert by_dense["strategy"] == "dense"
    assert "is unreachable" in warnings(by_dense, "no_thoughts")[0]
    assert response["strategy"] == "plan"
    assert warnings(response, "strategy_failed")[0].startswith("cypher failed: ")
    assert problem["status"] == 503 and "retry shortly" in problem["detail"]
    assert (back["strategy"], values(back)) == ("cypher", [ANSWER])


@pytest.mark.parametrize("name", SLOW)
async def test_a_model_that_hangs_is_given_up_and_named(
    server: FaultyServer, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with retriever(server.url) as client:
        await retrieve(client, BY_CYPHER, "cypher")  # reads the graph, for which a busy machine needs its time
        _be_impatient(monkeypatch)
        server.behave, before = SLOW[name], len(server.prompts)
        by_dense = await retrieve(client, BY_DENSE)
        response = await retrieve(client, BY_CYPHER)
        problem = await refusal(client, BY_CYPHER, "cypher")

    assert len(server.prompts) - before == 4
    assert (by_dense["strategy"], values(by_dense)) == ("dense", ["Bob Stone"])
    assert len(warnings(by_dense, "no_thoughts")) == 1
    assert response["strategy_reason"].endswith("dense abstained; cypher failed")
    [warning] = warnings(response, "strategy_failed")
    assert "'coder' did not respond in time" in warning
    assert problem["status"] == 503 and "choose a faster model" in problem["detail"]


@pytest.mark.parametrize("name", BROKEN)
async def test_a_server_that_fails_is_named_with_the_reason(server: FaultyServer, name: str) -> None:
    server.behave, reason = BROKEN[name]
    async with retriever(server.url) as client:
        by_dense = await retrieve(client, BY_DENSE)
        response = await retrieve(client, BY_CYPHER, "auto")
    async with retriever(server.url) as client:  # whose circuit breaker is closed
        by_name = await retrieve(client, BY_DENSE, "dense")
        problem = await refusal(client, BY_CYPHER, "cypher")

    assert (by_dense["strategy"], values(by_dense)) == ("dense", ["Bob Stone"])
    assert values(by_name) == ["Bob Stone"]
    assert [reason in text for text in warnings(by_name, "no_thoughts")] == [True]
    assert (response["strategy"], values(response)) == ("plan", [])
    assert [reason in text for text in warnings(response, "strategy_failed")] == [True]
    assert problem["status"] == 503 and reason in problem["detail"]
    assert server.url not in problem["detail"]


@pytest.mark.parametrize("name", WRONG)
async def test_what_is_no_query_is_given_up_with_the_reason(server: FaultyServer, name: str) -> None:
    text, reason = WRONG[name]
    server.behave = writes(text)
    async with retriever(server.url) as client:
        by_dense = await retrieve(client, BY_DENSE)
        response = await retrieve(client, BY_CYPHER)
        by_name = await retrieve(client, BY_CYPHER, "cypher")

    assert (by_dense["strategy"], values(by_dense)) == ("dense", ["Bob Stone"])
    assert response["strategy_reason"].endswith("cypher abstained")
    for reply in (response, by_name):
        assert values(reply) == []
        assert [reason in text for text in warnings(reply, "no_query")] == [True]
    assert len(server.prompts) == 6, "dense asks twice, and cypher asks twice each time, since the query comes again"
    assert all(len(prompt) < 10_000 for prompt in server.prompts)


async def test_queries_that_differ_are_given_up_after_two_repairs(server: FaultyServer) -> None:
    texts = iter(range(99))
    server.behave = writes(lambda _: f"MATCH (n) WHERE n.zzz = {next(texts)} DELETE n")
    async with retriever(server.url) as client:
        response = await retrieve(client, BY_CYPHER, "cypher")

    assert len(server.prompts) == 3
    assert len(warnings(response, "no_query")) == 1


async def test_a_server_that_breaks_during_a_repair_is_a_failure(server: FaultyServer) -> None:
    async def once(exchange: Exchange) -> None:
        await (writes("nonsense") if len(server.prompts) == 1 else closes)(exchange)

    server.behave = once
    async with retriever(server.url) as client:
        problem = await refusal(client, BY_CYPHER, "cypher")

    assert problem["status"] == 503 and "is unreachable" in problem["detail"]


async def _answers(client: httpx.AsyncClient) -> bool:
    return (await send(client, BY_CYPHER, "cypher")).status_code == 200
