"""The real `openai` client, and LangChain on top of it, converse with the graph of a running `kgqa up`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam
from pydantic import SecretStr

from tests.support.command_line import Running

if TYPE_CHECKING:
    from langchain_openai import ChatOpenAI

_QUESTION = "What is the capital of France?"


@pytest.fixture
def client(running: Running) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{running.urls['answerer']}/v1", api_key="unused", max_retries=0) as connected:
        yield connected


def _user(*texts: str) -> list[ChatCompletionMessageParam]:
    """Return a conversation in which the user and the assistant take turns."""
    messages: list[ChatCompletionMessageParam] = []
    for number, text in enumerate(texts):
        messages.append(
            {"role": "assistant", "content": text} if number % 2 else {"role": "user", "content": text},
        )
    return messages


def _said(client: openai.OpenAI, *texts: str) -> str:
    reply = client.chat.completions.create(model="kgqa", messages=_user(*texts))
    return reply.choices[0].message.content or ""


def test_the_model_is_listed(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["kgqa"]


def test_an_answer_cites_its_evidence(client: openai.OpenAI) -> None:
    reply = client.chat.completions.create(model="kgqa", messages=_user(_QUESTION))

    message = reply.choices[0].message
    [cited] = [one.url_citation for one in message.annotations or ()]
    assert "Paris" in (message.content or "")
    assert (message.content or "")[cited.start_index : cited.end_index] == "[1]"
    evidence = httpx.get(cited.url, trust_env=False).json()
    assert {"subject": "France", "relation": "capital", "object": "Paris"} in evidence["triples"]
    assert reply.usage is not None and reply.usage.total_tokens > 0


def test_a_stream_says_the_same(client: openai.OpenAI) -> None:
    whole = _said(client, _QUESTION)

    chunks = list(
        client.chat.completions.create(
            model="kgqa", messages=_user(_QUESTION), stream=True, stream_options={"include_usage": True}
        )
    )

    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text.split("[1]: ")[0] == whole.split("[1]: ")[0]
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage is not None and chunks[-1].usage.total_tokens > 0


def test_a_follow_up_is_read_with_the_question_before(client: openai.OpenAI) -> None:
    said = _said(client, _QUESTION, "The capital of France is Paris.", "And of Spain?")

    assert "Madrid" in said
    assert "What is the capital of Spain?" in said


def test_a_name_that_several_cities_have_is_asked_back_and_then_kept(client: openai.OpenAI) -> None:
    asked = _said(client, "What is the population of Springfield?")
    chosen = ("What is the population of Springfield?", asked, "Springfield, Ohio")
    answer = _said(client, *chosen)

    assert "Which Springfield do you mean: 1) Springfield, 2)" in asked
    assert "59,680" in answer
    assert "Ohio" in _said(client, *chosen, answer, "In which state is Springfield?")


def test_what_the_graph_does_not_know_is_not_invented(client: openai.OpenAI) -> None:
    assert _said(client, "Who is the president of Atlantis?").startswith("I don't know")


def test_errors_are_those_of_the_client(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="use 'kgqa', or another one"):
        client.chat.completions.create(model="gpt-4", messages=_user(_QUESTION))
    with pytest.raises(openai.BadRequestError, match="has no text"):
        client.chat.completions.create(model="kgqa", messages=_user(" "))


@pytest.fixture
def chain_model(running: Running) -> "ChatOpenAI":
    # Importing it takes seconds, in every worker that collects this module; only one of them runs it.
    from langchain_openai import ChatOpenAI

    base_url = f"{running.urls['answerer']}/v1"
    return ChatOpenAI(base_url=base_url, api_key=SecretStr("unused"), model="kgqa", max_retries=0, stream_usage=True)


def test_langchain_gets_an_answer_with_its_usage(chain_model: "ChatOpenAI") -> None:
    reply = chain_model.invoke([("system", "Be brief."), ("human", _QUESTION)])

    assert "Paris [1]" in reply.text
    assert reply.usage_metadata is not None and reply.usage_metadata["total_tokens"] > 0
    assert reply.response_metadata["finish_reason"] == "stop"


def test_langchain_streams_the_same_text(chain_model: "ChatOpenAI") -> None:
    from langchain_core.messages import AIMessageChunk

    whole = chain_model.invoke(_QUESTION).text

    pieces = [chunk for chunk in chain_model.stream(_QUESTION) if isinstance(chunk, AIMessageChunk)]

    text = "".join(piece.text for piece in pieces)
    assert text.split("[1]: ")[0] == whole.split("[1]: ")[0]
    assert sum((piece.usage_metadata or {"total_tokens": 0})["total_tokens"] for piece in pieces) > 0
