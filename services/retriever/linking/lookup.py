"""Look up the names of mentions in the graph, in batches."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from services.retriever.linking.mentions import Mention
from shared.graph.store import NameMatch

_MENTIONS_PER_LOOKUP = 500

NameSearch = Callable[[Sequence[str]], Awaitable[list[list[NameMatch]]]]
"""A method of `GraphStore` that searches names: `entities_named`, `entities_by_short_name`, or `entities_like`."""


async def look_up(
    mentions: Sequence[Mention], search: NameSearch
) -> AsyncIterator[list[tuple[Mention, list[NameMatch]]]]:
    """Search the graph for mentions, with one call of the store per batch.

    Between batches other requests run, so that a long question does not hold the event loop.

    Args:
        mentions: The mentions to look up; several may have the same name.
        search: The store's method to search with.

    Yields:
        The mentions of one batch that name something, in order, with the entities that they may name.

    Raises:
        DependencyError: The store does not answer.
    """
    for start in range(0, len(mentions), _MENTIONS_PER_LOOKUP):
        if start:
            await asyncio.sleep(0)
        batch = mentions[start : start + _MENTIONS_PER_LOOKUP]
        names = list(dict.fromkeys(mention.name for mention in batch))
        matches = dict(zip(names, await search(names), strict=True))
        yield [(mention, matches[mention.name]) for mention in batch if matches[mention.name]]
