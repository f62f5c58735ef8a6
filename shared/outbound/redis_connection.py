"""Send commands to a shared Redis server. If it is slow or down, a request waits no longer than a short timeout."""

import asyncio
from collections.abc import Sequence
from typing import Any

import redis.asyncio
from redis.asyncio.connection import parse_url
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, NoPermissionError, RedisError
from redis.retry import Retry

from shared.errors import DependencyError, InvalidInputError, RefusedError
from shared.outbound.circuit_breaker import CircuitBreaker
from shared.outbound.urls import is_well_formed, redact_url

Command = tuple[str | bytes | int, ...]


class RedisConnection:
    """Run commands on one server; a user and a password in the URL take precedence over the arguments.

    Messages name the settings that begin with `variable`, such as KGQA_REWRITER_REDIS.
    """

    def __init__(
        self, url: str, *, variable: str, timeout_s: float, user: str | None = None, password: str | None = None
    ) -> None:
        self._timeout_s = timeout_s
        self._variable = variable
        self._shown = redact_url(url)
        check_url(url, variable)
        self._redis = redis.asyncio.Redis.from_url(
            url,
            username=user or None,
            password=password or None,
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
            retry=Retry(NoBackoff(), 0),
        )
        self._breaker = CircuitBreaker(f"Redis at {self._shown}")

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.aclose()

    async def _run(self, commands: Sequence[Command]) -> list[Any]:
        """Run commands in one round trip; return wrong-type errors among the replies, and raise all other errors."""
        if not commands:
            return []
        async with self._breaker.call():
            try:
                async with asyncio.timeout(self._timeout_s):
                    try:
                        replies = await self._send(commands)
                    except AuthenticationError:
                        raise  # this subclass of ConnectionError would recur on a new connection
                    except redis.exceptions.ConnectionError:
                        # After Redis restarts, each pooled connection would fail once.
                        await self._redis.connection_pool.disconnect(inuse_connections=False)
                        replies = await self._send(commands)
                for reply in replies:
                    if isinstance(reply, Exception) and not str(reply).startswith("WRONGTYPE"):
                        raise reply
                return replies
            except (AuthenticationError, NoPermissionError) as error:
                raise RefusedError(
                    f"Redis at {self._shown} rejected the credentials in {self._variable}_URL, or in "
                    f"{self._variable}_USER and {self._variable}_PASSWORD ({error}); correct them"
                ) from error
            except (RedisError, TimeoutError, OSError) as error:
                reason = str(error) or "timed out"
                raise DependencyError(f"Redis at {self._shown} did not respond ({reason}); is it running?") from error

    async def _send(self, commands: Sequence[Command]) -> list[Any]:
        pipeline = self._redis.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        return await pipeline.execute(raise_on_error=False)


def check_url(url: str, variable: str) -> None:
    """Raise InvalidInputError unless the Redis client can parse `url`."""
    try:
        if is_well_formed(url) or url.startswith("unix://"):
            parse_url(url)
            return
    except ValueError:
        pass  # its message may quote a password
    raise InvalidInputError(
        f"{variable}_URL is not a valid Redis URL; use the form redis://host:6379/0, and percent-encode "
        "special characters in the password"
    )
