"""Call the retriever and the rewriter over HTTP."""

from shared.contracts import (
    PlanRequest,
    PlanResponse,
    RetrieveRequest,
    RetrieveResponse,
    RewriteRequest,
    RewriteResponse,
)
from shared.errors import DependencyError
from shared.graph_contracts import NeighboursRequest, NeighboursResponse, SchemaResponse
from shared.outbound.http import ServiceClient
from shared.verbalise.morphology import counted


class HttpRetrieval(ServiceClient):
    """Implement `Retrieval` and `GraphAccess` over HTTP."""

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """Call `POST /retrieve`; re-raise the retriever's errors with their original types."""
        return await self.call("/retrieve", request, RetrieveResponse)

    async def plan(self, request: PlanRequest) -> PlanResponse:
        """Call `POST /plan`; re-raise the retriever's errors with their original types."""
        return await self.call("/plan", request, PlanResponse)

    async def schema(self) -> SchemaResponse:
        """Call `GET /schema`."""
        return await self.fetch("/schema", SchemaResponse)

    async def neighbours(self, request: NeighboursRequest) -> NeighboursResponse:
        """Call `POST /neighbours`; re-raise the retriever's errors with their original types."""
        return await self.call("/neighbours", request, NeighboursResponse)


class HttpRewriting(ServiceClient):
    """Implement `Rewriting` over HTTP."""

    async def rewrite(self, request: RewriteRequest) -> RewriteResponse:
        """Call `POST /rewrite`; re-raise the rewriter's errors with their original types."""
        response = await self.call("/rewrite", request, RewriteResponse)
        if len(response.texts) != len(request.evidence):
            texts, items = counted(len(response.texts), "text"), counted(len(request.evidence), "item of evidence")
            raise DependencyError(f"the rewriter returned {texts} for {items}; run the same version of both services")
        return response
