"""Cache query results until the database changes."""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Generic, Protocol, TypeVar

from cachetools import LRUCache

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
    """Cache the most recently used results of `fetch`, and drop all of them when the database changes."""

    def __init__(self, source: BookmarkSource, fetch: Fetch[Key, Value], max_entries: int = 50_000) -> None:
        self._source = source
        self._fetch = fetch
        self._bookmark = ""
        self._values: LRUCache[Key, Value] = LRUCache(max_entries)

    async def get(self, keys: Sequence[Key]) -> list[Value]:
        """Return one value per key. Values are not cached if the database changes while they are being fetched."""
        await self._source.refresh_bookmark()
        self._clear_if_changed()
        found = {key: self._values[key] for key in keys if key in self._values}
        if missing := [key for key in dict.fromkeys(keys) if key not in found]:
            before = self._source.bookmark
            fetched = dict(zip(missing, await self._fetch(missing), strict=True))
            found |= fetched
            self._clear_if_changed()
            if self._source.bookmark == before:
                self._values.update(fetched)
        return [found[key] for key in keys]

    def _clear_if_changed(self) -> None:
        if self._source.bookmark != self._bookmark:
            self._values.clear()
            self._bookmark = self._source.bookmark
