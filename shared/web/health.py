"""Serve /healthz, /readyz, and /metrics, and define the Prometheus metrics of every service."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from http import HTTPStatus
from typing import Literal

from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from pydantic import BaseModel

from shared import __version__
from shared.errors import KGQAError

Check = Callable[[], Awaitable[bool]]
MODEL_CHECK = "model"
"""Name of the check that the trained model is not older than the graph."""

_CHECK_TIMEOUT_S = 2.0
# A probe must be answered within 200 ms, however slow a dependency is.
_PATIENCE_S = 0.1
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
        self.warnings = Counter("kgqa_warnings_total", "Warnings in responses", ["kind"], registry=registry)
        self.degraded = Counter(
            "kgqa_degraded_total", "Responses produced without an unavailable component", ["without"], registry=registry
        )
        self.abstained = Counter("kgqa_abstained_total", "Questions that the graph does not answer", registry=registry)
        self.step_seconds = Histogram(
            "kgqa_step_seconds", "Duration of a pipeline step", ["step"], buckets=_BUCKETS_S, registry=registry
        )


class Health(BaseModel):
    """Response of /healthz."""

    status: Literal["alive"] = "alive"
    version: str = __version__


class ReadinessReport(BaseModel):
    """Response of /readyz; `checks` says whether each dependency responds, and `reasons` why not, where known."""

    status: Literal["ready", "not ready"]
    checks: dict[str, bool]
    reasons: dict[str, str] | None = None


class Readiness:
    """Check all of a service's dependencies, one round of checks at a time.

    A probe waits up to 0.1 s for the current round, and otherwise gets the results of the last complete round. Only the
    first round is awaited in full. A dependency that hangs is therefore reported slightly later, but does not delay the
    probe. `reasons` says why checks of the last round failed, where known.
    """

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self._checks = checks
        self._results: dict[str, bool] = {}
        self.reasons: dict[str, str] = {}
        self._round: asyncio.Task[None] | None = None

    async def results(self) -> dict[str, bool]:
        """Return whether each dependency responds, keyed by name."""
        if self._round is None or self._round.done():
            self._round = asyncio.create_task(self._run_all())
        await asyncio.wait({self._round}, timeout=_PATIENCE_S if self._results else None)
        return self._results

    async def close(self) -> None:
        """Cancel the current round."""
        if self._round is not None:
            self._round.cancel()
            await asyncio.wait({self._round})

    async def _run_all(self) -> None:
        results = await asyncio.gather(*map(_run, self._checks.values()))
        named = dict(zip(self._checks, results, strict=True))
        self._results = {name: responds for name, (responds, _) in named.items()}
        self.reasons = {name: reason for name, (_, reason) in named.items() if reason}


async def _run(check: Check) -> tuple[bool, str | None]:
    """Return whether a check passes, and the reason if it says why not."""
    try:
        return await asyncio.wait_for(check(), _CHECK_TIMEOUT_S), None
    except KGQAError as error:
        return False, error.public_detail
    except Exception:  # a dependency whose check fails in any way is not ready
        return False, None


def add_operational_routes(
    app: FastAPI, readiness: Readiness, optional_checks: Collection[str], metrics: ServiceMetrics
) -> None:
    """Add /healthz, /readyz, and /metrics; failed `optional_checks` do not make the service unready."""

    @app.get("/healthz", tags=["operations"], summary="Check that the process is alive")
    async def healthz() -> Health:
        return Health()

    @app.get(
        "/readyz",
        tags=["operations"],
        summary="Check that the dependencies respond",
        response_model=ReadinessReport,
        responses={503: {"model": ReadinessReport, "description": "A dependency does not respond"}},
    )
    async def readyz() -> JSONResponse:
        results = await readiness.results()
        is_ready = all(responds for name, responds in results.items() if name not in optional_checks)
        status: Literal["ready", "not ready"] = "ready" if is_ready else "not ready"
        report = ReadinessReport(status=status, checks=results, reasons=readiness.reasons or None)
        return JSONResponse(
            report.model_dump(exclude_none=True), HTTPStatus.OK if is_ready else HTTPStatus.SERVICE_UNAVAILABLE
        )

    @app.get(
        "/metrics",
        tags=["operations"],
        summary="Export Prometheus metrics",
        response_class=Response,
        responses={200: {"content": {CONTENT_TYPE_LATEST: {"schema": {"type": "string"}}}}},
    )
    async def metrics_page() -> Response:
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)
