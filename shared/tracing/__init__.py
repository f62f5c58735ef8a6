"""Traces of requests across the services. Only `opentelemetry_tracer` imports OpenTelemetry."""
