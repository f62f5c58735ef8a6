"""The page in a real Chromium, with a retriever whose graph is hostile, and with others that fail."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from playwright.async_api import Browser, Page, expect

from contracts.answers import Answer, AnswerType, Evidence, ReplyWarning
from contracts.plans import ExecutedQuery, PlanResponse, QueryPlan
from contracts.retrieve import Alternative, RetrieveResponse
from services.answerer.app import create_app
from services.answerer.settings import AnswererSettings
from shared.api_keys import caller_keys, hash_of
from shared.llm.client import LanguageModel
from shared.triple import Triple
from tests.fakes.llm import DraftingModel, ScriptedModel
from tests.fakes.services import capital_of_france, nothing_found
from tests.fakes.serving import NOBODY, serving
from tests.support.browser import accessibility_violations, needs_chromium, opened
from tests.support.waiting import until

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="module")]

_PHONE = {"width": 390, "height": 844}
_STEPS: list[dict[str, Any]] = [{"op": "match", "nodes": [{"variable": "n", "kinds": ["City"]}]}]
_HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
_KEY = "kgqa_" + 43 * "k"


def _reply(**changes: object) -> RetrieveResponse:
    return capital_of_france().model_copy(update=changes)


def _rows(names: list[str]) -> RetrieveResponse:
    """Return a reply of two columns, whose evidence has a fact for each row."""
    evidence = [Evidence(triples=[Triple("Earth", "part_of", name)], text=f"{name} counts.") for name in names]
    return _reply(
        relation_paths=[],
        evidence=[],
        plan_evidence=evidence,
        columns=["continent", "countries"],
        rows=[[name, 10 * place] for place, name in enumerate(names)],
        answers=[Answer(value=name, score=0.9, evidence=[place]) for place, name in enumerate(names)],
        answer_type=AnswerType.ROWS,
        plan=QueryPlan(text="match c → group", steps=_STEPS),
    )


def _retriever(reply: RetrieveResponse) -> FastAPI:
    app = FastAPI()

    @app.post("/retrieve")
    async def retrieve() -> RetrieveResponse:
        return reply

    @app.post("/plan")
    async def plan(request: Request) -> PlanResponse:
        assert (await request.json())["plan"]["steps"][0]["op"] == "match"
        return PlanResponse(
            plan="match n:City",
            columns=["n"],
            rows=[[{"id": "1", "name": "Lyon", "kinds": ["City"]}]],
            answer_type=AnswerType.ENTITIES,
            evidence=[Evidence(triples=[Triple("Lyon", "in", "France")], text="Lyon is in France.")],
            row_evidence=[[0]],
            warnings=[],
            query=ExecutedQuery(text="SELECT 1", parameters={}),
            graph_version="1",
            run_ms=1.0,
        )

    @app.post("/rewrite")
    async def rewrite() -> JSONResponse:
        return JSONResponse({"texts": ["The capital is Paris."], "degraded": [], "cached": 0})

    return app


@asynccontextmanager
async def _page(
    browser: Browser,
    reply: RetrieveResponse | None,
    options: dict[str, Any] | None = None,
    model: LanguageModel | None = None,
    **settings: object,
) -> AsyncIterator[Page]:
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(serving(_retriever(reply))) if reply else NOBODY
        given = AnswererSettings.model_validate({"retriever_url": url, "rewriter_url": url, **settings})
        own = await stack.enter_async_context(serving(create_app(given, model=model or ScriptedModel(["Paris"] * 9))))
        yield await stack.enter_async_context(opened(browser, own, **(options or {})))


async def _ask(page: Page, question: str = "What is the capital of France?") -> None:
    await page.get_by_label("Question").fill(question)
    await page.keyboard.press("Enter")


async def test_an_answer_has_numbers_that_light_up_edges(browser: Browser) -> None:
    async with _page(browser, _reply()) as page:
        await _ask(page)
        answer = page.locator(".answer")
        await expect(answer).to_have_text("The capital of France is Paris[1].")
        stages = page.locator("#stages li")
        await expect(stages).to_have_count(5)
        assert [text.split()[0] for text in await stages.all_inner_texts()] == [
            "topic", "plan", "answers", "evidence", "done",
        ]  # fmt: skip
        assert await page.locator(".node text").all_text_contents() == ["France", "Paris"]
        assert await page.locator(".edge text").all_text_contents() == ["capital"]
        await expect(page.locator(".edge.lit")).to_have_count(0)

        await page.get_by_role("button", name="Evidence 1").press("Enter")

        await expect(page.locator(".edge.lit")).to_have_count(1)
        await expect(page.locator("#evidence-1")).to_be_focused()
        await expect(page.locator("#evidence-1")).to_have_text("The capital is Paris.")
        await expect(page.get_by_text('match "France" -capital-> answer')).to_have_count(2)  # stage, and plan


async def test_what_is_known_is_shown_while_the_model_writes(browser: Browser) -> None:
    gate = asyncio.Event()
    model = DraftingModel(["The capital", "The capital of France", "The capital of France is Paris."], gate)
    async with _page(browser, _reply(), model=model) as page:
        await _ask(page)
        await expect(page.locator(".draft")).to_have_text("The capital of France is Paris.")
        await expect(page.locator("#stages li")).to_have_count(4)
        await expect(page.locator(".citation")).to_have_count(0)
        gate.set()
        await expect(page.locator(".citation")).to_have_count(1)
        await expect(page.locator(".draft")).to_have_count(0)


async def test_the_next_question_stops_the_model_of_the_last_one(browser: Browser) -> None:
    gate = asyncio.Event()
    model = DraftingModel(["The capital of France is Paris."], gate)
    async with _page(browser, _reply(), model=model) as page:
        await _ask(page)
        await expect(page.locator(".draft")).to_contain_text("Paris")
        await _ask(page, "And which one has France?")
        await until(lambda: model.stopped == 1)
        gate.set()
        await expect(page.locator(".citation")).to_have_count(1)
        await expect(page.locator(".stage-done")).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_page_is_accessible(browser: Browser, tmp_path: Path, scheme: str) -> None:
    file = tmp_path / "feedback.jsonl"
    async with _page(browser, _rows(["Africa", "Asia"]), {"color_scheme": scheme}, feedback_file=file) as page:
        assert await accessibility_violations(page) == []
        await _ask(page)
        await page.get_by_role("button", name="Evidence 1").click()
        await page.get_by_role("button", name="Wrong").click()
        for summary in await page.locator("summary").all():
            await summary.click()
        await expect(page.get_by_label("The right answers")).to_be_visible()
        assert await accessibility_violations(page) == []
    async with _page(browser, None, {"color_scheme": scheme}, api_keys={"someone": hash_of(_KEY)}) as page:
        await _ask(page)
        await expect(page.get_by_role("alert")).to_be_visible()
        assert await accessibility_violations(page) == []


async def test_hostile_names_are_shown_as_text(browser: Browser) -> None:
    triple = Triple(_HOSTILE, _HOSTILE, _HOSTILE)
    hostile = _rows([_HOSTILE, "Asia"]).model_copy(
        update={
            "plan_evidence": [Evidence(triples=[triple], text=_HOSTILE), Evidence(triples=[], text="none")],
            "alternatives": [
                Alternative(
                    plan=_HOSTILE, topic_entity="", relations=[], score=0.1, answers=[_HOSTILE], more=0, steps=_STEPS
                )
            ],
            "warnings": [ReplyWarning(kind="unread", text=_HOSTILE)],
            "plan": QueryPlan(text=_HOSTILE, steps=_STEPS, query=ExecutedQuery(text=_HOSTILE, parameters={})),
            "columns": [_HOSTILE, "n"],
        }
    )
    async with _page(browser, hostile) as page:
        await _ask(page, _HOSTILE)
        await expect(page.locator("#reply table")).to_contain_text(_HOSTILE)
        for place in ("th", "td", ".warnings li", "#evidence-1", ".readings code", ".edge title", ".node title"):
            assert _HOSTILE in (await page.locator(place).first.text_content() or ""), place
        assert await page.title() == "Ask the graph"
        await expect(page.locator("main img, #reply script")).to_have_count(0)


async def test_rows_are_a_table_and_a_chart(browser: Browser) -> None:
    names = ["Africa", "Asia", "Europe"]
    async with _page(browser, _rows(names)) as page:
        await _ask(page)
        await expect(page.locator("tbody tr")).to_have_count(3)
        assert await page.locator("th").all_text_contents() == ["continent", "countries"]
        assert await page.locator(".bar .label").all_text_contents() == names
        widths = [float(await bar.get_attribute("width") or 0) for bar in await page.locator(".bar rect").all()]
        assert widths == sorted(widths) and widths[1] * 2 == pytest.approx(widths[2])


async def test_a_large_graph_is_cut(browser: Browser) -> None:
    triples = [Triple("Earth", "part_of", f"Land {number}") for number in range(70)]
    evidence = [Evidence(triples=triples, text="All.")]
    reply = _rows([f"Land {number}" for number in range(35)]).model_copy(update={"plan_evidence": evidence})
    async with _page(browser, reply) as page:
        await _ask(page)
        await expect(page.locator(".edge")).to_have_count(60)
        await expect(page.locator("#reply")).to_contain_text("10 more facts are not drawn.")
        await expect(page.locator("tbody tr")).to_have_count(35)
        await expect(page.locator(".chart")).to_have_count(0)


async def test_a_reading_is_asked_with_one_click(browser: Browser) -> None:
    readings = [
        Alternative(
            plan=f"match n:{kind}", topic_entity="", relations=[], score=0.3, answers=["Lyon"], more=2, steps=_STEPS
        )
        for kind in ("City", "Town")
    ]
    asks_back = nothing_found().model_copy(update={"alternatives": readings})
    async with _page(browser, asks_back) as page:
        await _ask(page)
        await expect(page.get_by_role("heading", name="Which one do you mean?")).to_be_visible()
        await expect(page.locator(".readings button")).to_have_count(2)
        await page.get_by_role("button", name="match n:City").press("Enter")
        await expect(page.locator(".answer")).to_have_text("Lyon[1]")
        await expect(page.locator("#reply")).to_be_focused()
        assert await page.locator(".node text").all_text_contents() == ["Lyon", "France"]


async def test_feedback_is_kept_and_only_offered_if_it_can_be(browser: Browser, tmp_path: Path) -> None:
    async with _page(browser, _reply()) as page:
        await _ask(page)
        await expect(page.locator(".answer button")).to_have_count(1)
        await expect(page.get_by_role("button", name="Right")).to_have_count(0)
    file = tmp_path / "feedback.jsonl"
    reply = _reply(plan=QueryPlan(text="plan", steps=_STEPS))
    async with _page(browser, reply, feedback_file=file) as page:
        await _ask(page)
        await page.get_by_role("button", name="Right").click()
        await expect(page.locator(".feedback")).to_contain_text("Thank you")
        await _ask(page, "What else?")
        await page.get_by_role("button", name="Wrong").click()
        await page.get_by_label("The right answers").fill("Lyon\n\n Nice ")
        await page.get_by_role("button", name="Send").click()
        await expect(page.locator(".feedback")).to_contain_text("Thank you")
    confirmed, corrected = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    assert confirmed["plan"]["steps"][0]["op"] == "match"
    assert (corrected["question"], corrected["answers"]) == ("What else?", ["Lyon", "Nice"])


async def test_a_key_is_asked_for_and_kept_in_the_tab_only(browser: Browser) -> None:
    async with _page(browser, _reply(), api_keys={"someone": hash_of(_KEY)}) as page:
        await _ask(page)
        await expect(page.get_by_role("alert")).to_contain_text("requires an API key")
        await expect(page.get_by_label("API key")).to_be_focused()
        await page.keyboard.type(_KEY)
        await page.keyboard.press("Enter")
        await expect(page.locator(".answer")).to_contain_text("Paris")
        await page.reload()
        await expect(page.get_by_label("API key")).to_have_value(_KEY)
        stored = "[localStorage.length, document.cookie, sessionStorage.length]"
        assert await page.evaluate(stored) == [0, "", 1]


async def test_a_graph_is_chosen_among_those_of_the_key(browser: Browser) -> None:
    asked: list[dict[str, Any]] = []
    app = _retriever(_reply())

    @app.get("/graphs")
    async def graphs() -> JSONResponse:
        names = ("films", "people", "secret")
        return JSONResponse({"graphs": [{"name": name, "strategies": ["plan"]} for name in names]})

    @app.middleware("http")
    async def note(request: Request, call_next: Any) -> Any:
        if request.url.path == "/retrieve":
            asked.append(await request.json())
        return await call_next(request)

    keys = caller_keys({"someone": {"hash": hash_of(_KEY), "graphs": ["films", "people"]}})
    async with (
        serving(app) as url,
        serving(
            create_app(
                AnswererSettings(retriever_url=url, rewriter_url=url, api_keys=keys), model=ScriptedModel(["Paris"] * 9)
            )
        ) as own,
        opened(browser, own) as page,
    ):
        await expect(page.get_by_label("Graph", exact=True)).to_be_hidden()
        await page.get_by_label("API key").fill(_KEY)
        await page.get_by_label("API key").press("Tab")
        choice = page.get_by_label("Graph", exact=True)
        await expect(choice).to_be_visible()
        assert await choice.locator("option").all_inner_texts() == ["films", "people"]
        assert await accessibility_violations(page) == []
        await choice.select_option("people")
        await _ask(page)
        await expect(page.locator(".answer")).to_contain_text("Paris")
    assert [one["graph"] for one in asked] == ["people"]


async def test_an_error_is_said_in_the_words_of_the_service(browser: Browser) -> None:
    async with _page(browser, None) as page:
        await _ask(page)
        await expect(page.get_by_role("alert")).to_have_text("the retriever is unreachable; retry shortly")
        await _ask(page, "x" * 1000)
        await expect(page.get_by_role("alert")).to_have_count(1)


async def test_the_page_fits_a_phone_in_the_dark(browser: Browser) -> None:
    async with _page(browser, _rows(["Africa", "x" * 300]), {"viewport": _PHONE, "color_scheme": "dark"}) as page:
        await _ask(page)
        await expect(page.locator("tbody tr")).to_have_count(2)
        assert await page.evaluate("document.documentElement.scrollWidth") <= _PHONE["width"]
        assert await page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(15, 23, 42)"


async def test_the_documentation_shows_the_routes(browser: Browser) -> None:
    async with _page(browser, None) as page:
        await page.get_by_role("link", name="API").click()
        await expect(page.locator("#documentation .opblock").first).to_be_visible()
        await expect(page.get_by_text("/ask/stream").first).to_be_visible()
