import asyncio
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.english.english import english
from services.retriever.linking.long_question_throttle import LongQuestionThrottle, is_long
from shared.errors import BusyError, DeadlineExceededError
from shared.request_context import time_limit
from tests.support.waiting import HANGS_AFTER_S


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
    assert is_long(english(question)) is long


async def test_requests_run_one_at_a_time_in_order_of_arrival() -> None:
    throttle, order = LongQuestionThrottle(), list[str]()

    async def run(name: str) -> None:
        async with throttle.slot():
            order.append(f"{name} begins")
            await asyncio.sleep(0)
            order.append(f"{name} ends")

    await asyncio.gather(run("one"), run("two"), run("three"))

    assert order == [f"{name} {event}" for name in ("one", "two", "three") for event in ("begins", "ends")]


class Clock:
    """Tell a time that passes only when the test says so, or while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


@given(st.lists(st.floats(0.001, 10), min_size=1, max_size=8))
async def test_pauses_leave_two_thirds_of_the_time_to_others(seconds: list[float]) -> None:
    clock = Clock()
    throttle = LongQuestionThrottle(clock=clock, sleep=clock.sleep)
    begun = []
    for spent in seconds:
        async with throttle.slot():
            begun.append(clock.now)
            clock.now += spent
    waits = [later - earlier for earlier, later in itertools.pairwise(begun)]
    assert waits == [pytest.approx(3 * spent) for spent in seconds[:-1]]


async def test_a_request_cancelled_during_a_pause_admits_the_next_one() -> None:
    throttle = LongQuestionThrottle()
    async with throttle.slot():
        await asyncio.sleep(0.05)
    leaving = asyncio.create_task(_wait_in(throttle))
    await asyncio.sleep(0.01)
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    async with asyncio.timeout(HANGS_AFTER_S):
        await _wait_in(throttle)


async def test_a_failed_or_cancelled_request_admits_the_next_one() -> None:
    throttle = LongQuestionThrottle()
    with pytest.raises(ZeroDivisionError):
        async with throttle.slot():
            raise ZeroDivisionError
    async with throttle.slot():
        leaving = asyncio.create_task(_wait_in(throttle))
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
    async with asyncio.timeout(HANGS_AFTER_S), throttle.slot():
        pass


async def test_requests_beyond_the_limit_are_rejected_at_once() -> None:
    throttle = LongQuestionThrottle(max_waiting=2)
    async with throttle.slot():
        waiting = [asyncio.create_task(_wait_in(throttle)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(BusyError, match="2 long questions are already waiting"):
            await _wait_in(throttle)
    await asyncio.gather(*waiting)
    await _wait_in(throttle)


async def test_waiting_ends_at_the_requests_deadline() -> None:
    throttle = LongQuestionThrottle()
    async with throttle.slot():
        with time_limit(0.01), pytest.raises(DeadlineExceededError):
            await _wait_in(throttle)
    await _wait_in(throttle)


async def _wait_in(throttle: LongQuestionThrottle) -> None:
    async with throttle.slot():
        pass
