"""The source of what the tools return: answers, and the graph itself."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from contracts.ask import AskRequest, AskResponse
from contracts.graphs import (
    GraphsResponse,
    NeighboursRequest,
    NeighboursResponse,
    SchemaRequest,
    SchemaResponse,
)
from contracts.plans import PlanRequest, PlanResponse
from services.answerer.graph_access import GraphAccess
from services.answerer.pipeline import Asker
from shared.errors import UnreachableError
from shared.outbound.http import ServiceClient
from shared.request_context import current_request_id


class Knowledge(GraphAccess, Protocol):
    """Answer questions, and read the graph."""

    async def ask(self, request: AskRequest) -> AskResponse:
        """Answer a question; raise KGQAError if that is not possible."""
        ...


class LocalKnowledge:
    """Answer in this process; `observe` records the metrics of each answer."""

    def __init__(self, asker: Asker, graph: GraphAccess, observe: Callable[[AskResponse], None]) -> None:
        self._asker = asker
        self._observe = observe
        self.plan = graph.plan
        self.schema = graph.schema
        self.neighbours = graph.neighbours
        self.graphs = graph.graphs

    async def ask(self, request: AskRequest) -> AskResponse:
        """Answer a question; see `Asker.ask`."""
        response = await self._asker.ask(request, current_request_id.get())
        self._observe(response)
        return response


class RemoteKnowledge:
    """Ask a running answerer over HTTP. Raises InvalidInputError if `base_url` is malformed.

    Whoever runs this may know the address, so errors name it.
    """

    def __init__(self, base_url: str, timeout_s: float, api_key: str | None) -> None:
        self._client = ServiceClient("answerer", base_url, timeout_s, api_key)

    async def ask(self, request: AskRequest) -> AskResponse:
        """Call `POST /ask`."""
        with _advised():
            return await self._client.call("/ask", request, AskResponse)

    async def plan(self, request: PlanRequest) -> PlanResponse:
        """Call `POST /plan`."""
        with _advised():
            return await self._client.call("/plan", request, PlanResponse)

    async def schema(self, request: SchemaRequest) -> SchemaResponse:
        """Call `GET /schema`."""
        query = f"?graph={request.graph}" if request.graph else ""
        with _advised():
            return await self._client.fetch(f"/schema{query}", SchemaResponse)

    async def graphs(self) -> GraphsResponse:
        """Call `GET /graphs`."""
        with _advised():
            return await self._client.fetch("/graphs", GraphsResponse)

    async def neighbours(self, request: NeighboursRequest) -> NeighboursResponse:
        """Call `POST /neighbours`."""
        with _advised():
            return await self._client.call("/neighbours", request, NeighboursResponse)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


@contextmanager
def _advised() -> Iterator[None]:
    try:
        yield
    except UnreachableError as error:
        raise UnreachableError(error.detail, f"{error.detail} Start it with: kgqa up") from error
