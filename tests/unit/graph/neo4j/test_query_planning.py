"""Queries are planned in the background; a failure there is logged in one line."""

import asyncio
import gc
import logging
from typing import Any

import pytest

from graph.neo4j.settings import Neo4jSettings
from graph.neo4j.store import Neo4jGraphStore
from shared.errors import DependencyError


async def test_a_failure_that_nobody_waits_for_is_logged_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    started, may_fail = asyncio.Event(), asyncio.Event()

    async def found(*_: Any) -> list[tuple[str, ...]]:
        return [()]

    async def fail(*_: Any) -> None:
        started.set()
        await may_fail.wait()
        raise DependencyError("the database is down")

    store = Neo4jGraphStore(Neo4jSettings(url="bolt://127.0.0.1:1"))
    monkeypatch.setattr(store._connection, "verify", found)
    monkeypatch.setattr(store._names, "require_lookup", found)
    monkeypatch.setattr(store._types, "get", found)
    monkeypatch.setattr(store, "_plan", fail)

    with caplog.at_level(logging.INFO):
        probe = asyncio.create_task(store.ready())
        await started.wait()
        probe.cancel()
        await asyncio.wait({probe, *_planning(store)}, return_when=asyncio.FIRST_COMPLETED)
        may_fail.set()
        await asyncio.wait(_planning(store))
        store._planning = None
        gc.collect()
    await store.close()

    assert [record.getMessage() for record in caplog.records if record.name in ("asyncio", "graph.neo4j.store")] == [
        "the database could not plan the queries of a question: the database is down"
    ]


def _planning(store: Neo4jGraphStore) -> set["asyncio.Task[None]"]:
    assert store._planning is not None
    return {store._planning}
