"""Cache texts in a Redis that replicas share. A slow or absent Redis costs a request at most its short time-out."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

import redis.asyncio
from redis.asyncio.connection import parse_url
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, NoPermissionError, RedisError, ResponseError
from redis.retry import Retry

from shared.errors import DependencyError, InvalidInputError, RefusedError
from shared.outbound.circuit_breaker import CircuitBreaker
from shared.outbound.urls import is_well_formed, redact_url

_T = TypeVar("_T")
# Contains the version of the values' format, so that releases can share a Redis.
_PREFIX = "kgqa:text:v2:"
_CLAIM_PREFIX = "kgqa:claim:"
_POLL_INTERVAL_S = 0.02

MAX_TEXT_BYTES = 8_192
"""UTF-8 bytes of a text: twice as many as in the longest text that a model generates from one item of evidence."""

# Begins each value, so that an empty text differs from a missing one.
_MARK = b"1"
# Reading one byte beyond the limit reveals a value that is too long.
_LAST_BYTE_READ = len(_MARK) + MAX_TEXT_BYTES


class RedisTextCache:
    """A `TextCache` in a Redis.

    Other clients may write to that Redis, so the cache reads no more of a value than a text can have, and treats any
    other value as missing.

    Args:
        url: The URL of the Redis. A user and a password in the URL take precedence over the arguments.
        ttl_s: How long a text stays, in seconds.
        timeout_s: How long a round trip may take, in seconds.
        claim_s: How long a claim lasts, in seconds, should its replica die.
        user: The Redis user.
        password: The password of that user.

    Raises:
        InvalidInputError: If the URL is not valid.
    """

    def __init__(
        self,
        url: str,
        *,
        ttl_s: float,
        timeout_s: float,
        claim_s: float,
        user: str | None = None,
        password: str | None = None,
    ) -> None:
        self._ttl_ms, self._claim_ms = int(ttl_s * 1000), int(claim_s * 1000)
        self._timeout_s = timeout_s
        self._shown = redact_url(url)
        check_url(url)
        self._redis = redis.asyncio.Redis.from_url(
            url,
            username=user or None,
            password=password or None,
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
            retry=Retry(NoBackoff(), 0),
        )
        self._breaker = CircuitBreaker(f"Redis at {self._shown}")

    async def get_many(self, keys: Sequence[str]) -> list[str | None]:
        """Return the text of each key, or None; unlike MGET, this limits the bytes that Redis sends."""
        if not keys:
            return []

        async def read() -> list[str | None]:
            commands = self._redis.pipeline(transaction=False)
            for key in keys:
                commands.getrange(_PREFIX + key, 0, _LAST_BYTE_READ)
            return [_text(reply) for reply in await commands.execute(raise_on_error=False)]

        return await self._call(read)

    async def put_many(self, texts: Mapping[str, str]) -> None:
        """Store texts for `ttl_s`, except those that are too long, and end the claims on their keys."""
        if not texts:
            return

        def put() -> Awaitable[object]:
            commands = self._redis.pipeline(transaction=False)
            for key, text in texts.items():
                # A model may cut an emoji in half, which UTF-8 cannot encode.
                content = text.encode("utf-8", "replace")
                if len(content) <= MAX_TEXT_BYTES:
                    commands.set(_PREFIX + key, _MARK + content, px=self._ttl_ms)
                commands.delete(_CLAIM_PREFIX + key)
            return commands.execute()

        await self._call(put)

    async def claim(self, keys: Sequence[str]) -> list[bool]:
        """Claim each key that has no claim yet."""
        if not keys:
            return []

        def take() -> Awaitable[list[object]]:
            commands = self._redis.pipeline(transaction=False)
            for key in keys:
                commands.set(_CLAIM_PREFIX + key, "1", nx=True, px=self._claim_ms)
            return commands.execute()

        return [bool(taken) for taken in await self._call(take)]

    async def release(self, key: str) -> None:
        """Delete the claim on a key."""
        await self._call(lambda: self._redis.delete(_CLAIM_PREFIX + key))

    async def wait_for(self, key: str) -> str | None:
        """Poll until the text is there, or the claim has ended without one."""

        async def poll() -> tuple[str | None, bool]:
            commands = self._redis.pipeline(transaction=False)
            commands.getrange(_PREFIX + key, 0, _LAST_BYTE_READ)
            commands.pttl(_CLAIM_PREFIX + key)
            text, left_ms = await commands.execute(raise_on_error=False)
            if isinstance(left_ms, Exception):
                raise left_ms
            # A claim without an end, or with a later one than any replica sets, is not a replica's.
            return _text(text), 0 <= left_ms <= self._claim_ms

        deadline = time.monotonic() + self._claim_ms / 1000
        while time.monotonic() < deadline:
            text, is_claimed = await self._call(poll)
            if text is not None or not is_claimed:
                return text
            await asyncio.sleep(_POLL_INTERVAL_S)
        return None

    async def ready(self) -> bool:
        """Return whether Redis responds to a PING."""
        try:
            return bool(await self._call(self._redis.ping))
        except DependencyError:
            return False

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.aclose()

    async def _call(self, command: Callable[[], Awaitable[_T]]) -> _T:
        async with self._breaker.call():
            try:
                async with asyncio.timeout(self._timeout_s):
                    try:
                        return await command()
                    except AuthenticationError:
                        raise  # a kind of ConnectionError that a new connection cannot fix
                    except redis.exceptions.ConnectionError:
                        # After a restart of Redis, each pooled connection would fail once.
                        await self._redis.connection_pool.disconnect(inuse_connections=False)
                        return await command()
            except (AuthenticationError, NoPermissionError) as error:
                raise RefusedError(
                    f"Redis at {self._shown} refused the user of KGQA_REWRITER_REDIS_URL, or of "
                    f"KGQA_REWRITER_REDIS_USER and KGQA_REWRITER_REDIS_PASSWORD ({error}); check both"
                ) from error
            except (RedisError, TimeoutError, OSError) as error:
                reason = str(error) or "timed out"
                raise DependencyError(f"Redis at {self._shown} did not respond ({reason}); is it running?") from error


def _text(reply: object) -> str | None:
    """Return the text in a reply of Redis, or None for any other value; raise the error of a failed command."""
    if isinstance(reply, ResponseError) and str(reply).startswith("WRONGTYPE"):
        return None
    if isinstance(reply, Exception):
        raise reply
    if not isinstance(reply, bytes) or not reply.startswith(_MARK) or len(reply) > _LAST_BYTE_READ:
        return None
    try:
        return reply.removeprefix(_MARK).decode()
    except UnicodeDecodeError:
        return None


def check_url(url: str) -> None:
    """Raise InvalidInputError unless the Redis client can parse `url`."""
    try:
        if is_well_formed(url) or url.startswith("unix://"):
            parse_url(url)
            return
    except ValueError:
        pass  # its message may quote a password
    raise InvalidInputError(
        "KGQA_REWRITER_REDIS_URL is not a valid Redis URL; set one like redis://host:6379/0, and percent-encode "
        "special characters of the password"
    )
