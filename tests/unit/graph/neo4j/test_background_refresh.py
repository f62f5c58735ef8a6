import asyncio

import pytest

from graph.neo4j import background_refresh
from graph.neo4j.background_refresh import Refreshed
from shared.errors import DeadlineExceededError, DependencyError, RefusedError
from shared.request_context import time_limit


class Database:
    """Compute the version of the database, when `gate` is open, and count the computations."""

    def __init__(self) -> None:
        self.bookmark = "1"
        self.gate = asyncio.Event()
        self.gate.set()
        self.error: DependencyError | None = None
        self.computed = 0

    async def refresh_bookmark(self) -> None:
        """Keep the bookmark."""

    async def compute(self, old: str | None) -> str:
        version = self.bookmark
        self.computed += 1
        await self.gate.wait()
        if self.error:
            raise self.error
        return version


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_refresh, "_MIN_PAUSE_S", 0.0)
    monkeypatch.setattr(background_refresh, "_PAUSE_FACTOR", 0.0)


async def test_all_callers_wait_for_one_computation() -> None:
    database = Database()
    value = Refreshed(database, database.compute)
    assert await asyncio.gather(*(value.get() for _ in range(5))) == ["1"] * 5
    assert database.computed == 1


async def test_the_old_value_serves_until_the_new_one_is_computed() -> None:
    database = Database()
    value = Refreshed(database, database.compute)
    await value.get()
    database.bookmark = "2"
    database.gate.clear()
    assert [await value.get() for _ in range(3)] == ["1"] * 3
    database.gate.set()
    task = await value.start()
    assert task is not None
    await task
    assert await value.get() == "2"
    assert database.computed == 2


async def test_a_change_during_the_computation_is_noticed() -> None:
    database = Database()
    value = Refreshed(database, database.compute)
    database.gate.clear()
    first = await value.start()
    await asyncio.sleep(0)
    database.bookmark = "2"
    database.gate.set()
    assert first is not None
    await first
    second = await value.start()
    assert second is not None
    await second
    assert value.value == "2"


async def test_a_failure_is_reported_while_there_is_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_refresh, "_MIN_PAUSE_S", 60.0)
    database = Database()
    database.error = RefusedError("too many names")
    value = Refreshed(database, database.compute)
    for _ in range(3):
        with pytest.raises(RefusedError, match="too many names"):
            await value.get()
    assert database.computed == 1


async def test_a_failure_keeps_the_old_value() -> None:
    database = Database()
    value = Refreshed(database, database.compute)
    await value.get()
    database.bookmark, database.error = "2", DependencyError("gone")
    task = await value.start()
    assert task is not None
    await task
    database.error = None
    assert await value.get() == "1"


async def test_a_request_waits_until_its_deadline_and_the_computation_goes_on() -> None:
    database = Database()
    database.gate.clear()
    value = Refreshed(database, database.compute)
    with time_limit(0.05), pytest.raises(DeadlineExceededError):
        await value.get()
    database.gate.set()
    assert await value.get() == "1"
    assert database.computed == 1


async def test_an_unexpected_error_is_raised() -> None:
    database = Database()
    database.error = ValueError("a mistake")  # type: ignore[assignment]
    with pytest.raises(ValueError, match="a mistake"):
        await Refreshed(database, database.compute).get()


async def test_closing_stops_the_computation() -> None:
    database = Database()
    database.gate.clear()
    value = Refreshed(database, database.compute)
    task = await value.start()
    await value.close()
    assert task is not None
    assert task.cancelled()
