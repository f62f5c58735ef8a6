"""Callers are counted per minute, together or alone."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shared.api_keys import ApiKeys, CallerKey, hash_of
from shared.errors import DependencyError
from shared.web.rate_limits import CallerLimits, MemoryCounter, RateLimiter


class Clock:
    def __init__(self, now: float = 600.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class SharedCounter(MemoryCounter):
    """Count until it breaks."""

    is_down = False

    async def add(self, caller: str, window: int) -> int:
        if self.is_down:
            raise DependencyError("Redis did not respond")
        return await super().add(caller, window)


async def test_requests_beyond_the_limit_wait_for_the_next_minute() -> None:
    clock = Clock(610.5)
    limiter = RateLimiter(MemoryCounter(), clock)
    assert [await limiter.seconds_to_wait("a", 2) for _ in range(4)] == [None, None, 50, 50]
    clock.now = 660.0
    assert [await limiter.seconds_to_wait("a", 2) for _ in range(3)] == [None, None, 60]


async def test_callers_do_not_use_up_the_limits_of_others() -> None:
    limiter = RateLimiter(MemoryCounter(), Clock())
    assert await limiter.seconds_to_wait("a", 1) is None
    assert await limiter.seconds_to_wait("b", 1) is None
    assert await limiter.seconds_to_wait("a", 1) == 60


async def test_replicas_count_together_and_alone_if_the_counter_is_down(caplog: pytest.LogCaptureFixture) -> None:
    shared = SharedCounter()
    one, other = RateLimiter(shared, Clock()), RateLimiter(shared, Clock())
    assert await one.seconds_to_wait("a", 1) is None
    assert await other.seconds_to_wait("a", 1) is not None
    shared.is_down = True
    assert [await one.seconds_to_wait("a", 1) is None for _ in range(3)] == [True, False, False]
    assert await other.seconds_to_wait("a", 1) is None
    assert len(caplog.records) == 2  # one for each replica


@example(moments=[0.99999, 0.99999], allowed=1)
@given(moments=st.lists(st.floats(0, 600), max_size=40), allowed=st.integers(1, 5))
async def test_no_minute_has_more_than_allowed_and_the_wait_ends_in_the_next(
    moments: list[float], allowed: int
) -> None:
    clock = Clock()
    limiter = RateLimiter(MemoryCounter(), clock)
    admitted: dict[int, int] = {}
    for moment in sorted(moments):
        clock.now = moment
        seconds = await limiter.seconds_to_wait("a", allowed)
        minute = int(moment // 60)
        if seconds is None:
            admitted[minute] = admitted.get(minute, 0) + 1
        else:
            assert admitted[minute] == allowed
            assert 1 <= seconds <= 60
            assert int((moment + seconds) // 60) >= minute + 1
    assert all(number <= allowed for number in admitted.values())


def test_a_key_has_its_own_limit_or_that_of_all() -> None:
    keys = ApiKeys({"a": CallerKey(hash_of("a"), 5), "b": CallerKey(hash_of("b"))})
    limiter = RateLimiter(MemoryCounter())
    assert [CallerLimits(limiter, keys, 9).per_minute(caller) for caller in ("a", "b", "")] == [5, 9, 9]
    assert [CallerLimits(limiter, keys, None).per_minute(caller) for caller in ("a", "b", "")] == [5, None, None]
