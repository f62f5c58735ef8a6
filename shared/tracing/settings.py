"""Switch tracing on by the standard environment variables of OpenTelemetry."""

import logging
from typing import Literal

from pydantic_settings import BaseSettings, SettingsConfigDict

from shared.outbound.urls import HttpUrl
from shared.settings import load_settings
from shared.tracing.tracer import Tracer

log = logging.getLogger(__name__)


class TracingSettings(BaseSettings):
    """Say whether spans are recorded; the exporter reads further variables, such as OTEL_EXPORTER_OTLP_HEADERS.

    With `kgqa_trace_contents`, spans contain questions, names, and answers.
    """

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True)

    otel_exporter_otlp_endpoint: HttpUrl | None = None
    otel_exporter_otlp_traces_endpoint: HttpUrl | None = None
    otel_exporter_otlp_protocol: Literal["http/protobuf"] = "http/protobuf"
    otel_exporter_otlp_traces_protocol: Literal["http/protobuf"] = "http/protobuf"
    otel_traces_exporter: Literal["otlp", "none"] = "otlp"
    otel_sdk_disabled: bool = False
    kgqa_trace_contents: bool = False

    @property
    def are_enabled(self) -> bool:
        """Return whether a collector is named, and tracing is not switched off."""
        named = self.otel_exporter_otlp_traces_endpoint or self.otel_exporter_otlp_endpoint
        return named is not None and self.otel_traces_exporter == "otlp" and not self.otel_sdk_disabled


def configured_tracer(service: str) -> Tracer | None:
    """Return the tracer of a service if the environment describes one.

    A service without the packages serves without traces, because other programs on a machine share the variables.

    Args:
        service: The name of the service in traces, unless OTEL_SERVICE_NAME sets another.

    Raises:
        InvalidInputError: A variable is invalid.
    """
    settings = load_settings(TracingSettings)
    if not settings.are_enabled:
        return None
    try:
        from shared.tracing.opentelemetry_tracer import OpenTelemetryTracer, exporting_provider
    except ImportError as error:
        log.warning(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set, but the package %s is missing, so there are no traces; install it "
            "with pip install 'kgqa[tracing]', or set OTEL_SDK_DISABLED=true",
            error.name,
        )
        return None
    return OpenTelemetryTracer(exporting_provider(service), with_contents=settings.kgqa_trace_contents)
