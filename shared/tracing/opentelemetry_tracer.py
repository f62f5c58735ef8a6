"""Record spans with OpenTelemetry, and send them to a collector."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from shared import __version__
from shared.tracing.tracer import Attribute, Span, SpanKind

_KINDS = {
    "internal": trace.SpanKind.INTERNAL,
    "server": trace.SpanKind.SERVER,
    "client": trace.SpanKind.CLIENT,
}
_NAMES = {"method": "http.request.method", "route": "http.route", "status": "http.response.status_code"}
"""The names of attributes for which OpenTelemetry has conventions."""
_TIMEOUT_S = 3.0
"""How long a service that stops waits for a collector that does not respond; containers are killed after 10 s."""
# Baggage, which callers may fill with anything, is not passed on.
_PROPAGATOR = TraceContextTextMapPropagator()


def exporting_provider(service: str) -> TracerProvider:
    """Return a provider that sends spans to the collector that the standard variables `OTEL_*` describe.

    It is not the global provider of OpenTelemetry, because libraries would record contents there.
    """
    attributes = {SERVICE_VERSION: __version__}
    is_named = os.environ.get("OTEL_SERVICE_NAME") or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    if not is_named:
        attributes[SERVICE_NAME] = service
    provider = TracerProvider(resource=Resource.create(attributes), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=_timeout_s())))
    return provider


def _timeout_s() -> float | None:
    """Return the time limit for sending spans; None if the exporter shall read it from the environment."""
    is_set = any(os.environ.get(f"OTEL_EXPORTER_OTLP_{name}") for name in ("TIMEOUT", "TRACES_TIMEOUT"))
    return None if is_set else _TIMEOUT_S


class OpenTelemetryTracer:
    """Implement `Tracer`; spans contain texts only if `with_contents`."""

    def __init__(self, provider: TracerProvider, *, with_contents: bool = False) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("kgqa", __version__)
        self._with_contents = with_contents

    @contextmanager
    def span(self, name: str, kind: SpanKind = "internal", headers: Mapping[str, str] | None = None) -> Iterator[Span]:
        """Start a span, and end it with its block; see `Tracer.span`."""
        parent = None if headers is None else _PROPAGATOR.extract(headers)
        with self._tracer.start_as_current_span(
            name,
            parent,
            _KINDS[kind],
            # The messages of errors quote questions and names.
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield _Span(span, self._with_contents)
            except Exception as error:
                span.set_status(trace.StatusCode.ERROR, type(error).__name__)
                raise

    def outgoing_headers(self) -> Mapping[str, str]:
        """Return the header `traceparent` of the current span."""
        headers: dict[str, str] = {}
        _PROPAGATOR.inject(headers)
        return headers

    def close(self) -> None:
        """Send the remaining spans."""
        self._provider.shutdown()


class _Span:
    def __init__(self, span: trace.Span, with_contents: bool) -> None:
        self._span = span
        self._with_contents = with_contents

    def rename(self, name: str) -> None:
        self._span.update_name(name)

    def fail(self, reason: str) -> None:
        self._span.set_status(trace.StatusCode.ERROR, reason)

    def set(self, **attributes: Attribute) -> None:
        self._span.set_attributes({_NAMES.get(name, f"kgqa.{name}"): value for name, value in attributes.items()})

    def set_contents(self, **texts: str) -> None:
        if self._with_contents:
            self.set(**texts)
