"""A request with less time than the language model takes still gets what the other strategies have found."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.fakes.faulty_llm_server import FaultyServer, hangs, writes
from tests.support.degraded_retriever import (
    BY_CYPHER,
    BY_DENSE,
    BY_NEIGHBOURHOOD,
    QUERY,
    refusal,
    retrieve,
    retriever,
    values,
    warnings,
    write_graph,
    write_index,
)

MILLISECONDS = 3_000
"""Far less than the model may take, and far more than the other strategies need on a busy machine."""


@pytest_asyncio.fixture
async def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[FaultyServer]:
    """Serve a model that hangs, beside a graph that has been read."""
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KGQA_NEO4J_URL", raising=False)
    write_graph(tmp_path)
    async with FaultyServer(writes(QUERY)).running() as running:
        yield running


async def test_the_answer_of_another_strategy_comes_within_the_deadline(server: FaultyServer) -> None:
    write_index()
    async with retriever(server.url) as client:
        await retrieve(client, BY_CYPHER)  # reads the graph
        server.behave, before = hangs, len(server.prompts)
        by_neighbourhood = await retrieve(client, BY_NEIGHBOURHOOD, milliseconds=MILLISECONDS)
        by_dense = await retrieve(client, BY_DENSE, milliseconds=MILLISECONDS)
        response = await retrieve(client, BY_CYPHER, milliseconds=MILLISECONDS)

    assert len(server.prompts) - before == 3
    assert (by_neighbourhood["strategy"], values(by_neighbourhood)) == ("neighbourhood", ["Crown"])
    assert by_neighbourhood["warnings"] == []
    assert (by_dense["strategy"], values(by_dense)) == ("dense", ["Bob Stone"])
    assert len(warnings(by_dense, "no_thoughts")) == 1
    assert (response["strategy"], values(response)) == ("plan", [])
    assert "did not respond in time" in warnings(response, "strategy_failed")[0]


async def test_without_an_index_either_the_first_reply_comes_within_the_deadline(server: FaultyServer) -> None:
    async with retriever(server.url) as client:
        await retrieve(client, BY_CYPHER)
        server.behave = hangs
        response = await retrieve(client, BY_CYPHER, milliseconds=MILLISECONDS)

    assert response["strategy"] == "plan"
    kinds = [warning["kind"] for warning in response["warnings"]]
    assert kinds[-2:] == ["strategy_unavailable", "strategy_failed"]


async def test_a_named_strategy_says_that_the_model_is_too_slow(server: FaultyServer) -> None:
    async with retriever(server.url) as client:
        await retrieve(client, BY_CYPHER)
        server.behave = hangs
        problem = await refusal(client, BY_CYPHER, "cypher", MILLISECONDS)

    assert problem["status"] == 503
    assert "did not respond in time; allow more time, or choose a faster model" in problem["detail"]


async def test_a_request_without_any_time_is_told_so(server: FaultyServer) -> None:
    async with retriever(server.url) as client:
        problem = await refusal(client, BY_CYPHER, "auto", 0)

    assert (problem["status"], problem["type"]) == (408, "urn:kgqa:error:deadline-exceeded")
    assert server.prompts == []
