import asyncio
import time

import pytest

from services.retriever.long_question_throttle import LongQuestionThrottle, is_long
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


async def test_requests_run_one_at_a_time_in_order_of_arrival() -> None:
    throttle, order = LongQuestionThrottle(), list[str]()

    async def run(name: str) -> None:
        async with throttle.slot():
            order.append(f"{name} begins")
            await asyncio.sleep(0)
            order.append(f"{name} ends")

    await asyncio.gather(run("one"), run("two"), run("three"))

    assert order == [f"{name} {event}" for name in ("one", "two", "three") for event in ("begins", "ends")]


async def test_pauses_leave_two_thirds_of_the_time_to_others() -> None:
    throttle, worked = LongQuestionThrottle(), 0.0

    async def work() -> None:
        nonlocal worked
        async with throttle.slot():
            started = time.monotonic()
            await asyncio.sleep(0.02)
            worked += time.monotonic() - started

    started = time.monotonic()
    await asyncio.gather(*(work() for _ in range(5)))
    assert time.monotonic() - started > 2.5 * worked


async def test_a_request_cancelled_during_a_pause_admits_the_next_one() -> None:
    throttle = LongQuestionThrottle()
    async with throttle.slot():
        await asyncio.sleep(0.05)
    leaving = asyncio.create_task(_wait_in(throttle))
    await asyncio.sleep(0.01)
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    async with asyncio.timeout(1):
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
    async with asyncio.timeout(1), throttle.slot():
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
