"""Look up the names of mentions in the graph, in batches."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from services.retriever.linking.mentions import Mention
from shared.graph.store import NameMatch

_MENTIONS_PER_LOOKUP = 500


async def look_up(
    mentions: Sequence[Mention], search: Callable[[Sequence[str]], Awaitable[list[list[NameMatch]]]]
) -> AsyncIterator[list[tuple[Mention, list[NameMatch]]]]:
    """Search the graph for mentions, and yield those of each batch that may name something, with the matches.

    `search`: a method of `GraphStore`, called once per batch. Other requests run between batches.
    """
    for start in range(0, len(mentions), _MENTIONS_PER_LOOKUP):
        if start:
            await asyncio.sleep(0)
        batch = mentions[start : start + _MENTIONS_PER_LOOKUP]
        names = list(dict.fromkeys(mention.name for mention in batch))
        matches = dict(zip(names, await search(names), strict=True))
        yield [(mention, matches[mention.name]) for mention in batch if matches[mention.name]]
