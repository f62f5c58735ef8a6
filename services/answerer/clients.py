"""Call the retriever and the rewriter over HTTP."""

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import BaseModel, SecretStr, ValidationError

from contracts.graphs import (
    GraphsResponse,
    NeighboursRequest,
    NeighboursResponse,
    SchemaRequest,
    SchemaResponse,
)
from contracts.plans import PlanRequest, PlanResponse
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from contracts.rewrite import RewriteRequest, RewriteResponse
from language.english.morphology import counted
from shared.errors import DependencyError, RefusedError, UnauthenticatedError
from shared.outbound.http import Response, ServiceClient
from shared.web.health import MODEL_CHECK, ReadinessReport


class InternalClient(ServiceClient):
    """Call another service of the same deployment, with the key that it expects of this one."""

    def __init__(self, name: str, base_url: str, timeout_s: float, api_key: SecretStr | None = None) -> None:
        super().__init__(name, base_url, timeout_s, api_key.get_secret_value().strip() if api_key else None)
        self._name = name

    async def call(self, route: str, request: BaseModel, response: type[Response]) -> Response:
        """Return the parsed response; the service's own callers need not hear of a wrong key between services."""
        with self._own_refusals():
            return await super().call(route, request, response)

    async def fetch(self, route: str, response: type[Response]) -> Response:
        """Return the parsed response to a GET, as `call` does."""
        with self._own_refusals():
            return await super().fetch(route, response)

    @contextmanager
    def _own_refusals(self) -> Iterator[None]:
        try:
            yield
        except UnauthenticatedError as error:
            variable = f"KGQA_ANSWERER_{self._name.upper()}_API_KEY"
            raise RefusedError(
                f"the {self._name} does not accept the key in {variable}; set it to a key whose hash is in "
                f"KGQA_{self._name.upper()}_API_KEYS"
            ) from error


class HttpRetrieval(InternalClient):
    """Implement `Retrieval` and `GraphAccess` over HTTP."""

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """Call `POST /retrieve`; re-raise the retriever's errors with their original types."""
        return await self.call("/retrieve", request, RetrieveResponse)

    async def plan(self, request: PlanRequest) -> PlanResponse:
        """Call `POST /plan`; re-raise the retriever's errors with their original types."""
        return await self.call("/plan", request, PlanResponse)

    async def schema(self, request: SchemaRequest) -> SchemaResponse:
        """Call `POST /schema`; re-raise the retriever's errors with their original types."""
        return await self.call("/schema", request, SchemaResponse)

    async def graphs(self) -> GraphsResponse:
        """Call `GET /graphs`."""
        return await self.fetch("/graphs", GraphsResponse)

    async def neighbours(self, request: NeighboursRequest) -> NeighboursResponse:
        """Call `POST /neighbours`; re-raise the retriever's errors with their original types."""
        return await self.call("/neighbours", request, NeighboursResponse)

    async def model_is_current(self) -> bool:
        """Return True unless the retriever reports that its model is older than the graph; raise the reason if it does.

        A retriever that does not respond fails another check.
        """
        try:
            _, content = await self._http.request("/readyz")
            report = ReadinessReport.model_validate_json(content)
        except (DependencyError, ValidationError):
            return True
        if report.checks.get(MODEL_CHECK, True):
            return True
        reason = (report.reasons or {}).get(MODEL_CHECK, "the model is older than the graph; retrain the retriever")
        raise DependencyError(reason, reason)


class HttpRewriting(InternalClient):
    """Implement `Rewriting` over HTTP."""

    async def rewrite(self, request: RewriteRequest) -> RewriteResponse:
        """Call `POST /rewrite`; re-raise the rewriter's errors with their original types."""
        response = await self.call("/rewrite", request, RewriteResponse)
        if len(response.texts) != len(request.evidence):
            texts, items = counted(len(response.texts), "text"), counted(len(request.evidence), "item of evidence")
            raise DependencyError(f"the rewriter returned {texts} for {items}; run the same version of both services")
        return response
