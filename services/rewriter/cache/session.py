"""Coordinate one request with the cache: look up texts, and claim the keys of texts to generate."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence

from services.rewriter.cache.protocol import TextCache
from shared.errors import DependencyError

log = logging.getLogger(__name__)


class CacheSession:
    """Use the cache for one request, and continue without it if the cache fails.

    The session claims the keys that the cache lacks, and waits for texts whose keys another replica has claimed. On
    exit, it releases its remaining claims. It ignores each cached text for which `is_valid(key, text)` is false.
    """

    def __init__(self, cache: TextCache, is_valid: Callable[[str, str], bool]) -> None:
        self.is_down = False
        self._cache = cache
        self._is_valid = is_valid
        self._texts: dict[str, str | None] = {}
        self._held: set[str] = set()
        self._elsewhere: set[str] = set()

    async def __aenter__(self) -> "CacheSession":
        return self

    async def __aexit__(self, *_: object) -> None:
        # If the request is cancelled, items that never started cannot release their claims.
        await asyncio.shield(asyncio.gather(*(self._settle(key, None) for key in self._held)))

    async def look_up(self, keys: Sequence[str]) -> None:
        """Look up texts, and claim the keys of missing ones; set `is_down` if the cache does not respond."""
        try:
            found = await self._cache.get_many(keys)
            texts = {key: self._validated(key, text) for key, text in zip(keys, found, strict=True)}
            if missing := [key for key, text in texts.items() if text is None]:
                await self._claim(missing)
            self._texts, self._elsewhere = texts, set(missing) - self._held
        except DependencyError as error:
            log.warning("continuing without the cache: %s", error)
            self.is_down = True

    async def text(self, key: str) -> str | None:
        """Return the text of a key, waiting for another replica if needed, or None if the caller must generate it."""
        if key not in self._elsewhere:
            return self._texts.get(key)
        with contextlib.suppress(DependencyError):
            text = self._validated(key, await self._cache.wait_for(key))
            if text is not None:
                return text
            await self._claim([key])
        return None

    async def store(self, key: str, generation: Awaitable[str]) -> str:
        """Await a generated text and store it, or release the claim if the generation fails."""
        is_held = key in self._held
        self._held.discard(key)
        text: str | None = None
        try:
            text = await generation
            return text
        finally:
            if is_held or (text is not None and not self.is_down):
                await asyncio.shield(self._settle(key, text))

    def _validated(self, key: str, text: str | None) -> str | None:
        return text if text is not None and self._is_valid(key, text) else None

    async def _claim(self, keys: Sequence[str]) -> None:
        """Claim keys, and record the successful claims even if the caller is cancelled in the meantime."""
        claiming = asyncio.ensure_future(self._cache.claim(keys))
        try:
            await asyncio.shield(claiming)
        except asyncio.CancelledError:
            # The cache may already have granted the claims. The cache's timeout bounds this wait.
            await asyncio.wait([claiming])
            raise
        finally:
            if claiming.done() and not claiming.cancelled() and not claiming.exception():
                self._held.update(key for key, is_won in zip(keys, claiming.result(), strict=True) if is_won)

    async def _settle(self, key: str, text: str | None) -> None:
        """Store a text, or release the claim if there is no text, so that other replicas stop waiting."""
        with contextlib.suppress(DependencyError):
            await (self._cache.release(key) if text is None else self._cache.put_many({key: text}))
