"""The retriever and the rewriter as the answerer sees them over HTTP."""

from shared.contracts import RetrieveRequest, RetrieveResponse, RewriteRequest, RewriteResponse
from shared.errors import DependencyError
from shared.outbound.http import ServiceClient


class HttpRetrieval(ServiceClient):
    """`POST /retrieve` of a retriever."""

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """What the graph holds for a question; errors as the retriever raised them."""
        return await self.call("/retrieve", request, RetrieveResponse)


class HttpRewriting(ServiceClient):
    """`POST /rewrite` of a rewriter."""

    async def rewrite(self, request: RewriteRequest) -> RewriteResponse:
        """One text for each item of evidence; errors as the rewriter raised them."""
        response = await self.call("/rewrite", request, RewriteResponse)
        if len(response.texts) != len(request.evidence):
            raise DependencyError(
                f"the rewriter gave {len(response.texts)} texts for {len(request.evidence)} items of evidence; "
                "do both run the same version?"
            )
        return response
