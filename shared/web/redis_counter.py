"""Count the requests of callers in a Redis server that replicas share."""

from shared.errors import DependencyError
from shared.outbound.redis_connection import RedisConnection

_PREFIX = "kgqa:rate:"
# Longer than a window, because the clocks of replicas differ.
_KEPT_S = 120


class RedisCounter(RedisConnection):
    """Count requests in one key per caller and window, which Redis removes on its own."""

    async def add(self, caller: str, window: int) -> int:
        """Count a request, and return the number of the caller's requests in this window so far."""
        key = f"{_PREFIX}{caller}:{window}"
        sent, _ = await self._run([("INCR", key), ("EXPIRE", key, _KEPT_S)])
        if not isinstance(sent, int):
            raise DependencyError(f"{key} in Redis is not a number; delete it")
        return sent
