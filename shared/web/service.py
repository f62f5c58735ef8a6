"""What all three services have in common: health, readiness, metrics, errors, and how they are run."""

import logging
import sys
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from http import HTTPStatus
from typing import Annotated, Literal, TypeVar

from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel, Field
from pydantic_settings import SettingsConfigDict

from shared.errors import KGQAError
from shared.outbound.urls import LOOPBACK
from shared.processes import bound_output, exit_on_sigterm, stop_with_parent
from shared.settings import EnvironmentSettings, Seconds, load_settings
from shared.web.metrics import ServiceMetrics
from shared.web.middleware import CheckHost, KeepDeadline, LimitInFlight, ObserveRequests, ReceiveBody
from shared.web.openapi import document_responses
from shared.web.problems import install_problem_handlers, on_http_error
from shared.web.readiness import Check, Readiness
from shared.web.server import run

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]

Port = Annotated[int, Field(ge=1, le=65535)]

MAX_QUESTION_BODY_BYTES = 65_536
MAX_BODY_BYTES = 2_000_000


class ServiceSettings(EnvironmentSettings):
    """Settings that every service has; each reads them from the environment under its own prefix.

    `max_in_flight`: requests answered at a time, more are rejected; `receive_timeout_s`: time in which a body must
    arrive; `request_timeout_s`: time for a request and all that it asks of others; `allowed_hosts`: values of the
    header `Host` that are accepted, `*` for all; by default the names of this machine if `host` is on loopback.
    """

    model_config = SettingsConfigDict(extra="ignore")

    host: str = "127.0.0.1"
    port: Port = 8000
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    max_in_flight: Annotated[int, Field(ge=1)] = 256
    receive_timeout_s: Seconds = 15.0
    request_timeout_s: Seconds = 280.0
    allowed_hosts: list[str] | None = None

    def accepted_hosts(self) -> Collection[str]:
        """Return the values of `Host` that this service answers for."""
        if self.allowed_hosts is not None:
            return [host.lower() for host in self.allowed_hosts]
        return [*LOOPBACK, f"[{self.host}]" if ":" in self.host else self.host] if self.host in LOOPBACK else ["*"]


Settings = TypeVar("Settings", bound=ServiceSettings)


class Health(BaseModel):
    """The answer of /healthz."""

    status: Literal["alive"] = "alive"


class ReadinessReport(BaseModel):
    """The answer of /readyz: whether each dependency answers."""

    status: Literal["ready", "not ready"]
    checks: dict[str, bool]


def create_service(
    title: str,
    description: str,
    settings: ServiceSettings,
    metrics: ServiceMetrics,
    checks: Callable[[], Mapping[str, Check]],
    lifespan: Lifespan,
    can_do_without: Collection[str] = (),
    max_body_bytes: int = MAX_BODY_BYTES,
) -> FastAPI:
    """A FastAPI app with /healthz, /readyz, /metrics, problem+json errors and request ids.

    `checks` gives, by name, what must answer before the service is ready. Those that it `can_do_without` are reported
    by /readyz, but do not make it unready.
    """
    readiness = Readiness(checks)

    @asynccontextmanager
    async def whole_lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with lifespan(app):
            yield
            await readiness.close()

    app = FastAPI(
        title=title, description=description, version="0.1.0", lifespan=whole_lifespan, redirect_slashes=False
    )
    install_problem_handlers(app)
    document_responses(app)
    # The last one added is the first to see a request.
    app.add_middleware(KeepDeadline, seconds=settings.request_timeout_s)
    app.add_middleware(LimitInFlight, most=settings.max_in_flight, gauge=metrics.in_flight)
    app.add_middleware(
        ReceiveBody, max_bytes=max_body_bytes, seconds=settings.receive_timeout_s, on_refusal=on_http_error
    )
    app.add_middleware(CheckHost, allowed=settings.accepted_hosts())
    app.add_middleware(ObserveRequests, metrics=metrics)

    @app.get("/healthz", tags=["operations"], summary="Is the process alive")
    async def healthz() -> Health:
        return Health()

    @app.get(
        "/readyz",
        tags=["operations"],
        summary="Does what it depends on answer",
        response_model=ReadinessReport,
        responses={503: {"model": ReadinessReport, "description": "A dependency does not answer"}},
    )
    async def readyz() -> JSONResponse:
        results = await readiness.results()
        ready = all(answers for name, answers in results.items() if name not in can_do_without)
        report = ReadinessReport(status="ready" if ready else "not ready", checks=results)
        return JSONResponse(report.model_dump(), HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE)

    @app.get(
        "/metrics",
        tags=["operations"],
        summary="Prometheus metrics",
        response_class=Response,
        responses={200: {"content": {CONTENT_TYPE_LATEST: {"schema": {"type": "string"}}}}},
    )
    async def metrics_page() -> Response:
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    return app


def serve(settings_type: type[Settings], create_app: Callable[[Settings], FastAPI]) -> None:
    """Serve with the settings of the environment; see `shared.web.server.run`.

    A service that cannot start says why in one line and exits with 1.
    """
    try:
        settings = load_settings(settings_type)
        app = create_app(settings)
    except KGQAError as error:
        sys.stderr.write(f"{error.detail}\n")
        sys.exit(1)
    logging.basicConfig(level=settings.log_level, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    stop_with_parent()
    bound_output()
    exit_on_sigterm()
    run(app, settings.host, settings.port)
