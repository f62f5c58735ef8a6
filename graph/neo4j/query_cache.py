"""Cache query results until the database changes."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

from cachetools import LRUCache

from shared.request_context import remaining_time

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

Fetch = Callable[[Sequence[Key]], Awaitable[Sequence[Value]]]


class BookmarkSource(Protocol):
    """Track the last transaction that a database has committed."""

    @property
    def bookmark(self) -> str:
        """Return the latest bookmark that the database has sent."""

    async def refresh_bookmark(self) -> None:
        """Query the database unless the bookmark is recent."""


class QueryCache(Generic[Key, Value]):
    """Cache the most recently used results of `fetch`, and drop all of them when the database changes.

    Callers that need what another one is fetching wait for it, so that a change does not repeat a query for each of
    many concurrent requests.
    """

    def __init__(self, source: BookmarkSource, fetch: Fetch[Key, Value], max_entries: int = 50_000) -> None:
        self._source = source
        self._fetch = fetch
        self._bookmark = ""
        self._values: LRUCache[Key, Value] = LRUCache(max_entries)
        self._fetching: dict[Key, asyncio.Event] = {}

    async def get(self, keys: Sequence[Key]) -> list[Value]:
        """Return one value per key. Values are not cached if the database changes while they are being fetched."""
        await self._source.refresh_bookmark()
        self._clear_if_changed()
        # A caller waits only once, because the other fetch may fail.
        if events := {self._fetching[key] for key in keys if key in self._fetching and key not in self._values}:
            await _wait_for(events)
            self._clear_if_changed()
        found = {key: self._values[key] for key in keys if key in self._values}
        if missing := [key for key in dict.fromkeys(keys) if key not in found]:
            found |= await self._fetched(missing)
        return [found[key] for key in keys]

    async def _fetched(self, missing: Sequence[Key]) -> dict[Key, Value]:
        before, done = self._source.bookmark, asyncio.Event()
        own = [key for key in missing if key not in self._fetching]
        self._fetching.update(dict.fromkeys(own, done))
        try:
            fetched = dict(zip(missing, await self._fetch(missing), strict=True))
            self._clear_if_changed()
            if self._source.bookmark == before:
                self._values.update(fetched)
            return fetched
        finally:
            for key in own:
                del self._fetching[key]
            done.set()

    def _clear_if_changed(self) -> None:
        if self._source.bookmark != self._bookmark:
            self._values.clear()
            self._bookmark = self._source.bookmark


async def _wait_for(events: Iterable[asyncio.Event]) -> None:
    """Wait for all events, but not beyond the request's deadline."""
    seconds = remaining_time(math.inf)
    with suppress(TimeoutError):
        async with asyncio.timeout(None if seconds == math.inf else seconds):
            for event in events:
                await event.wait()
