"""The retriever over HTTP: routes and wiring, nothing else."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from services.retriever.linking import EntityLinker
from services.retriever.model import load_model
from services.retriever.retrieve import Retriever
from services.retriever.settings import RetrieverSettings
from shared.contracts import RetrieveRequest, RetrieveResponse
from shared.graph.sqlite import SqliteGraphStore
from shared.home import graph_file, retriever_folder
from shared.metrics import ServiceMetrics
from shared.service import create_service, serve

log = logging.getLogger(__name__)


def create_app(settings: RetrieverSettings) -> FastAPI:
    """The retriever for one graph and its trained model."""
    metrics = ServiceMetrics()
    store = SqliteGraphStore(graph_file(settings.graph))
    model = load_model(settings.model or retriever_folder(settings.graph), threshold=settings.threshold)
    retriever = Retriever(store, EntityLinker(store, model.rarity), model)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if model.manifest.graph_version != await store.version():
            log.warning(
                "the retriever was trained on another version of the graph %s; train it again", model.manifest.graph
            )
        yield
        await store.close()

    app = create_service(
        "KGQA retriever",
        "Question to topic entities, relation paths and reasoning paths.",
        metrics,
        lambda: {"graph": store.ready},
        lifespan,
    )

    @app.post("/retrieve", tags=["retrieve"], summary="Find what the graph holds for a question")
    async def retrieve(request: RetrieveRequest) -> RetrieveResponse:
        response = await retriever.retrieve(request)
        metrics.step_seconds.labels("link").observe(response.link_ms / 1000)
        metrics.step_seconds.labels("retrieve").observe(response.retrieve_ms / 1000)
        return response

    return app


def main() -> None:
    """Serve with the settings of the environment."""
    serve(RetrieverSettings, create_app)
