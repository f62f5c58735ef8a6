"""Names with markup of every format, in every field of a reply, are text on every surface."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from urllib.parse import quote

import httpx
import pytest
import pytest_asyncio
from fastapi import FastAPI
from mcp import Client
from mcp_types import TextContent
from prometheus_client.parser import text_string_to_metric_families

from contracts.answers import Answer, AnswerType, Evidence, ReplyWarning
from contracts.ask import AskResponse
from contracts.plans import ExecutedQuery, QueryPlan
from contracts.retrieve import Alternative, RetrieveRequest, RetrieveResponse, TopicEntity
from kgqa.ask import show_answer, show_explanation
from kgqa.console import print_json, print_table
from kgqa.conversation import Conversation, converse
from services.answerer.app import create_app
from services.answerer.settings import AnswererSettings
from shared.escaping import line_text
from shared.triple import Triple
from tests.fakes.llm import ScriptedModel
from tests.fakes.services import capital_of_france
from tests.fakes.serving import NOBODY, serving
from tests.support.hostile_names import HOSTILE_NAMES, REORDERING
from tests.support.markdown import links

pytestmark = pytest.mark.asyncio(loop_scope="module")

EACH_NAME = pytest.mark.parametrize("number", range(len(HOSTILE_NAMES)))
_LABELS = {
    *[
        "answers",
        "confidence",
        "trusted",
        "plan",
        "evidence",
        "strategy",
        "warning",
        "time",
        "query",
        "parameters",
        "otherwise",
    ],
    "",
}
ANSWERED, SILENT = "What is number {} called?", "What was number {} called?"


def reply(name: str, is_silent: bool) -> RetrieveResponse:
    """Return a reply with a name in each field that holds a text of the graph."""
    found = [
        Answer(value=name, id=name, kind=name, detail=name, score=1.0, evidence=[0]),
        Answer(value=f"{name} 2", score=1.0, evidence=[]),
    ]
    changes = {
        "topic_entities": [TopicEntity(entity=name, id=name, mention=name, score=1.0)],
        "relation_paths": [],
        "answers": [] if is_silent else found,
        "answer_type": None if is_silent else AnswerType.ENTITIES,
        "evidence": [],
        "plan_evidence": [] if is_silent else [Evidence(triples=[Triple(name, name, name)], text=f"{name} is {name}.")],
        "alternatives": [
            Alternative(plan=name, topic_entity=name, relations=[name], score=0.1, answers=[name], more=1)
        ],
        "plan": QueryPlan(text=name, steps=[], query=ExecutedQuery(text=name, parameters={"p0": name})),
        "warnings": [ReplyWarning(kind="tie", text=f"Several are called {name}.")],
        "unread": [name],
        "trusted": name,
    }
    return capital_of_france().model_copy(update=changes)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url() -> AsyncIterator[str]:
    """Serve an answerer whose retriever answers each question with another hostile name."""
    retriever = FastAPI()

    @retriever.post("/retrieve")
    async def retrieve(request: RetrieveRequest) -> RetrieveResponse:
        number = int(re.findall(r"\d+", request.question)[0])
        return reply(HOSTILE_NAMES[number % len(HOSTILE_NAMES)], is_silent=" was " in request.question)

    async with AsyncExitStack() as stack:
        retriever_url = await stack.enter_async_context(serving(retriever))
        settings = AnswererSettings(retriever_url=retriever_url, rewriter_url=NOBODY)
        yield await stack.enter_async_context(serving(create_app(settings, model=ScriptedModel([]))))


async def chat(url: str, question: str, stream: bool) -> str:
    """Return the text of a chat reply."""
    body = {"model": "kgqa", "messages": [{"role": "user", "content": question}], "stream": stream}
    async with httpx.AsyncClient(base_url=url, trust_env=False) as http:
        sent = await http.post("/v1/chat/completions", json=body)
    assert sent.status_code == 200
    if not stream:
        return str(sent.json()["choices"][0]["message"]["content"])
    chunks = [json.loads(line.removeprefix("data: ")) for line in sent.text.split("\n\n")[:-2]]
    return "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)


@EACH_NAME
async def test_a_chat_reply_links_to_its_evidence_alone(url: str, number: int) -> None:
    for stream in (False, True):
        text = await chat(url, ANSWERED.format(number), stream)
        found = links(text)
        assert found and all(link.startswith(f"{url}/evidence/") for link in found)
        assert not any(control in text for control in (*REORDERING, "\x1b", "\x00"))
        assert links(await chat(url, SILENT.format(number), stream)) == []


async def test_questions_about_several_names_are_lists_of_text(url: str) -> None:
    questions = [ANSWERED.format(0), "And who made number 1 of them?"]
    body = {"model": "kgqa", "messages": [{"role": "user", "content": one} for one in questions]}
    async with httpx.AsyncClient(base_url=url, trust_env=False) as http:
        text = (await http.post("/v1/chat/completions", json=body)).json()["choices"][0]["message"]["content"]
    assert text.count("\n- ") == 1
    assert all(link.startswith(f"{url}/evidence/") for link in links(text))


@EACH_NAME
async def test_tools_return_json_without_controls(url: str, number: int) -> None:
    async with Client(f"{url}/mcp") as agent:
        result = await agent.call_tool("ask", {"question": ANSWERED.format(number)})
    [content] = result.content
    assert isinstance(content, TextContent)
    assert json.loads(content.text)["answers"][0]["value"] == HOSTILE_NAMES[number]
    assert is_plain(content.text)


@EACH_NAME
async def test_commands_print_each_text_on_one_line(url: str, number: int, capsys: pytest.CaptureFixture[str]) -> None:
    async with httpx.AsyncClient(base_url=url, trust_env=False) as http:
        sent = await http.post("/ask", json={"question": ANSWERED.format(number), "explain": True})
    response = AskResponse.model_validate(sent.json())
    name = line_text(HOSTILE_NAMES[number])

    show_answer(response, tried_several=True)
    show_explanation(response)
    shown = capsys.readouterr().out
    shown_labels = {line[:11].strip() for line in shown.splitlines()[1:]}
    assert shown_labels <= _LABELS
    assert f"plan        {name}\n" in shown
    assert all(map(is_plain, shown.splitlines()))

    print_json(response.model_dump_json())
    assert is_plain(capsys.readouterr().out.removesuffix("\n"))
    print_table(("name", "number"), [(HOSTILE_NAMES[number], "1")])
    assert all(map(is_plain, capsys.readouterr().out.splitlines()))


@EACH_NAME
async def test_a_conversation_shows_the_name_and_no_escapes_of_markdown(
    url: str, number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    conversation = Conversation(url, 60, None)
    await asyncio.to_thread(converse, conversation, lambda: iter([ANSWERED.format(number)]))
    lines = capsys.readouterr().out.splitlines()
    assert all(map(is_plain, lines))
    visible = " ".join(HOSTILE_NAMES[number].split())
    if visible.isprintable():
        assert any(visible in line for line in lines)


@EACH_NAME
async def test_labels_of_metrics_have_no_names(url: str, number: int) -> None:
    async with httpx.AsyncClient(base_url=url, trust_env=False) as http:
        await http.post("/ask", json={"question": ANSWERED.format(number)})
        await http.get(f"/{quote(HOSTILE_NAMES[number], safe='')}")
        exported = (await http.get("/metrics")).text
    families = {family.name for family in text_string_to_metric_families(exported)}
    assert "kgqa_requests" in families and "kgqa_forged" not in exported


def is_plain(line: str) -> bool:
    """Return whether a line has no control characters, and none that reorder text."""
    return not any(one in REORDERING or ord(one) < 32 or 127 <= ord(one) < 160 for one in line)
