"""Define the interface of the cache that holds the rewriter's texts."""

from collections.abc import Mapping, Sequence
from typing import Protocol


class TextCache(Protocol):
    """Cache generated texts; a text may be evicted at any time.

    Replicas that share a cache claim a key before they generate its text, so that only one of them generates it.

    Raises:
        DependencyError: From every method except `close`, if the cache does not respond.

    Example:
        >>> [is_mine] = await cache.claim(["key"])
        >>> text = await generate() if is_mine else await cache.wait_for("key")
        >>> await cache.put_many({"key": text})
    """

    async def get_many(self, keys: Sequence[str]) -> list[str | None]:
        """Return the text of each key in one round trip, or None for a key that the cache lacks."""
        ...

    async def put_many(self, texts: Mapping[str, str]) -> None:
        """Store texts by key and end the claims on those keys, in one round trip."""
        ...

    async def claim(self, keys: Sequence[str]) -> list[bool]:
        """Claim keys in one round trip.

        Returns:
            For each key, True if the caller should generate the text, or False if another client is generating it.
        """
        ...

    async def release(self, key: str) -> None:
        """Give up a claim without storing a text. Only the holder of the claim may call this."""
        ...

    async def wait_for(self, key: str) -> str | None:
        """Wait for the text of a key that another client has claimed.

        Returns:
            The text, or None if the claim ends without a text.
        """
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...
