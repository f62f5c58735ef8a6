"""Whatever happens to the index of the triples, every strategy replies, and the reply says what is wrong with it."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import httpx
import numpy as np
import pytest

from services.retriever.dense.index_file import IndexHeader, read_index
from services.retriever.serving import hot_reload
from shared.paths import graph_file, index_file
from tests.fakes.faulty_llm_server import FaultyServer, closes
from tests.support.degraded_retriever import (
    BY_CYPHER,
    BY_DENSE,
    BY_NEIGHBOURHOOD,
    GRAPH,
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

_NEVER_S = 3_600.0


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KGQA_NEO4J_URL", raising=False)
    write_graph(tmp_path)
    return tmp_path


def no_index(folder: Path) -> None:
    """Leave the graph without an index."""


def index_of_another_version(folder: Path) -> None:
    write_index()
    write_graph(folder, "Borland\tanthem\tOnward\n")


def index_cut_off(folder: Path) -> None:
    write_index()
    os.truncate(index_file(graph_file(GRAPH)), 4_200)


def not_an_index(folder: Path) -> None:
    index_file(graph_file(GRAPH)).write_bytes(os.urandom(9_000))


def empty_file(folder: Path) -> None:
    index_file(graph_file(GRAPH)).touch()


def folder_instead(folder: Path) -> None:
    index_file(graph_file(GRAPH)).mkdir()


def scribbled_starts(folder: Path) -> None:
    write_index()
    header, arrays = read_index(index_file(graph_file(GRAPH)))
    with index_file(graph_file(GRAPH)).open("r+b") as opened:
        opened.seek(header.places[1])
        opened.write(np.full(len(arrays.starts), 10**9, "<i4").tobytes())


def scribbled_vector(folder: Path) -> None:
    write_index()
    header, _ = read_index(index_file(graph_file(GRAPH)))
    with index_file(graph_file(GRAPH)).open("r+b") as opened:
        opened.seek(header.places[3])
        opened.write(b"\x7b" * 16)


UNUSABLE: dict[str, tuple[Callable[[Path], None], str]] = {
    "none": (no_index, "build one with: kgqa index --graph lands"),
    "of another version": (index_of_another_version, "another version of the graph; build it again with: kgqa index"),
    "cut off": (index_cut_off, "bytes instead of"),
    "no index": (not_an_index, "is damaged, or an index of another version of kgqa; build it again with"),
    "empty": (empty_file, "is damaged, or an index of another version of kgqa; build it again with"),
    "scribbled": (scribbled_starts, "is damaged: it does not list the triples of all entities; build it again with"),
    "scribbled vector": (scribbled_vector, "is damaged: some of its vectors are not of length 1; build it again with"),
    "a folder": (folder_instead, "build one with: kgqa index --graph lands"),
}


@pytest.mark.parametrize("name", UNUSABLE)
async def test_an_index_that_cannot_be_used_is_left_out_with_the_reason(folder: Path, name: str) -> None:
    prepare, reason = UNUSABLE[name]
    prepare(folder)
    async with retriever() as client:
        response = await retrieve(client, BY_DENSE)
        by_neighbourhood = await retrieve(client, BY_NEIGHBOURHOOD)
        by_name = await retrieve(client, BY_DENSE, "plan")
        problem = await refusal(client, BY_DENSE, "dense")
        [graph] = (await client.get("/graphs")).json()["graphs"]

    assert (response["strategy"], values(response)) == ("plan", [])
    assert response["strategy_reason"].endswith("dense is not available; cypher is not available")
    warning, _ = warnings(response, "strategy_unavailable")
    assert warning.startswith("dense is not available: ") and reason in warning
    assert (by_neighbourhood["strategy"], by_neighbourhood["warnings"]) == ("neighbourhood", [])
    assert by_name["strategy"] == "plan"
    assert problem["status"] == 422
    assert reason in problem["detail"] and "use one of: auto, plan, neighbourhood" in problem["detail"]
    assert str(folder) not in response["warnings"][-1]["text"] + warning + problem["detail"]
    assert "dense" not in graph["strategies"]


def scribbled_ids(header: IndexHeader) -> tuple[int, bytes]:
    return header.places[0], np.full(header.triples * 3, 10**9, "<i4").tobytes()


def scribbled_around(header: IndexHeader) -> tuple[int, bytes]:
    return header.places[2], np.full(header.triples * 2, 10**9, "<i4").tobytes()


def scribbled_vectors(header: IndexHeader) -> tuple[int, bytes]:
    return header.places[3], np.full(header.triples * header.dimension, np.nan, "<f2").tobytes()


@pytest.mark.parametrize("scribble", [scribbled_ids, scribbled_around, scribbled_vectors])
async def test_damage_that_only_a_search_notices_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, scribble: Callable[[IndexHeader], tuple[int, bytes]]
) -> None:
    monkeypatch.setattr(hot_reload, "WATCH_INTERVAL_S", _NEVER_S)
    write_index()
    place, content = scribble(read_index(index_file(graph_file(GRAPH)))[0])
    async with retriever() as client:
        await retrieve(client, BY_DENSE)
        with index_file(graph_file(GRAPH)).open("r+b") as opened:
            opened.seek(place)
            opened.write(content)
        response = await retrieve(client, BY_DENSE)
        problem = await refusal(client, BY_DENSE, "dense")

    assert (response["strategy"], values(response)) == ("plan", [])
    assert "dense failed" in response["strategy_reason"]
    [warning] = warnings(response, "strategy_failed")
    assert "is damaged; build it again with kgqa index" in warning
    assert problem["status"] == 503 and "build it again with kgqa index" in problem["detail"]


async def test_an_index_that_is_cut_off_while_it_is_served_does_not_end_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hot_reload, "WATCH_INTERVAL_S", _NEVER_S)
    write_index()
    async with retriever() as client:
        assert (await retrieve(client, BY_DENSE))["strategy"] == "dense"
        os.truncate(index_file(graph_file(GRAPH)), 4_096)
        response = await retrieve(client, BY_DENSE)
        problem = await refusal(client, BY_DENSE, "dense")

    assert response["strategy"] == "plan"
    assert "is damaged" in warnings(response, "strategy_failed")[0]
    assert problem["status"] == 503


async def test_an_index_that_is_deleted_while_it_is_served_answers_until_it_is_missed_and_again_when_it_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hot_reload, "WATCH_INTERVAL_S", 0.01)
    write_index()
    async with retriever() as client:
        index_file(graph_file(GRAPH)).unlink()
        await until(partial(_has_dense, client, False))
        missed = await retrieve(client, BY_DENSE)
        write_index()
        await until(partial(_has_dense, client, True))
        back = await retrieve(client, BY_DENSE)

    assert missed["strategy"] == "plan"
    assert "kgqa index --graph lands" in warnings(missed, "strategy_unavailable")[0]
    assert (back["strategy"], values(back)) == ("dense", ["Bob Stone"])


async def test_an_index_that_is_damaged_while_it_is_served_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_reload, "WATCH_INTERVAL_S", 0.01)
    write_index()
    async with retriever() as client:
        index_file(graph_file(GRAPH)).write_bytes(b"not an index")
        await until(partial(_has_dense, client, False))
        response = await retrieve(client, BY_DENSE)
        ready = (await client.get("/readyz")).status_code

    assert "is damaged" in warnings(response, "strategy_unavailable")[0]
    assert ready == 200


async def test_neither_an_index_nor_a_model_leaves_the_reply_of_the_first_strategy(folder: Path) -> None:
    index_cut_off(folder)
    async with FaultyServer(closes).running() as server, retriever(server.url) as client:
        response = await retrieve(client, BY_CYPHER)
        answered = await retrieve(client, BY_NEIGHBOURHOOD)
        problems = [await refusal(client, BY_CYPHER, strategy) for strategy in ("dense", "cypher")]

    assert [warning["kind"] for warning in response["warnings"][-2:]] == ["strategy_unavailable", "strategy_failed"]
    assert response["strategy_reason"].endswith("dense is not available; cypher failed")
    assert (answered["strategy"], values(answered)) == ("neighbourhood", ["Crown"])
    assert [problem["status"] for problem in problems] == [422, 503]


async def _has_dense(client: httpx.AsyncClient, expected: bool) -> bool:
    """Ask while the index changes; every reply on the way has an answer or says what is wrong."""
    reply = await send(client, BY_DENSE, "dense")
    assert reply.status_code in {200, 422, 503}
    [graph] = (await client.get("/graphs")).json()["graphs"]
    return ("dense" in graph["strategies"]) is expected
