"""Serve the retriever over HTTP."""

import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI

from contracts.graphs import (
    GraphsResponse,
    NeighboursResponse,
    SchemaRequest,
    SchemaResponse,
    ScopedNeighboursRequest,
    ServedGraphDescription,
)
from contracts.plans import PlanResponse, ScopedPlanRequest
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from graph.opening import require_own_databases
from graph.plan.schema_json import schema_as_json
from services.retriever.execution.neighbours import neighbours
from services.retriever.execution.plan_places import PlanPlaces
from services.retriever.execution.plans import run_plan
from services.retriever.serving.hot_reload import HotReload, fingerprint
from services.retriever.serving.served_graph import ServedGraph, load_graph, watched_files
from services.retriever.serving.served_graphs import ServedGraphs
from services.retriever.settings import RetrieverSettings
from shared.errors import DependencyError
from shared.llm.client import LanguageModel
from shared.llm.request_coalescing import CoalescingModel
from shared.web.health import MODEL_CHECK, Check, ServiceMetrics
from shared.web.openapi import link_to_topic, needs_dependency
from shared.web.service import MAX_QUESTION_BODY_BYTES, create_service

log = logging.getLogger(__name__)


def create_app(settings: RetrieverSettings, model: LanguageModel | None = None) -> FastAPI:
    """Create the service for graphs and their trained models; tests may pass `model` to replace the language model."""
    client = model or settings.language_model()
    llm = CoalescingModel(client, settings.max_in_flight) if client else None
    metrics = ServiceMetrics()
    each = settings.of_each_graph()
    require_own_databases(each)
    graphs = ServedGraphs({name: _reload(one, llm) for name, one in each.items()})

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        for served in graphs.current():
            await _prepare(served)
        async with graphs.watching(_report):
            yield
        if llm:
            await llm.close()

    checks: dict[str, Check] = {
        "graph": graphs.responds,
        "plans": graphs.ready,
        MODEL_CHECK: graphs.models_are_current,
        "reload": graphs.up_to_date,
    }
    if len(each) > 1:
        checks["graphs"] = graphs.all_ready
    if llm:
        checks["llm"] = llm.ready
    app = create_service(
        "KGQA retriever",
        "Find topic entities, relation paths, and reasoning paths for a question.",
        settings,
        metrics,
        checks,
        lifespan,
        optional_checks=(MODEL_CHECK, "reload", "llm", "graphs"),
        max_body_bytes=MAX_QUESTION_BODY_BYTES,
        keys=settings.keys(),
    )
    _add_retrieval(app, graphs, metrics)
    _add_graph(app, graphs, metrics)
    return app


def _reload(settings: RetrieverSettings, model: LanguageModel | None) -> HotReload[ServedGraph]:
    watched = watched_files(settings)
    return HotReload(lambda: load_graph(settings, model), lambda: fingerprint(*watched))


async def _prepare(served: ServedGraph) -> None:
    """Begin to read a graph and its names, so that no question waits for it, and report what does not fit."""
    await served.warn_if_relations_differ()
    with suppress(DependencyError):
        await served.store.ready()
    with suppress(DependencyError):
        await served.ready()
        await served.trusted.check()


def _add_retrieval(app: FastAPI, graphs: ServedGraphs, metrics: ServiceMetrics) -> None:
    @app.post(
        "/retrieve",
        tags=["retrieve"],
        summary="Find answers and evidence in the graph for a question",
        operation_id="retrieve",
        responses=link_to_topic("retrieve"),
    )
    async def retrieve(request: RetrieveRequest) -> RetrieveResponse:
        with graphs.use(request.graph) as served:
            response = await served.within(request.scope).retrieval.retrieve(request)
        metrics.step_seconds.labels("link").observe(response.link_ms / 1000)
        metrics.step_seconds.labels("retrieve").observe(response.retrieve_ms / 1000)
        return response


def _add_graph(app: FastAPI, graphs: ServedGraphs, metrics: ServiceMetrics) -> None:
    places = PlanPlaces()

    @app.post(
        "/plan",
        tags=["plan"],
        summary="Run a query plan on the graph",
        operation_id="run_plan",
    )
    async def plan(request: ScopedPlanRequest) -> PlanResponse:
        with graphs.use(request.graph) as served:
            async with places.place():
                response = await run_plan(served.within(request.scope).store, request)
        metrics.step_seconds.labels("plan").observe(response.run_ms / 1000)
        return response

    @app.get("/graphs", tags=["graph"], summary="List the graphs that can be asked", operation_id="graphs")
    async def list_graphs() -> GraphsResponse:
        described = (
            ServedGraphDescription(name=served.graph, strategies=served.strategies.available)
            for served in graphs.current()
        )
        return GraphsResponse(graphs=list(described))

    @app.get(
        "/schema",
        tags=["graph"],
        summary="Describe what the default graph contains",
        operation_id="schema",
        responses=needs_dependency(),
    )
    async def schema() -> SchemaResponse:
        return await describe(SchemaRequest())

    @app.post("/schema", tags=["graph"], summary="Describe what a graph contains", operation_id="schema_of")
    async def describe(request: SchemaRequest) -> SchemaResponse:
        with graphs.use(request.graph) as served:
            store = served.within(request.scope).store
            return SchemaResponse(**schema_as_json(await store.schema()), graph_version=await store.version())

    @app.post(
        "/neighbours",
        tags=["graph"],
        summary="Show the properties and the neighbours of an entity",
        operation_id="neighbours",
    )
    async def look_around(request: ScopedNeighboursRequest) -> NeighboursResponse:
        with graphs.use(request.graph) as served:
            return await neighbours(served.within(request.scope).store, request)


async def _report(served: ServedGraph) -> None:
    version = await served.store.version()
    log.info("the files of the graph %s have changed; version %s is served now", served.graph, version)
    await served.warn_if_relations_differ()
    with suppress(DependencyError):
        await served.trusted.check()


def create_frozen_app(settings: RetrieverSettings) -> FastAPI:
    """Create the service, exempting its objects from garbage collection, which would block the event loop for 40 ms."""
    app = create_app(settings)
    gc.freeze()
    return app
