"""Build a service from its settings, metrics, and routes, and run it."""

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from shared.api_keys import ApiKeys
from shared.errors import KGQAError
from shared.escaping import line_text
from shared.logs import log_to_stderr
from shared.processes import bound_output, exit_on_sigterm, stop_with_parent
from shared.request_context import DEADLINE_HEADER, REQUEST_ID_HEADER
from shared.settings import ServiceSettings, load_settings, unknown_variables, variables_of
from shared.tracing.settings import configured_tracer
from shared.tracing.tracer import Tracer
from shared.web.application import Lifespan, application
from shared.web.documentation import DOCUMENTATION_PATHS, documentation_router
from shared.web.health import Check, Readiness, ServiceMetrics, add_operational_routes
from shared.web.middleware.api_key import KEY_HEADER, ApiKeyMiddleware
from shared.web.middleware.body_limit import BodyLimitMiddleware
from shared.web.middleware.concurrency_limit import ConcurrencyLimitMiddleware
from shared.web.middleware.deadline import DeadlineMiddleware
from shared.web.middleware.observability import ObservabilityMiddleware
from shared.web.middleware.rate_limit import RateLimitMiddleware
from shared.web.middleware.security_headers import SecurityHeadersMiddleware
from shared.web.middleware.tracing import TracingMiddleware
from shared.web.middleware.trusted_host import TrustedHostMiddleware
from shared.web.open_paths import OpenPaths
from shared.web.openapi import document_responses
from shared.web.problems import install_problem_handlers, on_http_error
from shared.web.rate_limits import CallerLimits
from shared.web.server import run

log = logging.getLogger(__name__)

Settings = TypeVar("Settings", bound=ServiceSettings)

MAX_QUESTION_BODY_BYTES = 65_536
MAX_BODY_BYTES = 2_000_000
_CORS: dict[str, Any] = {
    "allow_methods": ["GET", "POST"],
    "allow_headers": ["Authorization", "Content-Type", KEY_HEADER, REQUEST_ID_HEADER, DEADLINE_HEADER],
    "expose_headers": [REQUEST_ID_HEADER, "Retry-After"],
}
_OPEN_PATHS = ("/healthz", "/readyz", "/metrics", "/openapi.json", *DOCUMENTATION_PATHS)


def create_service(
    title: str,
    description: str,
    settings: ServiceSettings,
    metrics: ServiceMetrics,
    checks: Mapping[str, Check],
    lifespan: Lifespan,
    optional_checks: Collection[str] = (),
    max_body_bytes: int = MAX_BODY_BYTES,
    larger_bodies: Mapping[str, int] | None = None,
    keys: ApiKeys | None = None,
    open_paths: Collection[str] = (),
    limits: CallerLimits | None = None,
    cors_origins: Sequence[str] = (),
) -> FastAPI:
    """Create an app with health routes, metrics, request IDs, limits, and problem+json errors, but no other routes.

    Args:
        title: Title of the OpenAPI document.
        description: Description in the OpenAPI document.
        settings: The limits and the accepted hosts.
        metrics: The service's metrics.
        checks: One check per dependency, keyed by name, of whether it responds; /readyz reports the results.
        lifespan: Opens and closes the resources that the routes use.
        optional_checks: Names of the dependencies that the service can be ready without.
        max_body_bytes: Maximum size of a request body.
        larger_bodies: Maximum size for single paths.
        keys: The callers that may use the service; by default, everyone may.
        open_paths: Paths that need no key, besides those of health, metrics, and documentation; see `OpenPaths`.
        limits: How many requests each caller may send per minute; by default, any number.
        cors_origins: Origins of pages elsewhere whose scripts may call the service, or "*"; by default, none.

    Example:
        >>> app = create_service("KGQA rewriter", "...", settings, metrics, {"llm": llm.ready}, lifespan)
        >>> @app.post("/rewrite")
        ... async def rewrite(request: RewriteRequest) -> RewriteResponse: ...
    """
    readiness = Readiness(checks)
    tracer = configured_tracer(title.lower().replace(" ", "-"))
    app = application(title, description, _closing(lifespan, readiness, tracer))
    install_problem_handlers(app)
    without_key = OpenPaths([*_OPEN_PATHS, *open_paths])
    document_responses(app, without_key if keys else None)
    # The middleware added last sees a request first.
    _limit(app, settings, metrics, max_body_bytes, larger_bodies or {})
    if limits:
        app.add_middleware(RateLimitMiddleware, limits=limits)
    if keys:
        app.add_middleware(ApiKeyMiddleware, keys=keys, open_paths=without_key)
    if cors_origins:
        app.add_middleware(CORSMiddleware, allow_origins=cors_origins, **_CORS)
    app.add_middleware(TrustedHostMiddleware, allowed=settings.accepted_hosts())
    app.add_middleware(SecurityHeadersMiddleware)
    app.add_middleware(ObservabilityMiddleware, metrics=metrics)
    if tracer:
        app.add_middleware(TracingMiddleware, tracer=tracer)
    add_operational_routes(app, readiness, optional_checks, metrics)
    app.include_router(documentation_router())
    return app


def _closing(lifespan: Lifespan, readiness: Readiness, tracer: Tracer | None) -> Lifespan:
    """Return a lifespan that also closes what every service has."""

    @asynccontextmanager
    async def closing(app: FastAPI) -> AsyncIterator[None]:
        async with lifespan(app):
            yield
            await readiness.close()
        if tracer:
            await asyncio.to_thread(tracer.close)

    return closing


def _limit(
    app: FastAPI, settings: ServiceSettings, metrics: ServiceMetrics, max_bytes: int, larger: Mapping[str, int]
) -> None:
    """Limit the time, the number, and the size of requests."""
    app.add_middleware(DeadlineMiddleware, seconds=settings.request_timeout_s)
    app.add_middleware(ConcurrencyLimitMiddleware, max_in_flight=settings.max_in_flight, gauge=metrics.in_flight)
    app.add_middleware(
        BodyLimitMiddleware,
        max_bytes=max_bytes,
        seconds=settings.receive_timeout_s,
        on_rejection=on_http_error,
        larger=larger,
    )


def serve(settings_type: type[Settings], create_app: Callable[[Settings], FastAPI]) -> None:
    """Run a service with settings from the environment; if it cannot start, print one line and exit with code 1."""
    try:
        settings = load_settings(settings_type)
        app = create_app(settings)
    except KGQAError as error:
        sys.stderr.write(f"{line_text(error.detail)}\n")
        sys.exit(1)
    log_to_stderr(settings.log_level)
    # The names of other parts' settings are not known here.
    for problem in unknown_variables(os.environ, variables_of(settings_type), settings_type.model_config["env_prefix"]):
        log.warning("%s", problem)
    stop_with_parent()
    bound_output()
    exit_on_sigterm()
    run(app, settings.host, settings.port)
