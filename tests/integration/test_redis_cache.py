"""The Redis cache against a real Redis, which these tests start, stop and freeze themselves."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest

from contracts.answers import EvidenceTriples
from contracts.rewrite import RewriteRequest
from services.rewriter.cache.redis import MAX_TEXT_BYTES, RedisTextCache
from services.rewriter.pipeline import Rewriter
from shared.errors import DependencyError, InvalidInputError, RefusedError
from shared.processes import free_port
from shared.triple import Triple
from tests.fakes.llm import FailingModel, ScriptedModel
from tests.support.waiting import HANGS_AFTER_S, until, wait_until
from tests.unit.services.rewriter.cache.contract import *

SERVER = shutil.which("redis-server")

pytestmark = pytest.mark.skipif(SERVER is None, reason="needs redis-server: apt-get install redis-server")

FACTS = EvidenceTriples(triples=[Triple("France", "capital", "Paris"), Triple("France", "bordered", "Spain")])
REQUEST = RewriteRequest(evidence=[FACTS], graph_version="1")
TEXT = "Paris is the capital of France, which borders Spain."
FOREVER_S = 36_000.0
TIMEOUT_S = 0.2
TEXTS = "kgqa:text:v2:"


class Redis:
    """Run a Redis server for one test."""

    def __init__(self, folder: Path, password: str = "") -> None:
        self.port = free_port()
        self.folder = folder
        self.password = password
        self.start()

    @property
    def url(self) -> str:
        return f"redis://{f':{self.password}@' if self.password else ''}127.0.0.1:{self.port}/0"

    def start(self) -> None:
        words = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(self.folder)]
        words += ["--requirepass", self.password] if self.password else []
        self.process = subprocess.Popen([SERVER or "", *words], stdout=subprocess.DEVNULL)
        wait_until(self._is_listening, "redis-server did not start")

    def _is_listening(self) -> bool:
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", self.port)) == 0

    def send(self, number: signal.Signals) -> None:
        os.kill(self.process.pid, number)

    def stop(self) -> None:
        self.send(signal.SIGCONT)
        self.process.kill()
        self.process.wait()


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Redis]:
    server = Redis(tmp_path)
    yield server
    server.stop()


def cache_of(
    redis: Redis, claim_s: float = HANGS_AFTER_S, ttl_s: float = 60.0, timeout_s: float = HANGS_AFTER_S
) -> RedisTextCache:
    return RedisTextCache(redis.url, ttl_s=ttl_s, timeout_s=timeout_s, claim_s=claim_s)


@pytest.fixture
async def cache(redis: Redis) -> AsyncIterator[RedisTextCache]:
    opened = cache_of(redis)
    yield opened
    await opened.close()


class StoppedClock:
    """Keep an open breaker open until the clock runs again."""

    def __init__(self) -> None:
        self.runs = False
        self._stopped_at = time.monotonic()

    def __call__(self) -> float:
        return time.monotonic() if self.runs else self._stopped_at


def stopped_clock(cache: RedisTextCache) -> StoppedClock:
    cache._breaker._clock = clock = StoppedClock()
    return clock


class Calls:
    """Count the round trips to Redis."""

    def __init__(self) -> None:
        self.made = 1
        self._seen = 0

    def since_last_look(self) -> int:
        new, self._seen = self.made - self._seen, self.made
        return new


def calls_of(cache: RedisTextCache) -> Calls:
    calls, send_for_real = Calls(), cache._send

    async def counted(commands: Sequence[tuple[str | bytes | int, ...]]) -> list[object]:
        calls.made += 1
        return await send_for_real(commands)

    cache._send = counted  # type: ignore[method-assign]
    return calls


async def keys_of(cache: RedisTextCache) -> list[str]:
    """Return the keys of all texts."""
    names = await cache._redis.keys(f"{TEXTS}*")
    return [(name.decode() if isinstance(name, bytes) else name).removeprefix(TEXTS) for name in names]


async def send(cache: RedisTextCache, *words: str | bytes) -> None:
    """Send a command as any other client of the Redis may."""
    await cache._redis.execute_command(*words)  # type: ignore[no-untyped-call]


async def test_a_text_is_forgotten_after_its_time(redis: Redis) -> None:
    cache = cache_of(redis, ttl_s=0.05)
    await cache.put_many({"a": "one"})
    await asyncio.sleep(0.1)
    assert await cache.get_many(["a"]) == [None]
    await cache.close()


async def test_replicas_make_a_text_once(redis: Redis) -> None:
    gate = asyncio.Event()
    model = ScriptedModel([TEXT], gate=gate)
    caches = [cache_of(redis) for _ in range(4)]
    asked = [asyncio.create_task(Rewriter(model, cache).rewrite(REQUEST)) for cache in caches]
    await asyncio.sleep(0.3)
    gate.set()

    responses = await asyncio.gather(*asked)

    assert [response.texts for response in responses] == [[TEXT]] * 4
    assert sorted(response.cached for response in responses) == [0, 1, 1, 1]
    assert len(model.prompts) == 1
    for cache in caches:
        await cache.close()


async def test_a_replica_without_its_model_lets_the_others_try(redis: Redis) -> None:
    # A claim that was kept would be waited for until the test times out.
    first, second = cache_of(redis, claim_s=FOREVER_S), cache_of(redis, claim_s=FOREVER_S)
    without = await Rewriter(FailingModel(), first).rewrite(REQUEST)
    response = await Rewriter(ScriptedModel([TEXT]), second).rewrite(REQUEST)

    assert (without.degraded, response.degraded, response.texts) == (["rewriter_model"], [], [TEXT])
    await first.close()
    await second.close()


async def test_the_claim_of_a_replica_that_died_ends(redis: Redis) -> None:
    dead, cache = cache_of(redis, claim_s=0.3), cache_of(redis, claim_s=0.3)
    model = ScriptedModel([TEXT])
    await Rewriter(ScriptedModel([TEXT], name=model.name), dead).rewrite(REQUEST)
    [key] = await keys_of(dead)
    await dead._redis.flushall()
    assert await dead.claim([key]) == [True]

    response = await Rewriter(model, cache).rewrite(REQUEST)

    assert (response.texts, len(model.prompts)) == ([TEXT], 1)
    await dead.close()
    await cache.close()


async def claimed_by_another(model: ScriptedModel, cache: RedisTextCache) -> str:
    """Claim the request's only text for another replica, and return its key."""
    await Rewriter(ScriptedModel([TEXT], name=model.name), cache).rewrite(REQUEST)
    [key] = await keys_of(cache)
    await cache._redis.flushall()
    assert await cache.claim([key]) == [True]
    return key


async def test_a_replica_that_waited_in_vain_takes_over_the_claim(redis: Redis) -> None:
    gate = asyncio.Event()
    model = ScriptedModel(lambda _: TEXT, gate=gate)
    gone, waiting, late = (cache_of(redis) for _ in range(3))
    key = await claimed_by_another(model, gone)
    asked = [asyncio.create_task(Rewriter(model, waiting).rewrite(REQUEST))]
    await asyncio.sleep(0.1)
    await gone.release(key)
    while not model.prompts:  # noqa: ASYNC110 - the model has no event for it
        await asyncio.sleep(0.01)
    asked.append(asyncio.create_task(Rewriter(model, late).rewrite(REQUEST)))
    await asyncio.sleep(0.1)
    gate.set()

    assert [response.cached for response in await asyncio.gather(*asked)] == [0, 1]
    assert len(model.prompts) == 1
    for cache in (gone, waiting, late):
        await cache.close()


async def test_a_replica_releases_only_its_own_claim(redis: Redis) -> None:
    holder, waiting = cache_of(redis), cache_of(redis, claim_s=0.2)
    model = FailingModel()
    key = await claimed_by_another(ScriptedModel([TEXT], name=model.name), holder)

    # The waiting replica allows claims less time than the holder took.
    assert (await Rewriter(model, waiting).rewrite(REQUEST)).degraded == ["rewriter_model"]

    assert model.calls == 1
    assert await holder.claim([key]) == [False]
    for cache in (holder, waiting):
        await cache.close()


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL])
async def test_a_redis_that_is_slow_or_gone_costs_its_time_out_and_no_answer(
    redis: Redis, number: signal.Signals
) -> None:
    cache = cache_of(redis, timeout_s=TIMEOUT_S)
    rewriter = Rewriter(ScriptedModel(lambda _: TEXT), cache)

    async def is_whole() -> bool:
        return not (await rewriter.rewrite(REQUEST)).degraded

    await until(is_whole)
    clock = stopped_clock(cache)
    calls = calls_of(cache)
    redis.send(number)
    while calls.since_last_look():
        response = await rewriter.rewrite(REQUEST)
        assert (response.texts, response.degraded) == ([TEXT], ["cache"])
    with pytest.raises(DependencyError, match="is not being called"):
        await cache.get_many(["a"])
    assert not calls.since_last_look()

    redis.stop()
    redis.start()
    clock.runs = True
    await until(is_whole)
    await cache.close()


async def test_what_is_wrong_is_said_without_the_password(tmp_path: Path) -> None:
    server = Redis(tmp_path, password="tell-nobody")
    try:
        wrong = RedisTextCache(server.url.replace("nobody", "all"), ttl_s=1, timeout_s=HANGS_AFTER_S, claim_s=1)
        with pytest.raises(RefusedError, match="rejected the credentials in KGQA_REWRITER_REDIS_URL") as refused:
            await wrong.get_many(["a"])
        assert "tell" not in str(refused.value)
        await wrong.close()
        right = cache_of(server)
        assert await right.get_many(["a"]) == [None]
        await right.close()
    finally:
        server.stop()
    gone = cache_of(server)
    with pytest.raises(DependencyError, match="is it running"):
        await gone.get_many(["a"])
    await gone.close()
    with pytest.raises(InvalidInputError, match="redis://host:6379/0"):
        RedisTextCache("nothing", ttl_s=1, timeout_s=1, claim_s=1)


async def test_connections_that_a_redis_left_behind_cost_nothing(redis: Redis, cache: RedisTextCache) -> None:
    many = [asyncio.create_task(cache.get_many(["a"])) for _ in range(12)]
    await asyncio.gather(*many)
    redis.stop()
    redis.start()
    await asyncio.sleep(0.1)
    for _ in range(3):
        await asyncio.gather(*(cache.get_many(["a"]) for _ in range(12)))
        await cache.put_many({"a": "one"})


async def test_a_text_that_others_wrote_is_served_only_if_it_says_the_facts(cache: RedisTextCache) -> None:
    model = ScriptedModel(lambda _: TEXT)
    rewriter = Rewriter(model, cache)
    await rewriter.rewrite(REQUEST)
    [key] = await keys_of(cache)
    for made, text in enumerate(
        ("Your account was hacked.", "Lyon is the capital of France, which borders Spain.", ""), 2
    ):
        await cache._redis.set(TEXTS + key, b"1" + text.encode())
        response = await rewriter.rewrite(REQUEST)
        if text:
            assert (response.texts, response.cached, len(model.prompts)) == ([TEXT], 0, made)
            again = await rewriter.rewrite(REQUEST)
            assert (again.texts, again.cached, len(model.prompts)) == ([TEXT], 1, made)
        else:
            assert response.degraded == ["unfaithful_text"]
            assert "Paris" in response.texts[0]


async def test_what_a_replica_waits_for_is_checked_too(redis: Redis, cache: RedisTextCache) -> None:
    model = ScriptedModel(lambda _: TEXT)
    await Rewriter(model, cache).rewrite(REQUEST)
    [key] = await keys_of(cache)
    await cache._redis.flushall()
    assert await cache.claim([key]) == [True]
    waiting = asyncio.create_task(Rewriter(model, cache).rewrite(REQUEST))
    await asyncio.sleep(0.1)
    await cache.put_many({key: "Your account was hacked."})

    assert (await waiting).texts == [TEXT]


@pytest.mark.parametrize("command", [("SET", b"\xff\xfe"), ("SET", b"1\xff"), ("SET", b"1" + b"x" * 3_000_000),
                                     ("LPUSH", b"1"), ("SET", b""), ("SETRANGE", b"5", b"x")])  # fmt: skip
async def test_what_is_no_text_counts_as_absent_and_is_replaced(
    redis: Redis, cache: RedisTextCache, command: tuple[str, ...]
) -> None:
    await send(cache, command[0], f"{TEXTS}a", *command[1:])
    await cache.put_many({"b": "two"})
    before = await _bytes_sent(cache)
    assert await cache.get_many(["a", "b"]) == [None, "two"]
    assert await _bytes_sent(cache) - before < 20_000
    assert await cache.wait_for("a") is None
    assert await cache.claim(["a"]) == [True]

    await cache.put_many({"a": "one"})
    assert await cache.get_many(["a", "b"]) == ["one", "two"]


async def _bytes_sent(cache: RedisTextCache) -> int:
    return int((await cache._redis.info("stats"))["total_net_output_bytes"])


async def test_a_text_that_is_too_long_is_not_stored(cache: RedisTextCache) -> None:
    await cache.claim(["a"])
    await cache.put_many({"a": "é" * (MAX_TEXT_BYTES // 2 + 1), "b": "é" * (MAX_TEXT_BYTES // 2)})
    assert await cache.get_many(["a", "b"]) == [None, "é" * (MAX_TEXT_BYTES // 2)]
    assert await cache._redis.exists(f"{TEXTS}a", "kgqa:claim:a") == 0


@pytest.mark.parametrize("command", [("SET", "1"), ("LPUSH", "1"), ("SET", "1", "PX", "99999999")])
async def test_a_claim_of_somebody_else_is_not_waited_for(redis: Redis, command: tuple[str, ...]) -> None:
    cache = cache_of(redis, claim_s=FOREVER_S)
    model = ScriptedModel(lambda _: TEXT)
    rewriter = Rewriter(model, cache)
    await rewriter.rewrite(REQUEST)
    [key] = await keys_of(cache)
    claim = f"kgqa:claim:{key}"
    await cache._redis.flushall()
    await send(cache, command[0], claim, *command[1:])

    assert (await rewriter.rewrite(REQUEST)).texts == [TEXT]
    assert await cache._redis.exists(claim) == 0
    await cache.close()
