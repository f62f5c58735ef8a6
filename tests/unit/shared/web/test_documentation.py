"""The documentation page of every service works without other hosts."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from shared.settings import ServiceSettings
from shared.web import documentation
from shared.web.health import ServiceMetrics
from shared.web.open_paths import OpenPaths
from shared.web.service import create_service

_ASSETS = Path(documentation.__file__).parent / "assets"


@asynccontextmanager
async def _nothing(_: FastAPI) -> AsyncIterator[None]:
    yield


@pytest.fixture
def client() -> httpx.AsyncClient:
    app = create_service("test", "test", ServiceSettings(), ServiceMetrics(), {}, _nothing)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost")


async def test_the_page_loads_only_files_that_the_service_has(client: httpx.AsyncClient) -> None:
    page = await client.get("/docs")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    policy = page.headers["content-security-policy"]
    assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy and "script-src" not in policy
    named = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(named) == 5
    for path in named:
        assert "//" not in path
        assert (await client.get(f"/{path}")).status_code == 200
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", page.text) == []


async def test_the_script_shows_the_document_of_this_service(client: httpx.AsyncClient) -> None:
    script = (await client.get("/docs/docs.js")).text
    assert 'url: "openapi.json"' in script
    assert "validatorUrl: null" in script
    assert json.loads((await client.get("/openapi.json")).text)["info"]["title"] == "test"


@pytest.mark.parametrize("path", ["/docs/nothing.js", "/docs/..%2fservice.py", "/docs/oauth2-redirect", "/redoc"])
async def test_nothing_else_is_served(client: httpx.AsyncClient, path: str) -> None:
    assert (await client.get(path)).status_code == 404


async def test_the_licence_of_swagger_ui_comes_with_it(client: httpx.AsyncClient) -> None:
    assert "Apache License" in (await client.get("/docs/swagger-ui-LICENSE.txt")).text


def test_the_root_is_a_page_and_no_folder() -> None:
    paths = OpenPaths(["/", "/docs/"])
    assert "/" in paths and "/docs/a.js" in paths
    assert not [path for path in ("/ask", "//", "", "/docs", "/schema") if path in paths]
