"""Open pages in a real headless Chromium, which must report no error and reach no other host."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, ConsoleMessage, Page, async_playwright, expect

_CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(_CHROMIUM is None, reason="needs Chromium: apt-get install chromium")
_GUARD_MS = 60_000
expect.set_options(timeout=_GUARD_MS)
# A status such as 401 is an error in the console, too, and the tests look at what the page makes of it.
_STATUS = "Failed to load resource"


@asynccontextmanager
async def launched() -> AsyncIterator[Browser]:
    """Launch the browser."""
    async with async_playwright() as playwright:
        # Containers run as root, for whom Chromium has no sandbox.
        browser = await playwright.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        yield browser
        await browser.close()


@asynccontextmanager
async def opened(browser: Browser, url: str, **options: Any) -> AsyncIterator[Page]:
    """Open a URL in a new context, which shares nothing with others; `options` are Playwright's, such as `viewport`."""
    context = await browser.new_context(**options)
    context.set_default_timeout(_GUARD_MS)
    page = await context.new_page()
    errors: list[str] = []
    hosts: set[str] = set()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.extend(_error(message)))
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    try:
        await page.goto(url)
        yield page
    finally:
        await context.close()
    assert errors == []
    assert hosts - {""} == {urlsplit(url).netloc}


async def accessibility_violations(page: Page) -> list[str]:
    """Return the rules of axe that the page breaks, each with the elements that break it."""
    found = (await Axe().run(page)).response["violations"]
    return [f"{rule['id']}: {', '.join(node['html'] for node in rule['nodes'])}" for rule in found]


def _error(message: ConsoleMessage) -> list[str]:
    is_error = message.type == "error" and not message.text.startswith(_STATUS)
    return [message.text] if is_error else []
