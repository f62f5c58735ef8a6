"""The page is open, complete, and cannot load or run anything that is not its own."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from services.answerer import page
from services.answerer.app import create_app
from services.answerer.settings import AnswererSettings
from shared.api_keys import hash_of
from tests.fakes.llm import ScriptedModel
from tests.fakes.serving import NOBODY

_ASSETS = Path(page.__file__).parent / "assets"
_FILES = sorted(_ASSETS.iterdir())
_OWN_SCRIPTS = [file for file in _FILES if file.suffix == ".js" and file.name != "dagre.esm.js"]
_SVG = "http://www.w3.org/2000/svg"
_URL = re.compile(r"""(?:https?:)?//[\w.-]+\.\w{2,}[^\s"'`)]*""")


@asynccontextmanager
async def _client(**settings: object) -> AsyncIterator[httpx.AsyncClient]:
    given = AnswererSettings.model_validate({"retriever_url": NOBODY, "rewriter_url": NOBODY, **settings})
    app = create_app(given, model=ScriptedModel([]))
    http = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost")
    async with app.router.lifespan_context(app), http as client:
        yield client


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


async def test_the_page_may_load_only_what_this_service_serves() -> None:
    async with _client() as client:
        reply = await client.get("/")
    assert (reply.status_code, reply.headers["content-type"]) == (200, "text/html; charset=utf-8")
    policy = dict(part.split(" ", 1) for part in reply.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == policy["object-src"] == "'none'"
    assert (policy["require-trusted-types-for"], policy["trusted-types"]) == ("'script'", "'none'")
    assert "unsafe" not in reply.headers["content-security-policy"]
    assert reply.headers["x-content-type-options"] == "nosniff"


async def test_every_file_that_the_page_names_is_served() -> None:
    named = set(re.findall(r'(?:src|href)="(page/[^"]+)"', _text(_ASSETS / "index.html")))
    imported = {f"page/{name}" for file in _OWN_SCRIPTS for name in re.findall(r'from "\./([^"]+)"', _text(file))}
    assert {"page/page.js", "page/page.css"} <= named
    async with _client() as client:
        for path in named | imported:
            reply = await client.get(f"/{path}")
            assert reply.status_code == 200, path
            assert reply.text == _text(_ASSETS / path.removeprefix("page/"))
    assert {file.name for file in _FILES if file.suffix == ".js"} == {
        path.removeprefix("page/") for path in named | imported if path.endswith(".js")
    }


async def test_a_browser_that_has_a_file_gets_it_only_if_it_changed() -> None:
    async with _client() as client:
        first = await client.get("/page/page.css")
        same = await client.get("/page/page.css", headers={"If-None-Match": first.headers["etag"]})
        other = await client.get("/page/page.css", headers={"If-None-Match": '"0"'})
    assert (first.headers["content-type"], first.headers["cache-control"]) == ("text/css; charset=utf-8", "no-cache")
    assert [reply.status_code for reply in (first, same, other)] == [200, 304, 200]
    assert same.content == b""


@pytest.mark.parametrize(
    "path",
    ["/page/nothing.js", "/page/__init__.py", "/page/..%2f__init__.py", "/page/%2e%2e/app.py", "/page/", "/page"],
)
async def test_nothing_else_is_served(path: str) -> None:
    async with _client() as client:
        reply = await client.get(path)
    assert (reply.status_code, reply.headers["content-type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("has_keys", [False, True])
@pytest.mark.parametrize("has_feedback", [False, True])
async def test_the_page_offers_what_the_service_has(tmp_path: Path, has_keys: bool, has_feedback: bool) -> None:
    settings: dict[str, object] = {"api_keys": {"someone": hash_of("k")}} if has_keys else {}
    if has_feedback:
        settings["feedback_file"] = tmp_path / "feedback.jsonl"
    async with _client(**settings) as client:
        reply = await client.get("/page/settings.json")
    assert reply.json() == {"feedback": has_feedback, "api_key": has_keys}


async def test_the_page_needs_no_key_and_the_graph_does() -> None:
    async with _client(api_keys={"someone": hash_of("k")}) as client:
        opened = [await client.get(path) for path in ("/", "/page/page.js", "/page/settings.json", "/docs")]
        closed = [await client.get(path) for path in ("/schema", "/v1/models", "/nothing")]
        asked = [await client.post(path, json={"question": "q"}) for path in ("/ask", "/ask/stream", "/plan")]
    assert {reply.status_code for reply in opened} == {200}
    assert {reply.status_code for reply in (*closed, *asked)} == {401}


async def test_the_page_is_no_part_of_the_api() -> None:
    async with _client() as client:
        paths = (await client.get("/openapi.json")).json()["paths"]
    assert not [path for path in paths if path == "/" or path.startswith(("/page", "/docs"))]


@pytest.mark.parametrize("file", [file for file in _FILES if file.suffix != ".txt"], ids=lambda file: file.name)
def test_no_file_names_another_host(file: Path) -> None:
    assert [url for url in _URL.findall(_text(file)) if not _SVG.endswith(url.removeprefix("http:"))] == []


@pytest.mark.parametrize("file", _OWN_SCRIPTS, ids=lambda file: file.name)
def test_no_script_reads_text_as_html_or_code(file: Path) -> None:
    unsafe = r"(?:inner|outer|Adjacent)HTML|document\.write|DOMParser|\beval\b|new Function|srcdoc|localStorage"
    assert re.findall(unsafe, _text(file)) == []


def test_the_page_has_no_inline_script_style_or_handler() -> None:
    text = _text(_ASSETS / "index.html")
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:", text) == []
