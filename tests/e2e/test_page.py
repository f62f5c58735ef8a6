"""The page of a running `kgqa up`, in a real Chromium."""

import pytest
from playwright.async_api import Browser, expect

from tests.support.browser import needs_chromium, opened
from tests.support.command_line import Running

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="module")]


async def test_a_question_about_the_demo(running: Running, browser: Browser) -> None:
    async with opened(browser, running.urls["answerer"]) as page:
        await page.get_by_label("Question").fill("Which countries border Switzerland?")
        await page.get_by_role("button", name="Ask").click()
        await expect(page.locator("#stages .stage-done")).to_have_count(1)
        await expect(page.locator(".edge")).to_have_count(5)
        names = await page.locator(".node text").all_text_contents()
        assert sorted(names) == ["Austria", "France", "Germany", "Italy", "Liechtenstein", "Switzerland"]
        await page.get_by_role("button", name="Evidence 1").click()
        await expect(page.locator(".edge.lit")).to_have_count(5)


async def test_a_question_without_an_answer(running: Running, browser: Browser) -> None:
    async with opened(browser, running.urls["answerer"]) as page:
        await page.get_by_label("Question").fill("Who is the president of Atlantis?")
        await page.keyboard.press("Enter")
        await expect(page.locator(".answer")).to_contain_text("I don't know")


async def test_a_name_that_several_cities_have(running: Running, browser: Browser) -> None:
    async with opened(browser, running.urls["answerer"]) as page:
        await page.get_by_label("Question").fill("What is the population of Springfield?")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="Which Springfield do you mean?")).to_be_visible()
        await page.get_by_role("button", name="Springfield, Ohio").click()
        await expect(page.locator(".answer")).to_contain_text("59,680")
        await expect(page.get_by_role("heading", name="Which Springfield do you mean?")).to_have_count(0)
