"""What all three services have in common: health, readiness, metrics, errors, and how they are run."""

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Annotated, Literal, TypeVar

import uvicorn
from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import Field
from pydantic_settings import SettingsConfigDict

from shared.errors import DependencyError, KGQAError
from shared.metrics import ServiceMetrics
from shared.middleware import KeepDeadline, LimitBodySize, LimitInFlight, ObserveRequests
from shared.problems import RESPONSES, install_problem_handlers
from shared.processes import end_well_on_sigterm, stop_with_starter
from shared.settings import EnvironmentSettings, Seconds, load_settings

Check = Callable[[], Awaitable[bool]]
Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]

Port = Annotated[int, Field(ge=1, le=65535)]

MAX_BODY_BYTES = 2_000_000
READY_TIMEOUT_S = 2.0
# Below the 30 s after which Kubernetes kills.
STOP_TIMEOUT_S = 25


class ServiceSettings(EnvironmentSettings):
    """Settings that every service has; each reads them from the environment under its own prefix.

    `max_in_flight`: requests that are answered at a time, more are refused at once; `request_timeout_s`: what one may
    take with all that it asks.
    """

    model_config = SettingsConfigDict(extra="ignore")

    host: str = "127.0.0.1"
    port: Port = 8000
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    max_in_flight: Annotated[int, Field(ge=1)] = 256
    request_timeout_s: Seconds = 280.0


Settings = TypeVar("Settings", bound=ServiceSettings)


def create_service(
    title: str,
    description: str,
    settings: ServiceSettings,
    metrics: ServiceMetrics,
    checks: Callable[[], Mapping[str, Check]],
    lifespan: Lifespan,
    can_do_without: Collection[str] = (),
) -> FastAPI:
    """A FastAPI app with /healthz, /readyz, /metrics, problem+json errors and request ids.

    `checks` gives, by name, what must answer before the service is ready; it is asked at each /readyz. Those that it
    `can_do_without` are told there, too, but do not keep requests from it.
    """
    app = FastAPI(title=title, description=description, version="0.1.0", lifespan=lifespan)
    install_problem_handlers(app)
    app.add_middleware(LimitBodySize, max_bytes=MAX_BODY_BYTES)
    app.add_middleware(KeepDeadline, seconds=settings.request_timeout_s)
    app.add_middleware(LimitInFlight, most=settings.max_in_flight)
    app.add_middleware(ObserveRequests, metrics=metrics)

    @app.get("/healthz", tags=["operations"], summary="Is the process alive")
    async def healthz() -> dict[str, str]:
        return {"status": "alive"}

    @app.get("/readyz", tags=["operations"], summary="Does what it depends on answer")
    async def readyz() -> JSONResponse:
        results = await _run_checks(checks())
        ready = all(answers for name, answers in results.items() if name not in can_do_without)
        body = {"status": "ready" if ready else "not ready", "checks": results}
        return JSONResponse(body, status_code=200 if ready else DependencyError.status)

    @app.get("/metrics", tags=["operations"], summary="Prometheus metrics", response_class=Response)
    async def metrics_page() -> Response:
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    # For the routes that the service adds; those above do not fail in these ways.
    app.router.responses = RESPONSES
    return app


async def _run_checks(checks: Mapping[str, Check]) -> dict[str, bool]:
    async def run(check: Check) -> bool:
        try:
            return await asyncio.wait_for(check(), READY_TIMEOUT_S)
        except Exception:  # whatever a dependency does wrong, it is not ready
            return False

    names = list(checks)
    return dict(zip(names, await asyncio.gather(*(run(checks[name]) for name in names)), strict=True))


def serve(settings_type: type[Settings], create_app: Callable[[Settings], FastAPI]) -> None:
    """Serve until SIGTERM or Ctrl-C: then nobody is let in, and requests in flight have `STOP_TIMEOUT_S` to finish.

    A service that cannot start says why in one line and exits with 1.
    """
    try:
        settings = load_settings(settings_type)
        app = create_app(settings)
    except KGQAError as error:
        sys.stderr.write(f"{error.detail}\n")
        sys.exit(1)
    logging.basicConfig(level=settings.log_level, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    stop_with_starter()
    end_well_on_sigterm()
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        access_log=False,
        log_config=None,
        timeout_graceful_shutdown=STOP_TIMEOUT_S,
    )
