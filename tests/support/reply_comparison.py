"""Send the same requests to a retriever over each of two graph stores, and compare whole replies."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from contracts.retrieve import RetrieveRequest, RetrieveResponse
from graph.store import GraphStore
from services.retriever.linking.linker import EntityLinker
from services.retriever.paths.model import RetrieverModel
from services.retriever.paths.paper.model import PaperModel
from services.retriever.replies.path_replies import PathReplies
from services.retriever.replies.retrieval import Retrieval
from shared.errors import KGQAError

# These fields may differ between stores.
_NOT_COMPARED = {"link_ms", "retrieve_ms", "graph_version"}

Reply = RetrieveResponse | str
"""A response, or an error with its detail."""


@dataclass
class ReplyComparison:
    """Collect the replies that differ between two stores, and the milliseconds that each request took."""

    milliseconds: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    different: list[tuple[RetrieveRequest, Reply, Reply]] = field(default_factory=list)


async def compare_replies(
    stores: tuple[GraphStore, GraphStore], model: RetrieverModel | PaperModel, requests: Iterable[RetrieveRequest]
) -> ReplyComparison:
    """Send each request to one retriever per store, and compare the replies."""
    retrievers = [Retrieval(PathReplies(store, EntityLinker(store, model.word_surprisal), model)) for store in stores]
    comparison = ReplyComparison()
    for request in requests:
        replies = []
        for retriever, milliseconds in zip(retrievers, comparison.milliseconds, strict=True):
            started = time.perf_counter()
            replies.append(await _reply(retriever, request))
            milliseconds.append((time.perf_counter() - started) * 1000)
        first, second = replies
        if _compared(first) != _compared(second):
            comparison.different.append((request, first, second))
    return comparison


async def _reply(retrieval: Retrieval, request: RetrieveRequest) -> Reply:
    try:
        return await retrieval.retrieve(request)
    except KGQAError as error:
        return f"{type(error).__name__}: {error.detail}"


def _compared(reply: Reply) -> object:
    return reply if isinstance(reply, str) else _without_ids(reply.model_dump(exclude=_NOT_COMPARED))


def _without_ids(part: Any) -> Any:
    """Remove the ids of nodes, which each store assigns by itself."""
    if isinstance(part, dict):
        return {key: _without_ids(value) for key, value in part.items() if key not in ("id", "ids", "means")}
    return list(map(_without_ids, part)) if isinstance(part, list) else part
