"""Serve the answerer over HTTP: routes and wiring only."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from fastapi import FastAPI
from prometheus_client import Counter
from starlette.routing import Route

from contracts.ask import AskResponse
from services.answerer.ask_routes import BATCH_PATH, MAX_BATCH_BODY_BYTES, ask_router
from services.answerer.audit_log import Audit, AuditLog
from services.answerer.chat.answering import ChatAnswerer
from services.answerer.chat.evidence_store import EvidenceStore
from services.answerer.chat_routes import CHAT_PATH, MAX_CHAT_BODY_BYTES, chat_router
from services.answerer.clients import HttpRetrieval, HttpRewriting
from services.answerer.feedback import FeedbackFile, FeedbackStore
from services.answerer.feedback_routes import feedback_router
from services.answerer.graph_routes import graph_router
from services.answerer.mcp.endpoint import MAX_MCP_BODY_BYTES, MCP_PATH, McpEndpoint
from services.answerer.mcp.knowledge import LocalKnowledge
from services.answerer.mcp.server import mcp_server
from services.answerer.page.routes import PAGE_PATHS, PageSettings, page_router
from services.answerer.pipeline import Asker
from services.answerer.restricted_retrieval import RestrictedRetrieval
from services.answerer.settings import AnswererSettings, Wording
from shared.api_keys import ApiKeys
from shared.errors import DependencyError
from shared.llm.client import LanguageModel
from shared.llm.request_coalescing import CoalescingModel
from shared.web.health import MODEL_CHECK, ServiceMetrics
from shared.web.rate_limits import CallerLimits, rate_limiter
from shared.web.service import MAX_QUESTION_BODY_BYTES, create_service


@dataclass(frozen=True)
class _Parts:
    """Hold what the routes use."""

    retriever: HttpRetrieval
    rewriting: HttpRewriting
    llm: LanguageModel
    limits: CallerLimits
    keys: ApiKeys | None
    audit_log: AuditLog | None

    async def model_is_current(self) -> bool:
        """Return whether no model is older than its graph; name the graph to operators only."""
        try:
            return await self.retriever.model_is_current()
        except DependencyError as error:
            if self.keys is None or not self.keys.are_restricted:
                raise
            # Everyone may read this, and the reason names graphs.
            raise DependencyError(error.detail, "a model is older than its graph; the retriever says which") from error

    @asynccontextmanager
    async def running(self, mcp: McpEndpoint) -> AsyncIterator[None]:
        """Run what runs beside requests, and close the clients at the end."""
        async with AsyncExitStack() as stack:
            for client in (self.retriever, self.rewriting, self.llm, self.limits.limiter):
                stack.push_async_callback(client.close)
            if self.audit_log:
                await stack.enter_async_context(self.audit_log.running())
            await stack.enter_async_context(mcp.running())
            yield


def create_app(
    settings: AnswererSettings, model: LanguageModel | None = None, feedback: FeedbackStore | None = None
) -> FastAPI:
    """Create the answerer's application; tests may pass `model` and `feedback` to replace the configured ones."""
    kept = feedback or (FeedbackFile(settings.feedback_file) if settings.feedback_file else None)
    metrics = ServiceMetrics()
    parts = _parts(settings, model, metrics)
    retrieval = RestrictedRetrieval(parts.retriever, needs_key=parts.keys is not None)
    audit = Audit(parts.audit_log, retrieval.access, parts.llm.name) if parts.audit_log else None
    qa_model = parts.llm if settings.wording is Wording.MODEL else None
    asker = Asker(retrieval, parts.rewriting, qa_model, audit.record if audit else None, settings.cost_of_wrong)
    observe = partial(_observe, metrics)
    evidence = EvidenceStore(retrieval.access)
    mcp = McpEndpoint(mcp_server(LocalKnowledge(asker, retrieval, observe), evidence))
    app = _service(settings, metrics, parts, mcp)
    app.include_router(ask_router(asker, observe))
    app.include_router(graph_router(retrieval))
    app.include_router(page_router(PageSettings(feedback=kept is not None, api_key=parts.keys is not None)))
    app.include_router(chat_router(ChatAnswerer(asker, evidence), retrieval, evidence, settings.public_url, observe))
    app.include_router(feedback_router(kept, retrieval))
    app.router.routes.append(Route(MCP_PATH, mcp, methods=["POST"]))
    return app


def _parts(settings: AnswererSettings, model: LanguageModel | None, metrics: ServiceMetrics) -> _Parts:
    keys = settings.keys()
    lost = Counter("kgqa_audit_failures_total", "Replies missing in the audit log", registry=metrics.registry)
    return _Parts(
        HttpRetrieval("retriever", settings.retriever_url, settings.retriever_timeout_s, settings.retriever_api_key),
        HttpRewriting("rewriter", settings.rewriter_url, settings.rewriter_timeout_s, settings.rewriter_api_key),
        CoalescingModel(model or settings.language_model(), settings.llm_queue),
        CallerLimits(rate_limiter(settings), keys, settings.requests_per_minute),
        keys,
        AuditLog(settings.audit_log, lost.inc) if settings.audit_log else None,
    )


def _service(settings: AnswererSettings, metrics: ServiceMetrics, parts: _Parts, mcp: McpEndpoint) -> FastAPI:
    """Create the application without its routes."""
    return create_service(
        "KGQA answerer",
        "Answer questions in plain language from a knowledge graph, with evidence.",
        settings,
        metrics,
        {
            "retriever": parts.retriever.ready,
            "rewriter": parts.rewriting.ready,
            "llm": parts.llm.ready,
            MODEL_CHECK: parts.model_is_current,
        },
        lambda _: parts.running(mcp),
        optional_checks=("rewriter", "llm", MODEL_CHECK),
        max_body_bytes=MAX_QUESTION_BODY_BYTES,
        larger_bodies={
            CHAT_PATH: MAX_CHAT_BODY_BYTES,
            BATCH_PATH: MAX_BATCH_BODY_BYTES,
            MCP_PATH: MAX_MCP_BODY_BYTES,
        },
        keys=parts.keys,
        # Links in replies are opened by browsers, which send no key; their IDs are hashes of the evidence itself.
        open_paths=["/evidence/", *PAGE_PATHS],
        limits=parts.limits,
        cors_origins=settings.cors_origins,
    )


def _observe(metrics: ServiceMetrics, response: AskResponse) -> None:
    """Count what a reply says of itself."""
    for step, milliseconds in response.timings_ms:
        metrics.step_seconds.labels(step).observe(milliseconds / 1000)
    if response.abstained:
        metrics.abstained.inc()
    for without in response.degraded:
        metrics.degraded.labels(without).inc()
    for warning in response.warnings:
        metrics.warnings.labels(warning.kind).inc()
