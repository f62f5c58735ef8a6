"""Serve the rewriter over HTTP: routes and wiring only."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from contracts.rewrite import RewriteRequest, RewriteResponse
from services.rewriter.pipeline import Rewriter
from services.rewriter.settings import RewriterSettings
from shared.llm.client import LanguageModel
from shared.llm.request_coalescing import CoalescingModel
from shared.web.health import ServiceMetrics
from shared.web.service import create_service


def create_app(settings: RewriterSettings, model: LanguageModel | None = None) -> FastAPI:
    """Create the rewriter's application; tests may pass `model` to replace the configured language model."""
    metrics = ServiceMetrics()
    llm = CoalescingModel(model or settings.language_model(), settings.llm_queue)
    cache = settings.text_cache()
    rewriter = Rewriter(llm, cache)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await llm.close()
        await cache.close()

    app = create_service(
        "KGQA rewriter",
        "Verbalise reasoning paths.",
        settings,
        metrics,
        {"llm": llm.ready},
        lifespan,
        keys=settings.keys(),
    )

    @app.post("/rewrite", tags=["rewrite"], summary="Verbalise evidence")
    async def rewrite(request: RewriteRequest) -> RewriteResponse:
        with metrics.step_seconds.labels("rewrite").time():
            response = await rewriter.rewrite(request)
        for without in response.degraded:
            metrics.degraded.labels(without).inc()
        return response

    return app
