"""Count the requests of callers, in Redis if replicas share one, and otherwise in memory."""

import logging
import math
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from shared.api_keys import ApiKeys
from shared.errors import DependencyError
from shared.outbound.redis_settings import RedisSettings

log = logging.getLogger(__name__)

WINDOW_S = 60


class RequestCounter(Protocol):
    """Count requests in windows of a minute."""

    async def add(self, caller: str, window: int) -> int:
        """Count a request, and return the number of the caller's requests in this window so far.

        Raises DependencyError if the counter does not respond.
        """
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class MemoryCounter:
    """Count the requests that this process receives."""

    def __init__(self) -> None:
        self._window = -1
        self._counts: Counter[str] = Counter()

    async def add(self, caller: str, window: int) -> int:
        """Count a request; only the counts of the latest window are kept."""
        if window != self._window:
            self._window, self._counts = window, Counter()
        self._counts[caller] += 1
        return self._counts[caller]

    async def close(self) -> None:
        """Do nothing."""


class RateLimiter:
    """Admit a number of requests per caller and minute.

    Windows begin with the minute, so that replicas agree on them. If the shared counter does not respond, each replica
    counts for itself.
    """

    def __init__(self, counter: RequestCounter, clock: Callable[[], float] = time.time) -> None:
        self._counter = counter
        self._own = MemoryCounter()
        self._clock = clock
        self._is_down = False

    async def seconds_to_wait(self, caller: str, per_minute: int) -> int | None:
        """Count a request, and return the seconds until the caller may send the next; None if it is admitted."""
        now = self._clock()
        window = int(now // WINDOW_S)
        sent = await self._add(caller, window)
        return None if sent <= per_minute else max(1, math.ceil((window + 1) * WINDOW_S - now))

    async def close(self) -> None:
        """Close the connections of the counter."""
        await self._counter.close()

    async def _add(self, caller: str, window: int) -> int:
        try:
            sent = await self._counter.add(caller, window)
        except DependencyError as error:
            if not self._is_down:
                log.warning("requests are counted in this process alone: %s", error)
            self._is_down = True
            return await self._own.add(caller, window)
        self._is_down = False
        return sent


@dataclass(frozen=True, slots=True)
class CallerLimits:
    """Say how many requests each caller may send per minute, and count them.

    `default` holds for keys without a limit, and for all callers without a key together; None is no limit.
    """

    limiter: RateLimiter
    keys: ApiKeys | None
    default: int | None

    def per_minute(self, caller: str) -> int | None:
        """Return the limit of a caller, or of all callers without a key if the name is empty."""
        own = self.keys.per_minute(caller) if self.keys and caller else None
        return self.default if own is None else own


def rate_limiter(settings: RedisSettings) -> RateLimiter:
    """Return a limiter that counts in the configured Redis, and otherwise in memory."""
    if settings.redis_url is None:
        return RateLimiter(MemoryCounter())
    from shared.web.redis_counter import RedisCounter  # the Redis client is slow to import

    return RateLimiter(
        RedisCounter(
            settings.redis_url.get_secret_value(),
            variable=settings.redis_variable(),
            timeout_s=settings.redis_timeout_s,
            user=settings.redis_user,
            password=settings.redis_secret,
        )
    )
