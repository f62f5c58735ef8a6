"""Cache texts in the memory of the process."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence


class InMemoryTextCache:
    """Implement `TextCache` in memory, and evict the least recently used texts. Use it from a single event loop.

    `max_bytes` limits the total size of keys and texts in UTF-8.
    """

    def __init__(self, max_entries: int = 10_000, max_bytes: int = 32_000_000) -> None:
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._bytes = 0

    async def get_many(self, keys: Sequence[str]) -> list[str | None]:
        """Return the text of each key, or None for a key that the cache lacks."""
        return [self._get(key) for key in keys]

    async def put_many(self, texts: Mapping[str, str]) -> None:
        """Store texts by key, except those larger than the whole cache."""
        for key, text in texts.items():
            self._remove(key)
            if _size(key, text) <= self._max_bytes:
                self._texts[key] = text
                self._bytes += _size(key, text)
        while len(self._texts) > self._max_entries or self._bytes > self._max_bytes:
            self._remove(next(iter(self._texts)))

    async def claim(self, keys: Sequence[str]) -> list[bool]:
        """Grant every claim, because `CoalescingModel` already generates each text only once per process."""
        return [True] * len(keys)

    async def release(self, key: str) -> None:
        """Do nothing, because this cache keeps no claims."""

    async def wait_for(self, key: str) -> str | None:
        """Return the text or None immediately, because no other client uses this cache."""
        return self._get(key)

    async def close(self) -> None:
        """Discard all texts."""
        self._texts.clear()
        self._bytes = 0

    def _get(self, key: str) -> str | None:
        if key in self._texts:
            self._texts.move_to_end(key)
        return self._texts.get(key)

    def _remove(self, key: str) -> None:
        if key in self._texts:
            self._bytes -= _size(key, self._texts.pop(key))


def _size(key: str, text: str) -> int:
    return len(key.encode(errors="surrogatepass")) + len(text.encode(errors="surrogatepass"))
