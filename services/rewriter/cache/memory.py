"""A cache of texts in the process's own memory."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence


class InMemoryTextCache:
    """Forgets the least recently used texts beyond `max_entries` or `max_bytes` (UTF-8, keys counted in).

    Lives and dies with its process and is used from one event loop; nothing here waits.
    """

    def __init__(self, max_entries: int = 10_000, max_bytes: int = 32_000_000) -> None:
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._bytes = 0

    async def get_many(self, keys: Sequence[str]) -> list[str | None]:
        """The text of each key, None where it has none."""
        return [self._get(key) for key in keys]

    async def put_many(self, texts: Mapping[str, str]) -> None:
        """Store texts under their keys; one larger than the whole cache is not kept."""
        for key, text in texts.items():
            self._remove(key)
            if _size(key, text) > self._max_bytes:
                continue
            self._texts[key] = text
            self._bytes += _size(key, text)
        while len(self._texts) > self._max_entries or self._bytes > self._max_bytes:
            self._remove(next(iter(self._texts)))

    async def claim(self, keys: Sequence[str]) -> list[bool]:
        """Always: within a process `CoalescingModel` sees to it that a text is made once."""
        return [True] * len(keys)

    async def release(self, key: str) -> None:
        """Nothing to give up."""

    async def awaited(self, key: str) -> str | None:
        """What is there."""
        return self._get(key)

    async def ready(self) -> bool:
        """Always: there is nothing to reach."""
        return True

    async def close(self) -> None:
        """Forget everything."""
        self._texts.clear()
        self._bytes = 0

    def _get(self, key: str) -> str | None:
        text = self._texts.get(key)
        if text is not None:
            self._texts.move_to_end(key)
        return text

    def _remove(self, key: str) -> None:
        text = self._texts.pop(key, None)
        if text is not None:
            self._bytes -= _size(key, text)


def _size(key: str, text: str) -> int:
    return len(key.encode(errors="surrogatepass")) + len(text.encode(errors="surrogatepass"))
