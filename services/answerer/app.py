"""Serve the answerer over HTTP: routes and wiring only."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI
from prometheus_client import Counter
from starlette.routing import Route

from contracts.ask import AskResponse
from contracts.feedback import FeedbackRequest, FeedbackResponse
from services.answerer.ask_routes import BATCH_PATH, MAX_BATCH_BODY_BYTES, ask_router
from services.answerer.audit_log import Audit, AuditLog
from services.answerer.chat.answering import ChatAnswerer
from services.answerer.chat.evidence_store import EvidenceStore
from services.answerer.chat_routes import CHAT_PATH, MAX_CHAT_BODY_BYTES, chat_router
from services.answerer.clients import HttpRetrieval, HttpRewriting
from services.answerer.feedback import FeedbackFile, FeedbackStore
from services.answerer.graph_routes import graph_router
from services.answerer.mcp.endpoint import MAX_MCP_BODY_BYTES, MCP_PATH, McpEndpoint
from services.answerer.mcp.knowledge import LocalKnowledge
from services.answerer.mcp.server import mcp_server
from services.answerer.page.routes import PAGE_PATHS, PageSettings, page_router
from services.answerer.pipeline import Asker
from services.answerer.restricted_retrieval import RestrictedRetrieval
from services.answerer.settings import AnswererSettings, Wording
from shared.errors import DependencyError, NotFoundError
from shared.llm.client import LanguageModel
from shared.llm.request_coalescing import CoalescingModel
from shared.web.health import MODEL_CHECK, ServiceMetrics
from shared.web.rate_limits import CallerLimits, rate_limiter
from shared.web.service import MAX_QUESTION_BODY_BYTES, create_service


def create_app(
    settings: AnswererSettings, model: LanguageModel | None = None, feedback: FeedbackStore | None = None
) -> FastAPI:
    """Create the answerer's application; tests may pass `model` and `feedback` to replace the configured ones."""
    kept = feedback or (FeedbackFile(settings.feedback_file) if settings.feedback_file else None)
    metrics = ServiceMetrics()
    llm = CoalescingModel(model or settings.language_model(), settings.llm_queue)
    retriever = HttpRetrieval(
        "retriever", settings.retriever_url, settings.retriever_timeout_s, settings.retriever_api_key
    )
    rewriting = HttpRewriting("rewriter", settings.rewriter_url, settings.rewriter_timeout_s, settings.rewriter_api_key)
    keys = settings.keys()
    limits = CallerLimits(rate_limiter(settings), keys, settings.requests_per_minute)
    retrieval = RestrictedRetrieval(retriever, needs_key=keys is not None)
    lost = Counter("kgqa_audit_failures_total", "Replies missing in the audit log", registry=metrics.registry)
    audit_log = AuditLog(settings.audit_log, lost.inc) if settings.audit_log else None
    audit = Audit(audit_log, retrieval.access, llm.name) if audit_log else None
    qa_model = llm if settings.wording is Wording.MODEL else None
    asker = Asker(retrieval, rewriting, qa_model, audit.record if audit else None)

    async def model_is_current() -> bool:
        try:
            return await retriever.model_is_current()
        except DependencyError as error:
            if keys is None or not keys.are_restricted:
                raise
            # Everyone may read this, and the reason names graphs.
            raise DependencyError(error.detail, "a model is older than its graph; the retriever says which") from error

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for client in (retriever, rewriting, llm, limits.limiter):
                stack.push_async_callback(client.close)
            if audit_log:
                await stack.enter_async_context(audit_log.running())
            await stack.enter_async_context(mcp.running())
            yield

    app = create_service(
        "KGQA answerer",
        "Answer questions in plain language from a knowledge graph, with evidence.",
        settings,
        metrics,
        {
            "retriever": retriever.ready,
            "rewriter": rewriting.ready,
            "llm": llm.ready,
            MODEL_CHECK: model_is_current,
        },
        lifespan,
        optional_checks=("rewriter", "llm", MODEL_CHECK),
        max_body_bytes=MAX_QUESTION_BODY_BYTES,
        larger_bodies={
            CHAT_PATH: MAX_CHAT_BODY_BYTES,
            BATCH_PATH: MAX_BATCH_BODY_BYTES,
            MCP_PATH: MAX_MCP_BODY_BYTES,
        },
        keys=keys,
        # Links in replies are opened by browsers, which send no key; their IDs are hashes of the evidence itself.
        open_paths=["/evidence/", *PAGE_PATHS],
        limits=limits,
        cors_origins=settings.cors_origins,
    )

    def observe(response: AskResponse) -> None:
        for step, milliseconds in response.timings_ms:
            metrics.step_seconds.labels(step).observe(milliseconds / 1000)
        if response.abstained:
            metrics.abstained.inc()
        for without in response.degraded:
            metrics.degraded.labels(without).inc()
        for warning in response.warnings:
            metrics.warnings.labels(warning.kind).inc()

    app.include_router(ask_router(asker, observe))
    app.include_router(graph_router(retrieval))
    app.include_router(page_router(PageSettings(feedback=kept is not None, api_key=keys is not None)))
    evidence = EvidenceStore(retrieval.access)
    app.include_router(chat_router(ChatAnswerer(asker, evidence), retrieval, evidence, settings.public_url, observe))
    mcp = McpEndpoint(mcp_server(LocalKnowledge(asker, retrieval, observe), evidence))
    app.router.routes.append(Route(MCP_PATH, mcp, methods=["POST"]))

    @app.post(
        "/feedback",
        tags=["ask"],
        summary="Say what the right answer to a question is, for the next training",
        operation_id="feedback",
        status_code=201,
    )
    async def give_feedback(request: FeedbackRequest) -> FeedbackResponse:
        if kept is None:
            raise NotFoundError("this service keeps no feedback; its operator can set KGQA_ANSWERER_FEEDBACK_FILE")
        graph = request.graph
        if kept.by_graph or graph is not None:
            graph = await retrieval.graph_named(graph)
        await kept.add(request.model_copy(update={"graph": graph}))
        return FeedbackResponse(kept=True)

    return app
