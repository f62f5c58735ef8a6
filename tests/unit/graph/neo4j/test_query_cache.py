import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.neo4j.query_cache import QueryCache
from shared.request_context import time_limit
from tests.support.waiting import until


class Database:
    """Answer each key with the key and the version, and record the requested keys."""

    def __init__(self) -> None:
        self.version = 1
        self.bookmark = "1"
        self.asked: list[str] = []

    async def refresh_bookmark(self) -> None:
        """Keep the bookmark: only answers of `fetch` change it."""

    async def fetch(self, keys: Sequence[str]) -> list[str]:
        self.asked += keys
        self.bookmark = str(self.version)
        return [f"{key}{self.version}" for key in keys]


class ChangingDatabase(Database):
    """Notice each change when the bookmark is refreshed."""

    async def refresh_bookmark(self) -> None:
        self.bookmark = str(self.version)


class SlowDatabase(Database):
    """Answer when `reply` is set, or fail if it is set to an error."""

    def __init__(self) -> None:
        super().__init__()
        self.reply: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def fetch(self, keys: Sequence[str]) -> list[str]:
        found = await super().fetch(keys)
        await asyncio.shield(self.reply)
        return found


async def started(cache: QueryCache[str, str], *requests: list[str]) -> list["asyncio.Task[list[str]]"]:
    """Start requests one after another, and let each get as far as it can."""
    tasks = []
    for keys in requests:
        tasks.append(asyncio.create_task(cache.get(keys)))
        for _ in range(5):
            await asyncio.sleep(0)
    return tasks


async def test_no_key_is_fetched_twice() -> None:
    database = Database()
    cache = QueryCache(database, database.fetch)
    assert await cache.get(["a", "b", "a"]) == ["a1", "b1", "a1"]
    assert await cache.get(["b", "c"]) == ["b1", "c1"]
    assert database.asked == ["a", "b", "c"]


async def test_a_known_change_clears_the_cache() -> None:
    database = Database()
    cache = QueryCache(database, database.fetch)
    await cache.get(["a"])
    database.version, database.bookmark = 2, "2"
    assert await cache.get(["a"]) == ["a2"]


async def test_the_bookmark_is_refreshed_before_cached_values_are_used() -> None:
    database = ChangingDatabase()
    cache = QueryCache(database, database.fetch)
    await cache.get(["a"])
    database.version = 2
    assert await cache.get(["a"]) == ["a2"]


async def test_values_fetched_during_a_change_are_not_cached() -> None:
    database = Database()
    cache = QueryCache(database, database.fetch)
    await cache.get(["a"])
    database.version = 2  # the database reports it only with its next answer
    assert await cache.get(["a", "b"]) == ["a1", "b2"]
    assert await cache.get(["a", "b"]) == ["a2", "b2"]


async def test_concurrent_requests_fetch_a_key_once() -> None:
    database = SlowDatabase()
    tasks = await started(QueryCache(database, database.fetch), ["a"], ["a"], ["c", "a"], ["d"])
    assert database.asked == ["a", "d"]
    database.reply.set_result(None)
    assert await asyncio.gather(*tasks) == [["a1"], ["a1"], ["c1", "a1"], ["d1"]]
    assert database.asked == ["a", "d", "c"]


async def test_a_request_fetches_itself_what_another_one_failed_to_fetch() -> None:
    database = SlowDatabase()
    first, second, third = await started(QueryCache(database, database.fetch), ["a"], ["a"], ["a"])
    failing, database.reply = database.reply, asyncio.get_running_loop().create_future()
    failing.set_exception(OSError())
    with pytest.raises(OSError):
        await first
    database.reply.set_result(None)
    assert [await second, await third] == [["a1"], ["a1"]]


async def test_a_request_does_not_wait_beyond_its_deadline() -> None:
    database = SlowDatabase()
    cache = QueryCache(database, database.fetch)
    [first] = await started(cache, ["a"])
    with time_limit(0.05):
        second = asyncio.create_task(cache.get(["a"]))
    await until(lambda: database.asked == ["a", "a"])
    database.reply.set_result(None)
    assert [await first, await second] == [["a1"], ["a1"]]


async def test_a_cancelled_request_does_not_block_the_others() -> None:
    database = SlowDatabase()
    first, second = await started(QueryCache(database, database.fetch), ["a"], ["a"])
    first.cancel()
    await asyncio.wait({first})
    database.reply.set_result(None)
    assert await second == ["a1"]


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=5)), st.integers(1, 4))
async def test_it_answers_as_the_database_does_and_keeps_at_most_max_entries(
    rounds: list[list[str]], max_entries: int
) -> None:
    database = Database()
    cache = QueryCache(database, database.fetch, max_entries)
    for keys in rounds:
        assert await cache.get(keys) == [f"{key}1" for key in keys]
        assert len(cache._values) <= max_entries
