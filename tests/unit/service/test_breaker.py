"""When a breaker lets calls through."""

import pytest

from shared.breaker import Breaker
from shared.errors import DependencyError, RefusedError


class Thing:
    """Something that fails as long as it is told to; counts how often it was reached."""

    def __init__(self, error: DependencyError | None = None) -> None:
        self.error = error
        self.reached = 0
        self.now = 0.0
        self.breaker = Breaker("the thing", failures=2, seconds=10.0, clock=lambda: self.now)

    async def ask(self) -> None:
        async with self.breaker.call():
            self.reached += 1
            if self.error:
                raise self.error


async def refused(thing: Thing) -> None:
    with pytest.raises(DependencyError, match="is not asked for a moment"):
        await thing.ask()


async def failed(thing: Thing) -> None:
    with pytest.raises(DependencyError, match="gone"):
        await thing.ask()


async def test_after_some_failures_in_a_row_calls_do_not_reach_it() -> None:
    thing = Thing(DependencyError("gone"))
    await failed(thing)
    thing.error = None
    await thing.ask()
    thing.error = DependencyError("gone")
    await failed(thing)
    await failed(thing)
    assert thing.breaker.is_open
    await refused(thing)
    assert thing.reached == 4


async def test_then_one_tries_for_all_until_it_succeeds() -> None:
    thing = Thing(DependencyError("gone"))
    for _ in range(2):
        await failed(thing)
    thing.now = 10.0
    await failed(thing)
    await refused(thing)
    thing.now = 20.0
    async with thing.breaker.call():
        await refused(thing)
    thing.error = None
    await thing.ask()
    assert not thing.breaker.is_open


async def test_a_refusal_is_an_answer() -> None:
    thing = Thing(RefusedError("another key"))
    for _ in range(5):
        with pytest.raises(RefusedError):
            await thing.ask()
    assert thing.reached == 5
