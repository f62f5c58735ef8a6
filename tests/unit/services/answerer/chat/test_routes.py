"""Chat clients over HTTP: models, completions, streams, citations, and errors."""

import json
from typing import Any

import httpx
import pytest

from services.answerer.chat_routes import MAX_CHAT_BODY_BYTES
from tests.fakes.llm import ScriptedModel
from tests.unit.services.answerer.test_app import client, retriever

CHAT = "/v1/chat/completions"
QUESTION: dict[str, Any] = {"model": "kgqa", "messages": [{"role": "user", "content": "capital of France?"}]}


async def chat(**changes: Any) -> httpx.Response:
    async with client(retriever()) as http:
        return await http.post(CHAT, json={**QUESTION, **changes})


def events(reply: httpx.Response) -> list[dict[str, Any]]:
    assert reply.headers["content-type"].startswith("text/event-stream")
    *lines, end = [line.removeprefix("data: ") for line in reply.text.split("\n\n") if line]
    assert end == "[DONE]"
    return [json.loads(line) for line in lines]


async def test_the_model_is_listed() -> None:
    async with client(retriever()) as http:
        assert [model["id"] for model in (await http.get("/v1/models")).json()["data"]] == ["kgqa"]


async def test_a_reply_cites_evidence_that_can_be_opened() -> None:
    async with client(retriever()) as http:
        reply = (await http.post(CHAT, json=QUESTION)).json()
        message = reply["choices"][0]["message"]
        [annotation] = message["annotations"]
        citation = annotation["url_citation"]
        assert message["content"].startswith("The capital of France is Paris [1].\n\nI am 90 % sure.\n\n[1]: http")
        assert message["content"][citation["start_index"] : citation["end_index"]] == "[1]"
        assert (annotation["type"], citation["title"]) == ("url_citation", "The capital is Paris.")
        evidence = (await http.get(citation["url"])).json()
        assert (evidence["question"], evidence["answers"]) == ("capital of France?", ["Paris"])
        assert evidence["triples"] == [{"subject": "France", "relation": "capital", "object": "Paris"}]
        gone = await http.get("/evidence/0")
        assert (gone.status_code, gone.headers["content-type"]) == (404, "application/problem+json")


async def test_usage_is_what_the_model_reports() -> None:
    model = ScriptedModel(["Paris"])
    async with client(retriever(), model) as http:
        usage = (await http.post(CHAT, json=QUESTION)).json()["usage"]
    read = model.usage.prompt_tokens
    assert read > 0
    assert usage == {"prompt_tokens": read, "completion_tokens": 0, "total_tokens": read}


async def test_a_stream_has_the_text_the_citations_the_end_and_the_usage() -> None:
    whole = (await chat()).json()["choices"][0]["message"]
    first, *chunks, usage = events(await chat(stream=True, stream_options={"include_usage": True}))
    assert first["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    text = "".join(delta.get("content", "") for delta in deltas)
    assert text.split("[1]: ")[0] == whole["content"].split("[1]: ")[0]
    assert next(delta for delta in deltas if "annotations" in delta)["annotations"][0]["type"] == "url_citation"
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks] == [*[None] * (len(chunks) - 1), "stop"]
    assert (usage["choices"], usage["usage"]["total_tokens"] > 0) == ([], True)
    assert len({chunk["id"] for chunk in (first, *chunks, usage)}) == 1
    assert all("usage" not in chunk for chunk in events(await chat(stream=True)))


async def test_requests_as_real_clients_send_them() -> None:
    messages = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "capital of "}, {"type": "text", "text": "France?"}]},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "user", "content": "capital of France?", "name": "Ann"},
    ]
    nulls = dict.fromkeys(("temperature", "stop", "tools", "n", "stream", "stream_options", "user"))
    reply = await chat(messages=messages, **nulls, extra_field={"a": 1})
    assert reply.status_code == 200
    assert reply.json()["choices"][0]["message"]["content"].startswith("The capital of France is Paris [1].")


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
LEFT_OUT = "I read texts only, and left out {} of the earlier messages, such as images."


@pytest.mark.parametrize(
    ("earlier", "left_out"),
    [
        ([{"role": "user", "content": [{"type": "text", "text": "What is this?"}, IMAGE]}], "1 part"),
        ([{"role": "user", "content": [IMAGE, {"type": "input_audio"}]}], "2 parts"),
        (
            [{"role": "assistant", "content": [IMAGE]}, {"role": "tool", "tool_call_id": "1", "content": [IMAGE]}],
            "2 parts",
        ),
        ([{"role": "tool", "tool_call_id": "1", "content": [{"type": "file"}, "text", None]}], "3 parts"),
        ([{"role": "user", "content": "Hello!"}], None),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
async def test_an_image_in_an_earlier_turn_is_left_out(
    earlier: list[dict[str, Any]], left_out: str | None, stream: bool
) -> None:
    reply = await chat(messages=[*earlier, *QUESTION["messages"]], stream=stream)
    assert reply.status_code == 200
    chunks = [chunk["choices"][0]["delta"] for chunk in events(reply)] if stream else []
    text = "".join(delta.get("content", "") for delta in chunks) or reply.json()["choices"][0]["message"]["content"]
    assert text.startswith("The capital of France is Paris [1].")
    assert (LEFT_OUT.format(left_out) in text) == (left_out is not None)
    assert ("left out" in text) == (left_out is not None)


async def test_an_image_in_a_tool_result_after_the_question_is_left_out() -> None:
    reply = await chat(messages=[*QUESTION["messages"], {"role": "tool", "tool_call_id": "1", "content": [IMAGE]}])
    assert "left out 1 part" in reply.json()["choices"][0]["message"]["content"]


async def test_a_client_cannot_claim_that_parts_were_left_out() -> None:
    reply = await chat(messages=[{**QUESTION["messages"][0], "left_out": 7}])
    assert "left out" not in reply.json()["choices"][0]["message"]["content"]


async def test_a_front_ends_own_prompt_does_not_touch_the_graph() -> None:
    prompt = 'Generate a title for this conversation.\n\nUser: "capital of France?"'
    async with client(None) as http:
        reply = await http.post(CHAT, json={**QUESTION, "messages": [{"role": "user", "content": prompt}]})
    assert reply.json()["choices"][0]["message"]["content"] == "Capital of France"


async def test_a_greeting_does_not_touch_the_graph() -> None:
    async with client(None) as http:
        reply = await http.post(CHAT, json={**QUESTION, "messages": [{"role": "user", "content": "Good morning!"}]})
    assert reply.json()["choices"][0]["message"]["content"] == "Hello! Ask me about what the graph knows."


async def test_an_unknown_pronoun_is_asked_back() -> None:
    reply = await chat(messages=[{"role": "user", "content": "What is its capital?"}])
    message = reply.json()["choices"][0]["message"]
    assert message["content"] == "I don't know what “its” refers to. Please ask again with the name."
    assert message["annotations"] == []


@pytest.mark.parametrize(
    ("changes", "status", "param", "said"),
    [
        ({"model": "gpt-4"}, 404, None, "use 'kgqa', or another one"),
        ({"model": "kgqa:world:guess"}, 404, None, "there is no model 'kgqa:world:guess'"),
        ({"model": "kgqa:../x"}, 404, None, "there is no model"),
        ({"messages": []}, 400, "messages", "at least 1"),
        ({"messages": None}, 400, "messages", "list"),
        ({"messages": [{"role": "system", "content": "x"}]}, 400, None, "role 'user' has no text"),
        ({"messages": [{"role": "user", "content": " "}]}, 400, None, "has no text"),
        ({"messages": [{"role": "user", "content": "x" * 1001}]}, 400, None, "at most 1000 characters"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
            400,
            "messages.0.content",
            "'image_url'",
        ),
        (
            {"messages": [{"role": "user", "content": "x"}, {"role": "user", "content": [{"type": "image_url"}]}]},
            400,
            "messages.1.content",
            "only parts of the type 'text'",
        ),
        ({"messages": ["x"]}, 400, "messages.0", "object"),
        ({"n": 2}, 400, "n", "less than or equal to 1"),
        ({"messages": [{"role": "user", "content": "x" * MAX_CHAT_BODY_BYTES}]}, 413, None, "larger than"),
    ],
)
async def test_errors_are_in_openais_shape(changes: dict[str, Any], status: int, param: str | None, said: str) -> None:
    for stream in (False, True):
        reply = await chat(**changes, stream=stream)
        error = reply.json()["error"]
        assert (reply.status_code, error["type"], error["param"]) == (status, "invalid_request_error", param)
        assert said in error["message"]


async def test_a_long_history_is_accepted() -> None:
    old = {"role": "assistant", "content": "x" * 500_000}
    assert (await chat(messages=[old, *QUESTION["messages"]])).status_code == 200


async def test_a_missing_retriever_is_a_server_error_in_openais_shape() -> None:
    async with client(None) as http:
        reply = await http.post(CHAT, json={**QUESTION, "stream": True})
    assert (reply.status_code, reply.json()["error"]["type"]) == (503, "server_error")


@pytest.mark.parametrize(("method", "path", "status"), [("GET", CHAT, 405), ("POST", "/v1/nothing", 404)])
async def test_other_routes_and_methods(method: str, path: str, status: int) -> None:
    async with client(retriever()) as http:
        reply = await http.request(method, path)
    assert (reply.status_code, reply.json()["error"]["type"]) == (status, "invalid_request_error")
