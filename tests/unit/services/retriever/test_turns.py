import asyncio
import time

import pytest

from services.retriever.turns import Turns, is_long
from shared.errors import BusyError, DeadlineExceededError
from shared.request_context import time_limit


@pytest.mark.parametrize(
    ("question", "long"),
    [
        ("Which countries border France?", False),
        ("what is " + "the capital of " * 10 + "France", False),
        ("word " * 41, True),
        ("首" * 41, True),
        ("x" * 251, True),
        ("?!" * 126, True),
    ],
)
def test_a_question_is_long_by_its_words_or_its_characters(question: str, long: bool) -> None:
    assert is_long(question) is long


async def test_one_at_a_time_in_the_order_in_which_they_came() -> None:
    turns, order = Turns(), list[str]()

    async def take(name: str) -> None:
        async with turns.turn():
            order.append(f"{name} begins")
            await asyncio.sleep(0)
            order.append(f"{name} ends")

    await asyncio.gather(take("one"), take("two"), take("three"))

    assert order == [f"{name} {what}" for name in ("one", "two", "three") for what in ("begins", "ends")]


async def test_a_crowd_leaves_two_thirds_of_the_time_to_others() -> None:
    turns, worked = Turns(), 0.0

    async def work() -> None:
        nonlocal worked
        async with turns.turn():
            started = time.monotonic()
            await asyncio.sleep(0.02)
            worked += time.monotonic() - started

    started = time.monotonic()
    await asyncio.gather(*(work() for _ in range(5)))
    assert time.monotonic() - started > 2.5 * worked


async def test_who_leaves_during_a_pause_lets_the_next_one_in() -> None:
    turns = Turns()
    async with turns.turn():
        await asyncio.sleep(0.05)
    leaving = asyncio.create_task(_wait_in(turns))
    await asyncio.sleep(0.01)
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    async with asyncio.timeout(1):
        await _wait_in(turns)


async def test_who_fails_or_goes_away_lets_the_next_one_in() -> None:
    turns = Turns()
    with pytest.raises(ZeroDivisionError):
        async with turns.turn():
            raise ZeroDivisionError
    async with turns.turn():
        leaving = asyncio.create_task(_wait_in(turns))
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
    async with asyncio.timeout(1), turns.turn():
        pass


async def test_too_many_are_refused_at_once() -> None:
    turns = Turns(most_waiting=2)
    async with turns.turn():
        waiting = [asyncio.create_task(_wait_in(turns)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(BusyError, match="2 long questions wait already"):
            await _wait_in(turns)
    await asyncio.gather(*waiting)
    await _wait_in(turns)


async def test_waiting_ends_with_the_requests_time() -> None:
    turns = Turns()
    async with turns.turn():
        with time_limit(0.01), pytest.raises(DeadlineExceededError):
            await _wait_in(turns)
    await _wait_in(turns)


async def _wait_in(turns: Turns) -> None:
    async with turns.turn():
        pass
