"""A question is one trace across the services, and no span has the contents of questions, answers, or the graph."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from starlette.requests import Request

from contracts.answers import EvidenceTriples
from contracts.rewrite import RewriteRequest
from services.answerer.app import create_app
from services.answerer.settings import AnswererSettings
from services.retriever.app import create_app as create_retriever
from services.retriever.settings import RetrieverSettings
from services.rewriter.app import create_app as create_rewriter
from services.rewriter.settings import RewriterSettings
from shared.paths import graph_file
from shared.tracing.opentelemetry_tracer import OpenTelemetryTracer
from shared.triple import Triple
from shared.web.middleware.tracing import TracingMiddleware
from tests.fakes.llm import ScriptedModel
from tests.fakes.serving import NOBODY, serving
from tests.support.property_graphs import write_graph_file
from tests.support.tenants import tenant_graph
from tests.support.waiting import until
from tests.unit.services.answerer.test_app import retriever as retriever_of_capitals
from tests.unit.services.answerer.test_app import rewriter

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
QUESTION = "Which documents did Ada Lind write?"
CONTENTS = ("Ada", "Lind", "Report", "WROTE", "documents")


@dataclass(frozen=True)
class Traces:
    """The spans of all services, in one exporter."""

    exporter: InMemorySpanExporter
    with_contents: bool

    def middleware(self, app: FastAPI, service: str) -> FastAPI:
        provider = TracerProvider(resource=Resource({"service.name": service}), shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        tracer = OpenTelemetryTracer(provider, with_contents=self.with_contents)
        app.add_middleware(TracingMiddleware, tracer=tracer)
        return app

    def named(self) -> dict[tuple[object, str], ReadableSpan]:
        """Return the spans by their service and name."""
        return {
            (span.resource.attributes["service.name"], span.name): span for span in self.exporter.get_finished_spans()
        }

    def text(self) -> str:
        return "".join(span.to_json() for span in self.exporter.get_finished_spans())


@asynccontextmanager
async def stack(tmp_path: Path, traces: Traces) -> AsyncIterator[httpx.AsyncClient]:
    """Serve all three services, and ask the answerer as a caller with a trace of its own."""
    graph_file("docs").parent.mkdir()
    write_graph_file(tenant_graph(), graph_file("docs"))
    model = ScriptedModel(lambda _: "Nothing.")
    async with AsyncExitStack() as running:

        async def serve(app: FastAPI, service: str) -> str:
            return await running.enter_async_context(serving(traces.middleware(app, service)))

        retriever = await serve(create_retriever(RetrieverSettings(graph="docs")), "retriever")
        rewriter = await serve(create_rewriter(RewriterSettings(), model), "rewriter")
        settings = AnswererSettings(retriever_url=retriever, rewriter_url=rewriter)
        answerer = await serve(create_app(settings, model=model), "answerer")
        http = httpx.AsyncClient(base_url=answerer, trust_env=False, timeout=None, headers={"traceparent": CALLER})
        client = await running.enter_async_context(http)
        await until(lambda: _is_ready(retriever))
        yield client


async def _is_ready(url: str) -> bool:
    async with httpx.AsyncClient(base_url=url, trust_env=False) as http:
        return (await http.get("/readyz")).status_code == 200


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], Traces]:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path))
    monkeypatch.delenv("KGQA_NEO4J_URL", raising=False)
    return lambda with_contents: Traces(InMemorySpanExporter(), with_contents)


def parents(spans: Mapping[tuple[object, str], ReadableSpan], service: str, name: str) -> list[tuple[object, str]]:
    """Return the services and names of the spans around a span, the innermost first."""
    by_id = {span.context.span_id: key for key, span in spans.items()}
    found, parent = [], spans[service, name].parent
    while parent is not None and parent.span_id in by_id:
        found.append(by_id[parent.span_id])
        parent = spans[found[-1]].parent
    return found


async def test_a_question_is_one_trace_with_a_span_for_each_stage(
    tmp_path: Path, make: Callable[[bool], Traces]
) -> None:
    traces = make(False)
    async with stack(tmp_path, traces) as http:
        reply = await http.post("/ask", json={"question": QUESTION})

    assert reply.json()["answers"]
    spans = traces.named()
    asked = ("answerer", "POST /ask")
    called = [("answerer", "POST /retrieve"), ("answerer", "retrieve"), asked]
    in_retriever = [("retriever", "strategy plan"), ("retriever", "POST /retrieve"), *called]
    for stage in ("link", "predict plans", "execute", "collect evidence"):
        assert parents(spans, "retriever", stage) == in_retriever
    assert parents(spans, "answerer", "answer") == [asked]
    assert {span.context.trace_id for span in spans.values()} == {int(CALLER.split("-")[1], 16)}
    root = spans[asked]
    assert root.parent is not None
    assert root.parent.span_id == int(CALLER.split("-")[2], 16)
    assert root.attributes is not None
    assert root.attributes["http.response.status_code"] == 200
    assert root.attributes["kgqa.request_id"] == reply.json()["request_id"]


async def test_a_path_question_reaches_the_rewriter_and_the_model_in_the_same_trace(
    make: Callable[[bool], Traces],
) -> None:
    traces = make(False)
    facts = [Triple("Ada Lind", "WROTE", "Solar Report"), Triple("Solar Report", "coaches", "Coal Memo")]
    two_facts = RewriteRequest(evidence=[EvidenceTriples(triples=facts)]).model_dump(mode="json")
    model = ScriptedModel(lambda _: "Nothing.")
    settings = RewriterSettings()
    async with AsyncExitStack() as running:
        own = traces.middleware(create_rewriter(settings, model), "rewriter")
        url = await running.enter_async_context(serving(own))
        found = await running.enter_async_context(serving(retriever_of_capitals()))
        answerer = AnswererSettings(retriever_url=found, rewriter_url=url)
        app = traces.middleware(create_app(answerer, model=ScriptedModel(lambda _: "Paris")), "answerer")
        http = httpx.AsyncClient(base_url=await running.enter_async_context(serving(app)), trust_env=False)
        async with http:
            await http.post("/ask", json={"question": "capital of France?"})
        async with httpx.AsyncClient(base_url=url, trust_env=False) as direct:
            await direct.post("/rewrite", json=two_facts)

    first, second = _by_trace(traces.exporter.get_finished_spans())
    asked = ("answerer", "POST /ask")
    assert parents(first, "rewriter", "verbalise") == [
        ("rewriter", "POST /rewrite"), ("answerer", "POST /rewrite"), ("answerer", "rewrite"), asked,
    ]  # fmt: skip
    assert parents(first, "answerer", "language model") == [("answerer", "answer"), asked]
    assert parents(second, "rewriter", "language model") == [("rewriter", "verbalise"), ("rewriter", "POST /rewrite")]
    assert "Memo" not in traces.text()
    assert "France" not in traces.text()


def _by_trace(spans: tuple[ReadableSpan, ...]) -> list[dict[tuple[object, str], ReadableSpan]]:
    """Return the spans of each trace by their service and name, the largest trace first."""
    traces: dict[int, dict[tuple[object, str], ReadableSpan]] = {}
    for span in spans:
        key = (span.resource.attributes["service.name"], span.name)
        traces.setdefault(span.context.trace_id, {})[key] = span
    return sorted(traces.values(), key=len, reverse=True)


@pytest.mark.parametrize("body", [{"question": QUESTION}, {"question": QUESTION, "topic_entity": "Ada Nobody"}])
async def test_no_span_has_contents(tmp_path: Path, make: Callable[[bool], Traces], body: dict[str, str]) -> None:
    traces = make(False)
    async with stack(tmp_path, traces) as http:
        await http.post("/ask", json=body)
        await http.post("/ask/stream", json=body)
        await http.get("/evidence/Ada-Lind?question=documents")
        await http.post("/no-such-route/Ada")

    assert len(traces.exporter.get_finished_spans()) > 5
    assert [word for word in CONTENTS if word in traces.text()] == []


async def test_the_operator_may_ask_for_contents(tmp_path: Path, make: Callable[[bool], Traces]) -> None:
    traces = make(True)
    async with stack(tmp_path, traces) as http:
        await http.post("/ask", json={"question": QUESTION})
    spans = traces.named()
    asked, linked = spans["answerer", "retrieve"].attributes, spans["retriever", "link"].attributes
    assert asked is not None
    assert asked["kgqa.question"] == QUESTION
    assert linked is not None
    assert "Ada Lind" in str(linked["kgqa.texts"])


async def test_an_error_is_recorded_by_its_type(make: Callable[[bool], Traces]) -> None:
    traces = make(False)
    settings = AnswererSettings(retriever_url=NOBODY, rewriter_url=NOBODY)
    app = traces.middleware(create_app(settings, model=ScriptedModel([])), "answerer")
    async with serving(app) as url, httpx.AsyncClient(base_url=url, trust_env=False) as http:
        assert (await http.post("/ask", json={"question": QUESTION})).status_code == 503
    spans = traces.named()
    call, root = spans["answerer", "POST /retrieve"], spans["answerer", "POST /ask"]
    assert (call.status.status_code, call.status.description) == (StatusCode.ERROR, "UnreachableError")
    assert (root.status.status_code, root.status.description) == (StatusCode.ERROR, "status 503")
    assert call.events == root.events == ()


async def test_probes_are_not_traced_and_nothing_is_sent_without_a_tracer(make: Callable[[bool], Traces]) -> None:
    traces, seen = make(False), list[str | None]()
    retriever = FastAPI()

    @retriever.post("/retrieve")
    async def retrieve(request: Request) -> dict[str, str]:
        seen.append(request.headers.get("traceparent"))
        return {}

    async with serving(retriever) as url, serving(rewriter()) as rewriting:
        settings = AnswererSettings(retriever_url=url, rewriter_url=rewriting)
        for app in (
            create_app(settings, model=ScriptedModel([])),
            traces.middleware(create_app(settings, model=ScriptedModel([])), "answerer"),
        ):
            async with serving(app) as own, httpx.AsyncClient(base_url=own, trust_env=False) as http:
                await http.post("/ask", json={"question": QUESTION}, headers={"traceparent": CALLER})
                for path in ("/healthz", "/readyz", "/metrics"):
                    await http.get(path)
    assert seen[0] is None
    assert seen[1] is not None
    assert seen[1].startswith(CALLER[:36])
    assert {name for _, name in traces.named()} == {"POST /ask", "retrieve", "POST /retrieve"}
