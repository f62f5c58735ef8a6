"""Feedback becomes a question file that training reads."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from contracts.feedback import FeedbackRequest
from contracts.plans import PlanRequest, QueryPlan
from graph.plan.checks import read_plan
from question_sets.records import read_questions
from services.answerer.app import create_app
from services.answerer.feedback import FeedbackFile
from services.answerer.settings import AnswererSettings
from shared.errors import BusyError, DependencyError
from tests.fakes.llm import ScriptedModel
from tests.fakes.serving import serving

_PLAN = {"steps": [{"op": "match", "nodes": [{"variable": "n", "kinds": ["Film"]}]}]}


async def _post(settings: AnswererSettings, body: dict[str, Any]) -> httpx.Response:
    async with (
        serving(create_app(settings, model=ScriptedModel([]))) as url,
        httpx.AsyncClient(base_url=url, trust_env=False) as client,
    ):
        return await client.post("/feedback", json=body)


async def test_feedback_is_a_question_that_training_reads(tmp_path: Path) -> None:
    file = tmp_path / "feedback" / "films.jsonl"
    settings = AnswererSettings(feedback_file=file)

    first = await _post(settings, {"question": "How many films are there?", "answers": [20]})
    second = await _post(settings, {"question": "Which films?", "plan": _PLAN})
    third = await _post(settings, {"question": "Who is the pope?", "answers": []})

    assert (first.status_code, first.json()) == (201, {"kept": True})
    count, listing, unknown = read_questions(file)
    assert (second.status_code, third.status_code) == (201, 201)
    assert (count.question, count.answers) == ("How many films are there?", ("20",))
    assert listing.plan is not None
    assert unknown.answers == ()


@pytest.mark.parametrize("query", [None, {"text": "SELECT 1", "parameters": {}}])
async def test_the_plan_of_a_reply_can_be_sent_back(tmp_path: Path, query: dict[str, Any] | None) -> None:
    file = tmp_path / "feedback.jsonl"
    plan = QueryPlan.model_validate({**_PLAN, "text": "n:Film", "query": query})

    reply = await _post(AnswererSettings(feedback_file=file), {"question": "Which films?", "plan": plan.model_dump()})

    assert reply.status_code == 201
    [listing] = read_questions(file)
    assert listing.plan == PlanRequest.model_validate({"plan": plan}).plan == read_plan(_PLAN)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"question": "q"}, "give `answers`, or the `plan`"),
        ({"question": "q", "plan": {"steps": [{"op": "x"}]}}, "unknown op"),
        ({"question": "q", "answers": ["x", {"a": 1}]}, '"answers.1: expected a string, a number, or a boolean"'),
        ({"question": "q", "answers": [["x"]]}, '"answers.0: expected a string, a number, or a boolean"'),
        ({"question": "q", "answers": ["x" * 10_000]}, '"answers.0: String should have at most 500 characters"'),
        ({"question": "q", "answers": ["x", " "]}, '"answers.1: String should have at least 1 character"'),
        ({"question": "q", "answers": [1] * 1001}, '"answers: expected at most 1000 items, found 1001"'),
        ({"question": "q", "plan": {**_PLAN, "txt": ""}}, "plan.txt: unknown field"),
        ({"answers": ["x"]}, "question"),
        ({"question": "q", "answers": ["x"], "mood": "sad"}, "mood"),
    ],
)
async def test_bad_feedback_is_an_error_that_says_why(tmp_path: Path, body: dict[str, Any], message: str) -> None:
    settings = AnswererSettings(feedback_file=tmp_path / "feedback.jsonl")

    reply = await _post(settings, body)

    assert reply.status_code == 422
    assert message in reply.text
    assert not (tmp_path / "feedback.jsonl").exists()


async def test_without_a_file_feedback_is_refused() -> None:
    reply = await _post(AnswererSettings(), {"question": "q", "answers": ["x"]})

    assert reply.status_code == 404
    assert "KGQA_ANSWERER_FEEDBACK_FILE" in reply.json()["detail"]


async def test_a_full_file_takes_no_more(tmp_path: Path) -> None:
    store = FeedbackFile(tmp_path / "feedback.jsonl", max_bytes=80)
    feedback = FeedbackRequest(question="Which films?", answers=["Heat"])

    await store.add(feedback)

    with pytest.raises(BusyError, match="80 bytes"):
        await store.add(feedback)


async def test_an_unwritable_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")

    with pytest.raises(DependencyError, match="cannot write feedback"):
        await FeedbackFile(tmp_path / "taken" / "feedback.jsonl").add(FeedbackRequest(question="q", answers=["x"]))
