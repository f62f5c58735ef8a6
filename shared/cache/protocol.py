"""What the project needs of a cache of verbalised subgraphs."""

from collections.abc import Mapping, Sequence
from typing import Protocol


class TextCache(Protocol):
    """Keeps texts by key. A cache may forget at any time; it never fails a request."""

    async def get_many(self, keys: Sequence[str]) -> list[str | None]:
        """The text of each key, None where it has none; one round trip."""
        ...

    async def put_many(self, texts: Mapping[str, str]) -> None:
        """Store texts under their keys; one round trip."""
        ...

    async def ready(self) -> bool:
        """Whether the cache answers."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...
