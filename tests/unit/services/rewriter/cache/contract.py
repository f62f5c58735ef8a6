"""Test the contract of every `TextCache`. A test module imports these tests and defines the fixture `cache`."""

from services.rewriter.cache.protocol import TextCache


async def test_what_was_put_is_there_in_the_order_asked(cache: TextCache) -> None:
    await cache.put_many({"a": "one", "b": "zwei ✓", "empty": ""})

    assert await cache.get_many(["b", "missing", "a", "empty"]) == ["zwei ✓", None, "one", ""]
    assert await cache.get_many([]) == []
    await cache.put_many({})


async def test_the_last_text_of_a_key_counts(cache: TextCache) -> None:
    await cache.put_many({"a": "one"})
    await cache.put_many({"a": "two"})

    assert await cache.get_many(["a"]) == ["two"]


async def test_half_an_emoji_does_no_harm(cache: TextCache) -> None:
    await cache.put_many({"a": "cut \ud83d"})

    [text] = await cache.get_many(["a"])
    assert text is not None
    assert text.startswith("cut ")


async def test_what_is_claimed_first_may_be_made(cache: TextCache) -> None:
    assert await cache.claim(["a", "b"]) == [True, True]
    await cache.put_many({"a": "one"})
    await cache.release("b")

    assert await cache.wait_for("a") == "one"
    assert await cache.wait_for("b") is None
    assert await cache.claim([]) == []
