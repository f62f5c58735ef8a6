"""Serve the graph itself to callers, who cannot reach the retriever: routes only."""

from fastapi import APIRouter

from services.answerer.graph_access import GraphAccess
from shared.contracts import PlanRequest, PlanResponse
from shared.graph_contracts import NeighboursRequest, NeighboursResponse, SchemaResponse
from shared.web.openapi import needs_dependency


def graph_router(graph: GraphAccess) -> APIRouter:
    """Return the routes, which pass requests on to the retriever."""
    router = APIRouter(tags=["graph"])

    @router.post("/plan", summary="Run a query plan on the graph", operation_id="run_plan")
    async def plan(request: PlanRequest) -> PlanResponse:
        return await graph.plan(request)

    @router.get(
        "/schema", summary="Describe what the graph contains", operation_id="schema", responses=needs_dependency()
    )
    async def schema() -> SchemaResponse:
        return await graph.schema()

    @router.post(
        "/neighbours", summary="Show the properties and the neighbours of an entity", operation_id="neighbours"
    )
    async def neighbours(request: NeighboursRequest) -> NeighboursResponse:
        return await graph.neighbours(request)

    return router
