"""Look up the names of mentions in the graph, in batches."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from graph.store import NameMatch
from language.mentions import Mention

_MENTIONS_PER_LOOKUP = 500


async def look_up(
    mentions: Sequence[Mention], search: Callable[[Sequence[str]], Awaitable[list[list[NameMatch]]]]
) -> AsyncIterator[list[tuple[Mention, list[NameMatch]]]]:
    """Search the graph for mentions in batches, and yield the mentions of each batch that match, with their matches.

    `search` is a method of `GraphStore`; it is called once per batch. Other requests can run between batches.
    """
    for start in range(0, len(mentions), _MENTIONS_PER_LOOKUP):
        if start:
            await asyncio.sleep(0)
        batch = mentions[start : start + _MENTIONS_PER_LOOKUP]
        names = list(dict.fromkeys(mention.name for mention in batch))
        matches = dict(zip(names, await search(names), strict=True))
        yield [(mention, matches[mention.name]) for mention in batch if matches[mention.name]]
