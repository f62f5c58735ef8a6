"""Serve a page on which people ask the graph; it loads nothing from other hosts."""

from pathlib import Path

from fastapi import APIRouter, Request, Response

from contracts.base import Contract
from shared.web.assets import Assets

PAGE_PATHS = ("/", "/page/")
"""Paths that browsers open before anyone can type an API key."""
# Trusted types make browsers refuse to read a text as HTML, whoever wrote it.
_POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


class PageSettings(Contract):
    """The options of the page: buttons for `feedback`, and a field for an `api_key`."""

    feedback: bool
    api_key: bool


def page_router(settings: PageSettings) -> APIRouter:
    """Return the routes of the page, its files, and its settings."""
    router = APIRouter(include_in_schema=False)
    assets = Assets(Path(__file__).parent / "assets")

    @router.get("/")
    async def page(request: Request) -> Response:
        return assets.response("index.html", request, _POLICY)

    @router.get("/page/settings.json")
    async def page_settings() -> PageSettings:
        return settings

    @router.get("/page/{name}")
    async def asset(name: str, request: Request) -> Response:
        return assets.response(name, request)

    return router
