"""Replicas count the requests of callers together in a real Redis."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shared.errors import DependencyError
from shared.web.rate_limits import RateLimiter
from shared.web.redis_counter import RedisCounter
from tests.integration.test_redis_cache import SERVER, Redis
from tests.support.waiting import HANGS_AFTER_S

pytestmark = pytest.mark.skipif(SERVER is None, reason="needs redis-server: apt-get install redis-server")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Redis]:
    started = Redis(tmp_path)
    yield started
    started.process.kill()
    started.process.wait(HANGS_AFTER_S)


def _counter(server: Redis) -> RedisCounter:
    return RedisCounter(server.url, variable="KGQA_ANSWERER_REDIS", timeout_s=HANGS_AFTER_S)


async def test_replicas_share_a_limit_which_redis_forgets(server: Redis) -> None:
    counters = [_counter(server), _counter(server)]
    one, other = (RateLimiter(counter, lambda: 600.0) for counter in counters)
    admitted = [await limiter.seconds_to_wait("chatbot", 3) for limiter in (one, other, one, other, one)]
    assert admitted == [None, None, None, 60, 60]
    [key] = await counters[0]._redis.keys("*")
    assert key == b"kgqa:rate:chatbot:10"
    assert 0 < await counters[0]._redis.ttl(key) <= 120
    for limiter in (one, other):
        await limiter.close()


async def test_a_value_that_is_no_number_is_reported(server: Redis) -> None:
    counter = _counter(server)
    await counter._redis.rpush("kgqa:rate:chatbot:10", "x")
    with pytest.raises(DependencyError, match="is not a number; delete it"):
        await counter.add("chatbot", 10)
    await counter.close()


async def test_each_replica_counts_for_itself_while_redis_is_down(server: Redis) -> None:
    counter = _counter(server)
    limiter = RateLimiter(counter, lambda: 600.0)
    server.process.kill()
    server.process.wait(HANGS_AFTER_S)
    assert [await limiter.seconds_to_wait("chatbot", 1) is None for _ in range(2)] == [True, False]
    await limiter.close()
