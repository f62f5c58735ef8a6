"""A circuit breaker admits, delays, or rejects calls."""

import asyncio
import time
from contextlib import suppress

import pytest

from shared.errors import DeadlineExceededError, DependencyError, OverloadedError, RefusedError
from shared.outbound.circuit_breaker import CircuitBreaker
from shared.request_context import time_limit


class Thing:
    """Fail while `error` is set, and count the calls that arrive."""

    def __init__(self, error: DependencyError | None = None) -> None:
        self.error = error
        self.reached = 0
        self.now = 0.0
        self.breaker = CircuitBreaker("the thing", failure_threshold=2, reset_timeout_s=10.0, clock=lambda: self.now)

    async def ask(self) -> None:
        async with self.breaker.call():
            self.reached += 1
            if self.error:
                raise self.error


async def refused(thing: Thing) -> None:
    with pytest.raises(DependencyError, match="is not being called"):
        await thing.ask()


async def failed(thing: Thing) -> None:
    with pytest.raises(DependencyError, match="gone"):
        await thing.ask()


async def test_opens_after_consecutive_failures() -> None:
    thing = Thing(DependencyError("gone"))
    await failed(thing)
    thing.error = None
    await thing.ask()
    thing.error = DependencyError("gone")
    await failed(thing)
    await failed(thing)
    await refused(thing)
    assert thing.reached == 4


async def test_one_trial_at_a_time_until_one_succeeds() -> None:
    thing = Thing(DependencyError("gone"))
    for _ in range(2):
        await failed(thing)
    thing.now = 10.0
    await failed(thing)
    await refused(thing)
    thing.now = 20.0
    thing.error = None
    await thing.ask()
    await thing.ask()


@pytest.mark.parametrize("answer", [RefusedError("another key"), OverloadedError("ask less")])
async def test_a_refusal_is_not_a_failure(answer: DependencyError) -> None:
    thing = Thing(answer)
    for _ in range(5):
        with pytest.raises(type(answer)):
            await thing.ask()
    assert thing.reached == 5


class Trial:
    """Start the trial call of a half-open breaker; it ends when `end` is set."""

    def __init__(self, seconds: float = 3600.0) -> None:
        self.seconds = seconds
        self.now = 0.0
        self.breaker = CircuitBreaker(
            "the thing", failure_threshold=1, reset_timeout_s=seconds, clock=lambda: self.now + time.monotonic()
        )
        self.end: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()

    async def begin(self) -> "asyncio.Task[None]":
        with suppress(DependencyError):
            async with self.breaker.call():
                raise DependencyError("gone")
        self.now += 2 * self.seconds
        task = asyncio.create_task(self.ask(self.end))
        await asyncio.sleep(0)
        return task

    async def ask(self, error: "asyncio.Future[Exception | None] | None" = None) -> None:
        async with self.breaker.call():
            if error and (raised := await error):
                raise raised


async def test_calls_wait_for_a_trial_and_proceed_if_it_succeeds() -> None:
    trial = Trial()
    task = await trial.begin()
    beside = [asyncio.create_task(trial.ask()) for _ in range(5)]
    await asyncio.sleep(0.05)
    assert not any(one.done() for one in beside)
    trial.end.set_result(None)
    await asyncio.gather(task, *beside)


async def test_calls_wait_for_a_trial_and_fail_if_it_fails() -> None:
    trial = Trial()
    task = await trial.begin()
    beside = [asyncio.create_task(trial.ask()) for _ in range(5)]
    trial.end.set_result(DependencyError("still gone"))
    outcomes = await asyncio.gather(task, *beside, return_exceptions=True)
    assert [str(one) for one in outcomes[:1]] == ["still gone"]
    assert all("is not being called" in str(one) for one in outcomes[1:])


async def test_the_next_call_replaces_a_cancelled_trial() -> None:
    trial = Trial()
    task = await trial.begin()
    beside = [asyncio.create_task(trial.ask()) for _ in range(5)]
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(*beside)
    await trial.ask()


async def test_waiting_for_a_trial_ends_at_the_deadline() -> None:
    trial = Trial()
    task = await trial.begin()
    with time_limit(0.05), pytest.raises(DeadlineExceededError):
        await trial.ask()
    assert not task.done()
    trial.end.set_result(None)
    await task


async def test_calls_do_not_wait_long_for_a_hanging_trial() -> None:
    trial = Trial()
    await trial.ask()  # calls take next to no time
    task = await trial.begin()
    with pytest.raises(DependencyError, match="is not being called"):
        await trial.ask()
    assert not task.done()
    trial.end.set_result(None)
    await task
    await trial.ask()


async def test_starts_another_trial_if_one_hangs() -> None:
    trial = Trial(seconds=0.1)
    task = await trial.begin()
    beside = [asyncio.create_task(trial.ask()) for _ in range(5)]
    await asyncio.gather(*beside)
    # The late failure of the first trial no longer counts.
    trial.end.set_result(DependencyError("no reply in time"))
    await asyncio.gather(task, return_exceptions=True)
    await trial.ask()


async def test_ignores_failures_while_the_process_stalled() -> None:
    thing = Thing()

    async def times_out() -> None:
        with suppress(DependencyError):
            async with thing.breaker.call():
                thing.reached += 1
                await asyncio.sleep(0.05)
                raise DependencyError("no reply in time")

    calls = [asyncio.create_task(times_out()) for _ in range(5)]
    await asyncio.sleep(0.01)
    time.sleep(0.5)  # noqa: ASYNC251 - as SIGSTOP does
    await asyncio.gather(*calls)
    await asyncio.gather(*(times_out() for _ in range(2)))
    assert thing.reached == 7
    await refused(thing)


async def test_ignores_failures_of_calls_that_started_before_a_success() -> None:
    thing = Thing()
    ends: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def hangs() -> None:
        async with thing.breaker.call():
            await ends
            raise DependencyError("no reply in time")

    hung = [asyncio.create_task(hangs()) for _ in range(5)]
    await asyncio.sleep(0)
    thing.now = 1.0
    await thing.ask()
    ends.set_result(None)
    await asyncio.gather(*hung, return_exceptions=True)
    await thing.ask()


async def test_calls_that_wait_for_a_trial_hold_no_slot() -> None:
    breaker = CircuitBreaker("the thing", failure_threshold=1, reset_timeout_s=0.05)
    turn = asyncio.Semaphore(2)
    hangs: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    with suppress(DependencyError):
        async with breaker.call(turn):
            raise DependencyError("gone")
    await asyncio.sleep(0.06)

    async def ask(wait: bool = False) -> None:
        async with breaker.call(turn):
            if wait:
                await hangs

    trial = asyncio.create_task(ask(wait=True))
    await asyncio.sleep(0)
    beside = [asyncio.create_task(ask()) for _ in range(5)]
    await asyncio.sleep(0.01)
    assert not turn.locked()
    await asyncio.gather(*beside)
    hangs.set_result(None)
    await trial
    assert not turn.locked()


async def test_calls_that_waited_for_a_slot_fail_if_the_breaker_opened() -> None:
    breaker = CircuitBreaker("the thing", failure_threshold=1, reset_timeout_s=10)
    turn = asyncio.Semaphore(1)
    made = 0

    async def ask() -> None:
        nonlocal made
        async with breaker.call(turn):
            made += 1
            await asyncio.sleep(0.01)
            raise DependencyError("gone")

    outcomes = await asyncio.gather(*(ask() for _ in range(5)), return_exceptions=True)
    assert made == 1
    assert sum("is not being called" in str(outcome) for outcome in outcomes) == 4
    assert not turn.locked()
