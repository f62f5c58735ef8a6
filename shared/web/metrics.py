"""Define the Prometheus metrics of every service."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class ServiceMetrics:
    """Collect the metrics of one service in a separate registry."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.requests = Counter("kgqa_requests_total", "Requests served", ["route", "status"], registry=registry)
        self.seconds = Histogram(
            "kgqa_request_seconds", "Duration of a request", ["route"], buckets=_BUCKETS_S, registry=registry
        )
        self.in_flight = Gauge("kgqa_requests_in_flight", "Requests in progress", registry=registry)
        self.degraded = Counter(
            "kgqa_degraded_total", "Responses without a failed component", ["without"], registry=registry
        )
        self.abstained = Counter("kgqa_abstained_total", "Questions that the graph does not answer", registry=registry)
        self.step_seconds = Histogram(
            "kgqa_step_seconds", "Duration of a pipeline step", ["step"], buckets=_BUCKETS_S, registry=registry
        )
