"""Let each caller see only what its API key allows. All calls of the retriever pass through here."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar

from pydantic import BaseModel

from contracts.graphs import (
    SCOPED_STRATEGIES,
    GraphsResponse,
    NeighboursRequest,
    NeighboursResponse,
    SchemaRequest,
    SchemaResponse,
    ScopedNeighboursRequest,
    ServedGraphDescription,
)
from contracts.plans import PlanRequest, PlanResponse, ScopedPlanRequest
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from services.answerer.graph_access import GraphAccess
from services.answerer.pipeline import Retrieval
from shared.access import EVERYTHING, Access, current_access, unknown_graph
from shared.errors import UnauthenticatedError, UnknownGraphError

_Request = TypeVar("_Request", bound=BaseModel)


class Retriever(Retrieval, GraphAccess, Protocol):
    """Everything that the answerer asks of a retriever."""


class RestrictedRetrieval:
    """Implement `Retrieval` and `GraphAccess` for the caller of the current request.

    Raises:
        UnknownGraphError: From any method, if the caller may not see the graph, or if there is none of this name.
        ForbiddenError: From any method, if the scope of the caller's key does not fit the graph.
    """

    def __init__(self, retriever: Retriever, needs_key: bool) -> None:
        """Restrict calls of `retriever`; if callers need a key, nothing is visible to requests without one."""
        self._retriever = retriever
        self._needs_key = needs_key

    def access(self) -> Access:
        """Return what the caller of the current request may see."""
        access = current_access.get()
        if access is not None:
            return access
        if self._needs_key:
            raise UnauthenticatedError("this request needs an API key")
        return EVERYTHING

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """Retrieve answers from the graph; see `Retrieval.retrieve`."""
        restricted = self._restricted(request, request.graph)
        async with self._suggesting(request.graph):
            response = await self._retriever.retrieve(restricted)
        if restricted.graph is None:
            return response
        # Texts are cached by the version, and graphs may have equal versions.
        return response.model_copy(update={"graph_version": f"{restricted.graph} {response.graph_version}"})

    async def plan(self, request: PlanRequest) -> PlanResponse:
        """Run a query plan."""
        scoped = ScopedPlanRequest.model_construct(**dict(request))
        async with self._suggesting(request.graph):
            return await self._retriever.plan(self._restricted(scoped, request.graph))

    async def schema(self, request: SchemaRequest) -> SchemaResponse:
        """Describe what the graph contains."""
        async with self._suggesting(request.graph):
            return await self._retriever.schema(self._restricted(request, request.graph))

    async def neighbours(self, request: NeighboursRequest) -> NeighboursResponse:
        """Return the properties and the neighbours of an entity."""
        scoped = ScopedNeighboursRequest.model_construct(**dict(request))
        async with self._suggesting(request.graph):
            return await self._retriever.neighbours(self._restricted(scoped, request.graph))

    async def graphs(self) -> GraphsResponse:
        """List the graphs that the caller may ask, its default graph first."""
        served = {graph.name: graph for graph in (await self._retriever.graphs()).graphs}
        names = self.access().graphs
        visible = list(served) if names is None else [name for name in names if name in served]
        return GraphsResponse(graphs=[self._offered(served[name]) for name in visible])

    async def graph_named(self, name: str | None) -> str:
        """Return the name of a graph that the caller may ask; by default, that of its default graph."""
        self.access().graph(name)
        names = [graph.name for graph in (await self.graphs()).graphs]
        if name is None and names:
            return names[0]
        if name is None or name not in names:
            raise unknown_graph(name or self.access().graph(None) or "", names)
        return name

    @asynccontextmanager
    async def _suggesting(self, graph: str | None) -> AsyncIterator[None]:
        """Suggest graphs in place of one that is not served; only this service knows which ones the caller may see."""
        try:
            yield
        except UnknownGraphError:
            if graph is None:
                raise
            raise unknown_graph(graph, [one.name for one in (await self.graphs()).graphs]) from None

    def _restricted(self, request: _Request, graph: str | None) -> _Request:
        """Return the request about the caller's graph, within the caller's scope."""
        access = self.access()
        return request.model_copy(update={"graph": access.graph(graph), "scope": access.scope})

    def _offered(self, graph: ServedGraphDescription) -> ServedGraphDescription:
        """Leave out the strategies that cannot keep to the caller's scope."""
        if not self.access().scope:
            return graph
        return ServedGraphDescription(
            name=graph.name, strategies=[one for one in graph.strategies if one in SCOPED_STRATEGIES]
        )
