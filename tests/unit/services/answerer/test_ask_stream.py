"""`POST /ask/stream`: the order of its events, the text that they add up to, and clients that go away."""

import asyncio
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from services.answerer.ask_stream import StreamedText
from shared.llm.client import LanguageModel
from tests.fakes.llm import DraftingModel, FailingModel, ScriptedModel
from tests.support.waiting import until
from tests.unit.services.answerer.test_app import client, retriever

STREAM = "/ask/stream"
QUESTION: dict[str, Any] = {"question": "capital of France?"}
FINDINGS = ["topic", "plan", "answers", "evidence"]


def parsed(text: str) -> list[tuple[str, Any]]:
    events = []
    for block in text.strip().split("\n\n"):
        name, data = block.split("\n")
        events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return events


SENTENCE = "The capital of France is Paris."


async def streamed(model: LanguageModel | None = None) -> list[tuple[str, Any]]:
    async with client(retriever(), model) as http:
        reply = await http.post(STREAM, json=QUESTION)
    assert reply.headers["content-type"].startswith("text/event-stream")
    return parsed(reply.text)


def written(events: list[tuple[str, Any]]) -> str:
    """Return what a client shows after all events."""
    text = ""
    for name, data in events:
        if name == "text":
            text += data["text"]
        elif name == "discard":
            text = ""
    return text


async def test_the_findings_come_first_then_the_text_then_the_reply_of_ask() -> None:
    events = await streamed()
    async with client(retriever()) as http:
        whole = (await http.post("/ask", json=QUESTION)).json()

    assert [name for name, _ in events] == [*FINDINGS, "text", "result"]
    findings, result = dict(events), events[-1][1]
    assert findings["topic"]["topic_entities"] == whole["topic_entities"]
    assert findings["plan"]["plan"] == whole["plan"]
    assert findings["answers"]["answers"] == whole["answers"]
    assert findings["answers"]["abstained"] is False
    assert findings["evidence"]["evidence"][0]["triples"] == whole["evidence"][0]["triples"]
    varying = {"request_id", "timings_ms"}
    assert {**result, **dict.fromkeys(varying)} == {**whole, **dict.fromkeys(varying)}


async def test_the_text_arrives_before_the_model_has_ended() -> None:
    gate = asyncio.Event()
    model = DraftingModel(["The capital", "The capital is Paris."], gate)
    async with client(retriever(), model) as http, http.stream("POST", STREAM, json=QUESTION) as reply:
        lines = reply.aiter_lines()
        text = ""
        while text != "The capital is Paris.":
            line = await anext(lines)
            if line == "event: text":
                text += json.loads((await anext(lines)).removeprefix("data: "))["text"]
        gate.set()
        assert [line async for line in lines if line.startswith("event: ")] == ["event: result"]


async def test_a_draft_that_fails_the_check_is_discarded() -> None:
    events = await streamed(DraftingModel(["Paris is", "Paris is Lyon."]))
    assert written(events) == events[-1][1]["answer"] == SENTENCE
    assert "discard" in [name for name, _ in events]


async def test_an_answer_without_a_model_is_one_text() -> None:
    events = await streamed(FailingModel())
    assert (written(events), events[-1][1]["degraded"]) == (SENTENCE, ["qa_model"])


async def test_a_client_that_goes_away_stops_the_model() -> None:
    model = DraftingModel(["Par"], gate=asyncio.Event())
    async with client(retriever(), model) as http:
        async with http.stream("POST", STREAM, json=QUESTION) as reply:
            async for line in reply.aiter_lines():
                if line == "event: text":
                    break
        await until(lambda: model.stopped == 1)
    assert model.calls == 1


async def test_errors_before_the_first_event_have_a_status() -> None:
    async with client(retriever(404)) as http:
        reply = await http.post(STREAM, json=QUESTION)
    assert (reply.status_code, reply.json()["type"]) == (404, "urn:kgqa:error:unknown-topic-entity")
    async with client(retriever()) as http:
        reply = await http.post(STREAM, json={"question": ""})
    assert (reply.status_code, reply.headers["content-type"]) == (422, "application/problem+json")


async def test_a_stream_is_counted_like_a_question() -> None:
    async with client(retriever(), ScriptedModel(["Paris"])) as http:
        await http.post(STREAM, json=QUESTION)
        metrics = (await http.get("/metrics")).text
    assert 'kgqa_step_seconds_count{step="answer"} 1.0' in metrics


@given(st.lists(st.text(alphabet="ab ", max_size=5)))
def test_texts_after_the_last_discard_add_up_to_the_last_version(versions: list[str]) -> None:
    streamed_text, events = StreamedText(), list[tuple[str, Any]]()
    for version in versions:
        events += [(event.name, event.data) for event in streamed_text.become(version)]
        assert written(events) == version
