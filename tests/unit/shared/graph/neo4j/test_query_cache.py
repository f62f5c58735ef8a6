from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from shared.graph.neo4j.query_cache import QueryCache


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


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=5)), st.integers(1, 4))
async def test_it_answers_as_the_database_does_and_keeps_at_most_max_entries(
    rounds: list[list[str]], max_entries: int
) -> None:
    database = Database()
    cache = QueryCache(database, database.fetch, max_entries)
    for keys in rounds:
        assert await cache.get(keys) == [f"{key}1" for key in keys]
        assert len(cache._values) <= max_entries
