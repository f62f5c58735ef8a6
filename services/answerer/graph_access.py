"""Look into the graph itself, rather than ask a question about it."""

from typing import Protocol

from contracts.graphs import (
    GraphsResponse,
    NeighboursRequest,
    NeighboursResponse,
    SchemaRequest,
    SchemaResponse,
)
from contracts.plans import PlanRequest, PlanResponse


class GraphAccess(Protocol):
    """Read the graphs that questions are answered from.

    Raises:
        KGQAError: From any method, if the request is invalid, or the graph does not respond.
    """

    async def plan(self, request: PlanRequest) -> PlanResponse:
        """Run a query plan."""
        ...

    async def schema(self, request: SchemaRequest) -> SchemaResponse:
        """Describe what the graph contains."""
        ...

    async def neighbours(self, request: NeighboursRequest) -> NeighboursResponse:
        """Return the properties and the neighbours of an entity."""
        ...

    async def graphs(self) -> GraphsResponse:
        """List the graphs that can be asked, the default one first."""
        ...
