"""Define what a retrieval strategy does."""

from typing import Protocol

from contracts.retrieve import RetrieveRequest, RetrieveResponse


class RetrievalStrategy(Protocol):
    """Find answers with evidence in one way. Implementations are safe for concurrent use in one event loop."""

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """Answer a request, or abstain with an empty list of answers.

        Raises:
            InvalidInputError: The request does not make sense for the graph, or exceeds a limit.
            UnknownEntityError: The graph does not have the given topic entity.
            DependencyError: The graph store or the language model does not respond.
        """
        ...
