"""What the project needs of a cache of verbalised subgraphs."""

from collections.abc import Mapping, Sequence
from typing import Protocol


class TextCache(Protocol):
    """Keeps texts by key, and may forget at any time.

    Every method but `ready` raises DependencyError where the cache does not answer.
    """

    async def get_many(self, keys: Sequence[str]) -> list[str | None]:
        """The text of each key, None where it has none; one round trip."""
        ...

    async def put_many(self, texts: Mapping[str, str]) -> None:
        """Store texts under their keys, which ends the claims on them; one round trip."""
        ...

    async def claim(self, keys: Sequence[str]) -> list[bool]:
        """For each key, whether the caller is to make its text: False where someone else is at it; one round trip."""
        ...

    async def release(self, key: str) -> None:
        """Give up a claim without a text. Only the holder of the claim may call this."""
        ...

    async def awaited(self, key: str) -> str | None:
        """The text of a key that someone else claimed, once it is there; None where it does not come."""
        ...

    async def ready(self) -> bool:
        """Whether the cache answers."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...
