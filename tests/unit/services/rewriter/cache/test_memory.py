import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rewriter.cache.memory import InMemoryTextCache
from tests.unit.services.rewriter.cache.contract import *


@pytest.fixture
def cache() -> InMemoryTextCache:
    return InMemoryTextCache()


async def test_keeps_what_it_was_given() -> None:
    cache = InMemoryTextCache()
    await cache.put_many({"a": "one", "b": ""})
    assert await cache.get_many(["b", "a", "c"]) == ["", "one", None]


async def test_forgets_the_least_recently_used_entry() -> None:
    cache = InMemoryTextCache(max_entries=2)
    await cache.put_many({"a": "1", "b": "2"})
    await cache.get_many(["a"])
    await cache.put_many({"c": "3"})
    assert await cache.get_many(["a", "b", "c"]) == ["1", None, "3"]


async def test_counts_bytes_and_not_characters() -> None:
    cache = InMemoryTextCache(max_bytes=10)
    await cache.put_many({"a": "ééé"})
    await cache.put_many({"b": "x"})
    assert await cache.get_many(["a", "b"]) == ["ééé", "x"]
    await cache.put_many({"c": "xx"})
    assert await cache.get_many(["a", "b", "c"]) == [None, "x", "xx"]


async def test_a_text_larger_than_the_cache_drives_nothing_out() -> None:
    cache = InMemoryTextCache(max_bytes=10)
    await cache.put_many({"a": "x"})
    await cache.put_many({"b": "x" * 100})
    assert await cache.get_many(["a", "b"]) == ["x", None]


async def test_an_overwritten_text_is_not_counted_twice() -> None:
    cache = InMemoryTextCache(max_bytes=10)
    for _ in range(20):
        await cache.put_many({"a": "xxxx"})
    await cache.put_many({"b": "x"})
    assert await cache.get_many(["a", "b"]) == ["xxxx", "x"]


async def test_close_forgets() -> None:
    cache = InMemoryTextCache()
    await cache.put_many({"a": "x"})
    await cache.close()
    assert await cache.get_many(["a"]) == [None]


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.text(max_size=9)), max_size=40))
async def test_never_holds_more_than_its_bounds(puts: list[tuple[str, str]]) -> None:
    cache = InMemoryTextCache(max_entries=3, max_bytes=24)
    for key, text in puts:
        await cache.put_many({key: text})
        kept = [(k, t) for k, t in zip("abcdefgh", await cache.get_many("abcdefgh"), strict=True) if t is not None]
        assert len(kept) <= 3
        assert sum(len(k.encode()) + len(t.encode(errors="surrogatepass")) for k, t in kept) <= 24
