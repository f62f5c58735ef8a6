"""Serve the OpenAPI document as a page, which loads nothing from other hosts."""

from pathlib import Path

from fastapi import APIRouter, Request, Response

from shared.web.assets import Assets

DOCUMENTATION_PATHS = ("/docs", "/docs/")
# Swagger UI draws its icons from data URLs.
_POLICY = (
    "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "object-src 'none'"
)


def documentation_router() -> APIRouter:
    """Return the routes of the page, which shows the `/openapi.json` of the same service in Swagger UI."""
    router = APIRouter(include_in_schema=False)
    assets = Assets(Path(__file__).parent / "assets")

    @router.get("/docs")
    async def page(request: Request) -> Response:
        return assets.response("docs.html", request, _POLICY)

    @router.get("/docs/{name}")
    async def asset(name: str, request: Request) -> Response:
        return assets.response(name, request)

    return router
