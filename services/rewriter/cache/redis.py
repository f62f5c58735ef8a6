"""Cache texts in a shared Redis server. If it is slow or down, a request waits no longer than a short timeout."""

import asyncio
import time
from collections.abc import Mapping, Sequence

from shared.outbound.redis_connection import Command, RedisConnection

# Contains the version of the value format, so that different releases can share a Redis server.
_PREFIX = "kgqa:text:v2:"
_CLAIM_PREFIX = "kgqa:claim:"
_POLL_INTERVAL_S = 0.02

MAX_TEXT_BYTES = 8_192
"""Maximum size of a text in UTF-8: twice the longest text that a model generates for one item of evidence."""

# Prefix of every value; it distinguishes an empty text from a missing one.
_MARK = b"1"
# A read extends one byte beyond the limit, to detect values that are too long.
_LAST_BYTE_READ = len(_MARK) + MAX_TEXT_BYTES


class RedisTextCache(RedisConnection):
    """Implement `TextCache` in Redis. A text expires after `ttl_s`, and the claim of a dead replica after `claim_s`.

    A user and a password in the URL take precedence over the arguments. Because other clients may write to the server,
    the cache never reads more bytes of a value than a text can have, and treats a value that is not a text as missing.
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
        super().__init__(url, variable="KGQA_REWRITER_REDIS", timeout_s=timeout_s, user=user, password=password)

    async def get_many(self, keys: Sequence[str]) -> list[str | None]:
        """Return the text of each key, or None for a key that the cache lacks."""
        return [_text(reply) for reply in await self._run([_read(key) for key in keys])]

    async def put_many(self, texts: Mapping[str, str]) -> None:
        """Store texts for `ttl_s`, except those that are too long, and end the claims on their keys."""
        commands: list[Command] = []
        for key, text in texts.items():
            # A model may cut an emoji in half, and UTF-8 cannot encode the remaining half.
            content = text.encode("utf-8", "replace")
            if len(content) <= MAX_TEXT_BYTES:
                commands.append(("SET", _PREFIX + key, _MARK + content, "PX", self._ttl_ms))
            commands.append(("DEL", _CLAIM_PREFIX + key))
        await self._run(commands)

    async def claim(self, keys: Sequence[str]) -> list[bool]:
        """Claim each key that no client has claimed yet."""
        commands = [("SET", _CLAIM_PREFIX + key, "1", "PX", self._claim_ms, "NX") for key in keys]
        return [bool(is_granted) for is_granted in await self._run(commands)]

    async def release(self, key: str) -> None:
        """Delete the claim on a key."""
        await self._run([("DEL", _CLAIM_PREFIX + key)])

    async def wait_for(self, key: str) -> str | None:
        """Poll until the text is available, or until the claim has ended without a text."""
        deadline = time.monotonic() + self._claim_ms / 1000
        while time.monotonic() < deadline:
            reply, remaining_ms = await self._run([_read(key), ("PTTL", _CLAIM_PREFIX + key)])
            text = _text(reply)
            # A claim that never expires, or expires later than any replica would set, does not come from a replica.
            if text is not None or not 0 <= remaining_ms <= self._claim_ms:
                return text
            await asyncio.sleep(_POLL_INTERVAL_S)
        return None


def _read(key: str) -> Command:
    # MGET would transfer a value of any size, so read a bounded range.
    return ("GETRANGE", _PREFIX + key, 0, _LAST_BYTE_READ)


def _text(reply: object) -> str | None:
    """Return the text that a value holds, or None if the value is not a text."""
    if not isinstance(reply, bytes) or not reply.startswith(_MARK) or len(reply) > _LAST_BYTE_READ:
        return None
    try:
        return reply.removeprefix(_MARK).decode()
    except UnicodeDecodeError:
        return None
