"""Serve the retriever over HTTP."""

import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI

from services.retriever.execution.plans import run_plan
from services.retriever.prediction.model_folder import Manifest
from services.retriever.settings import RetrieverSettings
from services.retriever.wiring import assemble_retriever, assemble_strategies
from shared.contracts import PlanRequest, PlanResponse, RetrieveRequest, RetrieveResponse
from shared.errors import DependencyError
from shared.graph.opening import open_graph
from shared.graph.store import GraphStore, split_step
from shared.paths import retriever_folder
from shared.web.health import ServiceMetrics
from shared.web.openapi import link_to_topic
from shared.web.service import MAX_QUESTION_BODY_BYTES, create_service

log = logging.getLogger(__name__)


def create_app(settings: RetrieverSettings) -> FastAPI:
    """Create the service for one graph and its trained model."""
    metrics = ServiceMetrics()
    store = open_graph(settings.graph)
    folder = settings.model or retriever_folder(settings.graph)
    assembled = assemble_retriever(store, folder, settings.threshold)
    retriever = assembled.retriever
    strategies = assemble_strategies(store, folder, retriever)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if assembled.paths is not None:
            await _warn_if_relations_differ(store, assembled.paths)
        with suppress(DependencyError):
            await retriever.ready()  # begins to read the graph, so that no question waits for it
        yield
        await store.close()

    app = create_service(
        "KGQA retriever",
        "Find topic entities, relation paths, and reasoning paths for a question.",
        settings,
        metrics,
        {"graph": store.ready, "plans": retriever.ready},
        lifespan,
        max_body_bytes=MAX_QUESTION_BODY_BYTES,
    )

    @app.post(
        "/retrieve",
        tags=["retrieve"],
        summary="Find answers and evidence in the graph for a question",
        operation_id="retrieve",
        responses=link_to_topic("retrieve"),
    )
    async def retrieve(request: RetrieveRequest) -> RetrieveResponse:
        response = await strategies.retrieve(request)
        metrics.step_seconds.labels("link").observe(response.link_ms / 1000)
        metrics.step_seconds.labels("retrieve").observe(response.retrieve_ms / 1000)
        return response

    @app.post(
        "/plan",
        tags=["plan"],
        summary="Run a query plan on the graph",
        operation_id="run_plan",
    )
    async def plan(request: PlanRequest) -> PlanResponse:
        response = await run_plan(store, request)
        metrics.step_seconds.labels("plan").observe(response.run_ms / 1000)
        return response

    return app


async def _warn_if_relations_differ(store: GraphStore, manifest: Manifest) -> None:
    try:
        await store.check()
        in_graph = set(await store.relations())
    except DependencyError as error:
        log.warning("%s", error)  # the readiness check fails as well
        return
    in_model = {split_step(step)[0] for step in manifest.steps}
    if missing := sorted(in_model - in_graph):
        log.warning("the retriever was trained on relations that the graph lacks: %s", ", ".join(missing))
    if unknown := sorted(in_graph - in_model):
        log.warning("the graph has relations unknown to the retriever (%s); retrain the retriever", ", ".join(unknown))


def create_frozen_app(settings: RetrieverSettings) -> FastAPI:
    """Create the service, exempting its objects from garbage collection, which would block the event loop for 40 ms."""
    app = create_app(settings)
    gc.freeze()
    return app
