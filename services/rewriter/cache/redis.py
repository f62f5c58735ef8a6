"""The cache that replicas share: a Redis. Slow or gone, it costs a request its short time-out at most."""

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
# With the version of what values look like, so that releases can share a Redis.
_PREFIX = "kgqa:text:v2:"
_CLAIM_PREFIX = "kgqa:claim:"
_SECONDS_BETWEEN_LOOKS = 0.02

MOST_BYTES = 8_192
"""UTF-8 bytes of a text; the longest that a model writes of one item of evidence have half as many."""

# What Redis holds begins with this, so that an empty text is not the same as none.
_MARK = b"1"
# One more byte than a text may have shows that it has too many.
_LAST_BYTE_READ = len(_MARK) + MOST_BYTES


class RedisTextCache:
    """A `TextCache` in a Redis, for as long as `ttl_s`.

    A claim lets one replica make a text while the others wait for it; one that dies loses it after `claim_s`. Others
    may write to the Redis: no more is read of a value than a text can have, and what is no text counts as absent.
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
        """Connects when it is first asked. A user and password in the URL take precedence.

        Raises InvalidInputError for a URL that is none.
        """
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
        """Read the text of each key, in one round trip; MGET would transfer values of any size."""
        if not keys:
            return []

        async def read() -> list[str | None]:
            commands = self._redis.pipeline(transaction=False)
            for key in keys:
                commands.getrange(_PREFIX + key, 0, _LAST_BYTE_READ)
            return [_text(reply) for reply in await commands.execute(raise_on_error=False)]

        return await self._asked(read)

    async def put_many(self, texts: Mapping[str, str]) -> None:
        """Store texts for `ttl_s`, except those that are too long, and let go of the claims on them."""
        if not texts:
            return

        def put() -> Awaitable[object]:
            commands = self._redis.pipeline(transaction=False)
            for key, text in texts.items():
                # What JSON cannot carry a Redis client cannot either.
                content = text.encode("utf-8", "replace")
                if len(content) <= MOST_BYTES:
                    commands.set(_PREFIX + key, _MARK + content, px=self._ttl_ms)
                commands.delete(_CLAIM_PREFIX + key)
            return commands.execute()

        await self._asked(put)

    async def claim(self, keys: Sequence[str]) -> list[bool]:
        """Set a key for each, if there is none."""
        if not keys:
            return []

        def take() -> Awaitable[list[object]]:
            commands = self._redis.pipeline(transaction=False)
            for key in keys:
                commands.set(_CLAIM_PREFIX + key, "1", nx=True, px=self._claim_ms)
            return commands.execute()

        return [bool(taken) for taken in await self._asked(take)]

    async def release(self, key: str) -> None:
        """Delete the claim."""
        await self._asked(lambda: self._redis.delete(_CLAIM_PREFIX + key))

    async def awaited(self, key: str) -> str | None:
        """Look again and again until the text is there, or the claim has ended without."""

        async def look() -> tuple[str | None, bool]:
            commands = self._redis.pipeline(transaction=False)
            commands.getrange(_PREFIX + key, 0, _LAST_BYTE_READ)
            commands.pttl(_CLAIM_PREFIX + key)
            text, left_ms = await commands.execute(raise_on_error=False)
            if isinstance(left_ms, Exception):
                raise left_ms
            # A claim that never ends, or too late, is not one of a replica.
            return _text(text), 0 <= left_ms <= self._claim_ms

        deadline = time.monotonic() + self._claim_ms / 1000
        while time.monotonic() < deadline:
            text, is_claimed = await self._asked(look)
            if text is not None or not is_claimed:
                return text
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
        return None

    async def ready(self) -> bool:
        """Whether Redis answers a PING."""
        try:
            return bool(await self._asked(self._redis.ping))
        except DependencyError:
            return False

    async def close(self) -> None:
        """Close connections."""
        await self._redis.aclose()

    async def _asked(self, command: Callable[[], Awaitable[_T]]) -> _T:
        async with self._breaker.call():
            try:
                async with asyncio.timeout(self._timeout_s):
                    try:
                        return await command()
                    except AuthenticationError:
                        raise  # a ConnectionError to the client, but another connection would not help
                    except redis.exceptions.ConnectionError:
                        # A Redis that went away left connections behind, of which each would fail once.
                        await self._redis.connection_pool.disconnect(inuse_connections=False)
                        return await command()
            except (AuthenticationError, NoPermissionError) as error:
                raise RefusedError(
                    f"Redis at {self._shown} refused the user of KGQA_REWRITER_REDIS_URL, or of "
                    f"KGQA_REWRITER_REDIS_USER and KGQA_REWRITER_REDIS_PASSWORD: {error}"
                ) from error
            except (RedisError, TimeoutError, OSError) as error:
                reason = str(error) or "no reply in time"
                raise DependencyError(f"Redis at {self._shown} did not answer ({reason}); is it running?") from error


def _text(reply: object) -> str | None:
    """The text in a reply of Redis, or None if it holds something else. Raises the error of any other failure."""
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
    """Raise InvalidInputError unless the client can parse `url`."""
    try:
        if is_well_formed(url) or url.startswith("unix://"):
            parse_url(url)
            return
    except ValueError:
        pass  # it may quote a password
    raise InvalidInputError(
        "KGQA_REWRITER_REDIS_URL is not valid: expected one like redis://host:6379/0, with special characters of a "
        "password percent-encoded"
    )
