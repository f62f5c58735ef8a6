"""Serve the graph itself to callers, who cannot reach the retriever: routes only."""

from typing import Annotated

from fastapi import APIRouter, Query

from contracts.base import GraphName
from contracts.graphs import (
    GraphsResponse,
    NeighboursRequest,
    NeighboursResponse,
    SchemaRequest,
    SchemaResponse,
)
from contracts.plans import PlanRequest, PlanResponse
from services.answerer.graph_access import GraphAccess
from shared.web.openapi import needs_dependency


def graph_router(access: GraphAccess) -> APIRouter:
    """Return the routes, which pass requests on to the retriever."""
    router = APIRouter(tags=["graph"])

    @router.get(
        "/graphs", summary="List the graphs that can be asked", operation_id="graphs", responses=needs_dependency()
    )
    async def graphs() -> GraphsResponse:
        return await access.graphs()

    @router.post("/plan", summary="Run a query plan on the graph", operation_id="run_plan")
    async def plan(request: PlanRequest) -> PlanResponse:
        return await access.plan(request)

    @router.get(
        "/schema", summary="Describe what the graph contains", operation_id="schema", responses=needs_dependency()
    )
    async def schema(graph: Annotated[GraphName | None, Query()] = None) -> SchemaResponse:
        return await access.schema(SchemaRequest(graph=graph))

    @router.post(
        "/neighbours", summary="Show the properties and the neighbours of an entity", operation_id="neighbours"
    )
    async def neighbours(request: NeighboursRequest) -> NeighboursResponse:
        return await access.neighbours(request)

    return router
