"""Tracing is off unless the standard variables name a collector."""

import asyncio
import sys

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shared.errors import InvalidInputError
from shared.tracing.opentelemetry_tracer import exporting_provider
from shared.tracing.settings import configured_tracer
from shared.tracing.tracer import current_tracer, trace_headers, traced
from tests.fakes.serving import serving

_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ENDPOINT", "TRACES_ENDPOINT", "PROTOCOL", "TRACES_PROTOCOL"):
        monkeypatch.delenv(f"OTEL_EXPORTER_OTLP_{name}", raising=False)


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {_ENDPOINT: ""},
        {_ENDPOINT: "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"},
        {_ENDPOINT: "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "none"},
        {"OTEL_SERVICE_NAME": "kgqa", "KGQA_TRACE_CONTENTS": "true"},
    ],
)
def test_tracing_is_off(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert configured_tracer("kgqa-answerer") is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (_ENDPOINT, "collector:4318"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ("OTEL_TRACES_EXPORTER", "zipkin"),
        ("KGQA_TRACE_CONTENTS", "perhaps"),
    ],
)
def test_an_invalid_variable_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(InvalidInputError, match=f"{name} is invalid"):
        configured_tracer("kgqa-answerer")


def test_without_the_packages_the_service_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(_ENDPOINT, "http://127.0.0.1:1")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    monkeypatch.delitem(sys.modules, "shared.tracing.opentelemetry_tracer")
    assert configured_tracer("kgqa-answerer") is None
    assert "opentelemetry.sdk.trace is missing" in caplog.text
    assert "pip install 'kgqa[tracing]'" in caplog.text


async def test_spans_reach_the_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    received: list[tuple[str, bytes]] = []

    async def receive(request: Request) -> Response:
        received.append((request.headers["x-team"], await request.body()))
        return Response()

    async with serving(Starlette(routes=[Route("/v1/traces", receive, methods=["POST"])])) as url:
        monkeypatch.setenv(_ENDPOINT, url)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=graphs")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
        tracer = configured_tracer("kgqa-answerer")
        assert tracer is not None
        with tracer.span("link") as span:
            span.set(topics=3)
            span.set_contents(question="Who is Ada?")
        await asyncio.to_thread(tracer.close)

    [(team, body)] = received
    assert team == "graphs"
    assert all(word in body for word in (b"kgqa-answerer", b"link", b"kgqa.topics"))
    assert b"Ada" not in body


@pytest.mark.parametrize(
    "variables", [{"OTEL_SERVICE_NAME": "mine"}, {"OTEL_RESOURCE_ATTRIBUTES": "a=b,service.name=mine"}]
)
def test_the_name_of_the_service_can_be_set(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    provider = exporting_provider("kgqa-answerer")
    assert provider.resource.attributes["service.name"] == "mine"
    provider.shutdown()


def test_without_a_tracer_nothing_is_recorded_or_sent() -> None:
    with traced("link") as span:
        span.set(topics=1)
        span.set_contents(question="Who is Ada?")
        span.rename("other")
        span.fail("status 500")
    assert trace_headers() == {}
    current_tracer.get().close()
