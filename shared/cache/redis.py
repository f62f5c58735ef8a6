"""The cache that replicas share: a Redis. Slow or gone, it costs a request its short time-out at most."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar
from urllib.parse import urlsplit

import redis.asyncio
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, NoPermissionError, RedisError
from redis.retry import Retry

from shared.breaker import Breaker
from shared.errors import DependencyError, InvalidInputError, RefusedError

_T = TypeVar("_T")
_PREFIX = "kgqa:text:"
_CLAIM_PREFIX = "kgqa:claim:"
_SECONDS_BETWEEN_LOOKS = 0.02


class RedisTextCache:
    """A `TextCache` in a Redis, for as long as `ttl_s`.

    A claim lets one replica make a text while the others wait for it; one that dies loses it after `claim_s`.
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
        try:
            parts = urlsplit(url)
            # A URL may hold a password.
            self._shown = f"{parts.hostname}:{parts.port or 6379}"
            self._redis = redis.asyncio.Redis.from_url(
                url,
                username=user or None,
                password=password or None,
                socket_timeout=timeout_s,
                socket_connect_timeout=timeout_s,
                retry=Retry(NoBackoff(), 0),
                decode_responses=True,
            )
        except ValueError as error:
            raise InvalidInputError("the Redis URL is not valid; it looks like redis://host:6379/0") from error
        self._breaker = Breaker(f"Redis at {self._shown}")

    async def get_many(self, keys: Sequence[str]) -> list[str | None]:
        """The text of each key, by one MGET."""
        if not keys:
            return []
        found = await self._asked(lambda: self._redis.mget([_PREFIX + key for key in keys]))
        return [None if text is None else str(text) for text in found]

    async def put_many(self, texts: Mapping[str, str]) -> None:
        """Store texts for `ttl_s` and let go of the claims on them."""
        if not texts:
            return

        def put() -> Awaitable[object]:
            commands = self._redis.pipeline(transaction=False)
            for key, text in texts.items():
                # What JSON cannot carry a Redis client cannot either.
                commands.set(_PREFIX + key, text.encode("utf-8", "replace"), px=self._ttl_ms)
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
        deadline = time.monotonic() + self._claim_ms / 1000
        while time.monotonic() < deadline:
            text, claim = await self._asked(lambda: self._redis.mget([_PREFIX + key, _CLAIM_PREFIX + key]))
            if text is not None or claim is None:
                return str(text) if text is not None else None
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
