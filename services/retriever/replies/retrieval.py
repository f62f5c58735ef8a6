"""Let requests in: parse the question of each, once, and write its reply as a message."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Protocol

from contracts.retrieve import RetrieveRequest, RetrieveResponse
from graph.store import GraphStore
from language.english.relation_words import calling
from services.retriever.execution.said_names import said_names
from services.retriever.linking.meant_nodes import with_meant_nodes
from services.retriever.replies.asked import Asked
from services.retriever.replies.messages import as_message, used_names
from services.retriever.replies.reply import AnyReply


class RetrievalStrategy(Protocol):
    """Find answers with evidence in one way. Implementations are safe for concurrent use in one event loop."""

    async def reply(self, asked: Asked) -> AnyReply:
        """Answer a question, or abstain with a reply that has no answers.

        Raises:
            InvalidInputError: The request does not make sense for the graph, or exceeds a limit.
            UnknownEntityError: The graph does not have the given topic entity.
            DependencyError: The graph store or the language model does not respond.
        """
        ...


class Retrieval:
    """Answer retrieval requests by a strategy. Safe for concurrent use in one event loop.

    Example:
        >>> retrieval = Retrieval(PathReplies(store, EntityLinker(store, model.word_surprisal), model))
        >>> response = await retrieval.retrieve(RetrieveRequest(question="Which countries border France?"))
        >>> response.relation_paths[0].relations
        ['borders']
    """

    def __init__(
        self, strategy: RetrievalStrategy, today: Callable[[], date] = date.today, store: GraphStore | None = None
    ) -> None:
        """Answer by a strategy; `today` says on which day questions are asked.

        Texts say the elements of the graph in `store` as its owner does.
        """
        self._strategy = strategy
        self._today = today
        self._store = store

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """Answer a request, with evidence and a confidence.

        Raises:
            KGQAError: The strategy failed; see `RetrievalStrategy.reply`.
        """
        names = said_names((await self._store.schema()).meanings) if self._store is not None else {}
        asked = Asked.of(request, self._today())
        if self._store is not None:
            question = await with_meant_nodes(self._store, asked.question, request.means, request.among)
            asked = replace(asked, question=question)
        with calling(names):
            response = as_message(await self._strategy.reply(asked))
        return response.model_copy(update={"said": used_names(response, names)}) if names else response
