"""What the tools need: answers, and the graph itself."""

from collections.abc import Callable
from typing import Protocol

from services.answerer.graph_access import GraphAccess
from services.answerer.pipeline import Asker
from shared.contracts import AskRequest, AskResponse, PlanRequest, PlanResponse
from shared.graph_contracts import NeighboursRequest, NeighboursResponse, SchemaResponse
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

    async def ask(self, request: AskRequest) -> AskResponse:
        """Answer a question; see `Asker.ask`."""
        response = await self._asker.ask(request, current_request_id.get())
        self._observe(response)
        return response


class RemoteKnowledge(ServiceClient):
    """Ask a running answerer over HTTP."""

    async def ask(self, request: AskRequest) -> AskResponse:
        """Call `POST /ask`."""
        return await self.call("/ask", request, AskResponse)

    async def plan(self, request: PlanRequest) -> PlanResponse:
        """Call `POST /plan`."""
        return await self.call("/plan", request, PlanResponse)

    async def schema(self) -> SchemaResponse:
        """Call `GET /schema`."""
        return await self.fetch("/schema", SchemaResponse)

    async def neighbours(self, request: NeighboursRequest) -> NeighboursResponse:
        """Call `POST /neighbours`."""
        return await self.call("/neighbours", request, NeighboursResponse)
