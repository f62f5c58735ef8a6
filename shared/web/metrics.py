"""The Prometheus metrics that every service has, on a registry of its own."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class ServiceMetrics:
    """Requests by route and status, their seconds, those in flight, abstentions, and what was done without."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter("kgqa_requests_total", "Requests answered", ["route", "status"], registry=self.registry)
        self.seconds = Histogram(
            "kgqa_request_seconds", "Time to answer", ["route"], buckets=_SECONDS, registry=self.registry
        )
        self.in_flight = Gauge("kgqa_requests_in_flight", "Requests being answered", registry=self.registry)
        self.degraded = Counter(
            "kgqa_degraded_total", "Answers given without something", ["without"], registry=self.registry
        )
        self.abstained = Counter(
            "kgqa_abstained_total", "Questions that the graph does not answer", registry=self.registry
        )
        self.step_seconds = Histogram(
            "kgqa_step_seconds", "Time of one step of the pipeline", ["step"], buckets=_SECONDS, registry=self.registry
        )
