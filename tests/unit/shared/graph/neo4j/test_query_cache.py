"""What the database said is said again until it changes."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from shared.graph.neo4j.query_cache import Remembered


class Database:
    """Answers a key with what is written down for it, and counts what it is asked."""

    def __init__(self) -> None:
        self.version = 1
        self.seen = "1"
        self.asked: list[str] = []

    async def ask(self, keys: Sequence[str]) -> list[str]:
        self.asked += keys
        self.seen = str(self.version)
        return [f"{key}{self.version}" for key in keys]


async def answers(remembered: Remembered[str, str], database: Database, *keys: str) -> list[str]:
    return await remembered.of(keys, lambda: database.seen, database.ask)


async def test_nothing_is_asked_twice() -> None:
    database, remembered = Database(), Remembered[str, str](10)
    assert await answers(remembered, database, "a", "b", "a") == ["a1", "b1", "a1"]
    assert await answers(remembered, database, "b", "c") == ["b1", "c1"]
    assert database.asked == ["a", "b", "c"]


async def test_a_change_that_was_seen_makes_it_forget() -> None:
    database, remembered = Database(), Remembered[str, str](10)
    await answers(remembered, database, "a")
    database.version, database.seen = 2, "2"
    assert await answers(remembered, database, "a") == ["a2"]


async def test_what_was_asked_while_it_changed_is_not_kept() -> None:
    database, remembered = Database(), Remembered[str, str](10)
    await answers(remembered, database, "a")
    database.version = 2  # seen only with the next answer
    assert await answers(remembered, database, "a", "b") == ["a1", "b2"]
    assert await answers(remembered, database, "a", "b") == ["a2", "b2"]


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=5)), st.integers(1, 4))
async def test_it_answers_as_the_database_does_and_keeps_no_more_than_it_should(
    rounds: list[list[str]], most: int
) -> None:
    database, remembered = Database(), Remembered[str, str](most)
    for keys in rounds:
        assert await answers(remembered, database, *keys) == [f"{key}1" for key in keys]
        assert len(remembered._answers) <= most
