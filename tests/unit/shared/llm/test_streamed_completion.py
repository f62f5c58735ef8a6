"""Completions that arrive piece by piece, from servers that do and do not send them so."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import Response, StreamingResponse

from shared.errors import DependencyError
from shared.llm.drafts import heard_by
from shared.llm.streamed_completion import StreamedCompletion
from shared.llm.usage import Usage
from tests.support.waiting import until
from tests.unit.shared.llm.test_any_server import Answer, Server, completed, refused

USAGE = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}}
END = {"choices": [{"delta": {}, "finish_reason": "stop"}]}


def piece(text: Any, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"delta": {"content": text, **fields}, "finish_reason": None}]}


def as_events(*chunks: Any, done: bool = True) -> bytes:
    blocks = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return (": a comment\n\n" + "".join(blocks) + "data: [DONE]\n\n" * done).encode()


def sends(*chunks: Any, done: bool = True) -> Answer:
    """Return a server that sends each event on its own if it is asked to."""

    async def body() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield as_events(chunk, done=False)
            await asyncio.sleep(0)
        yield b"data: [DONE]\n\n" if done else b""

    def answer(request: dict[str, Any]) -> Response:
        return StreamingResponse(body(), media_type="text/event-stream") if request.get("stream") else completed()

    return answer


async def heard(server: Server, times: int = 1) -> tuple[str, list[str], Usage]:
    drafts: list[str] = []
    text = ""
    async with server.client() as model:
        for _ in range(times):
            with heard_by(drafts.append):
                text = await model.complete("who directed The Silent Orchard?", max_tokens=7)
        return text, drafts, model.usage


async def test_drafts_grow_and_tokens_are_counted() -> None:
    server = Server(sends(piece("Os"), piece("lo "), piece(""), END, USAGE))
    text, drafts, usage = await heard(server)
    assert (text, usage) == ("Oslo", Usage(1, 5, 2))
    assert drafts[-1] == "Oslo"
    assert all(text.startswith(draft) for draft in drafts)
    assert (server.bodies[0]["stream"], server.bodies[0]["stream_options"]) == (True, {"include_usage": True})


async def test_nobody_asks_for_pieces_without_a_listener() -> None:
    server = Server(sends())
    async with server.client() as model:
        assert await model.complete("q", max_tokens=7) == "Oslo"
    assert "stream" not in server.bodies[0]


@pytest.mark.parametrize("message", ["'stream' is not supported", "this server does not support streaming"])
async def test_a_server_that_refuses_pieces_is_asked_for_the_whole(message: str) -> None:
    server = Server(lambda body: refused(message) if body.get("stream") else completed())
    assert await heard(server, times=2) == ("Oslo", [], Usage(2))
    assert [body.get("stream") for body in server.bodies] == [True, None, None]


async def test_a_server_that_cannot_count_still_sends_pieces() -> None:
    answer = sends(piece("Oslo"), END)
    server = Server(lambda body: refused("unknown: stream_options") if "stream_options" in body else answer(body))
    assert (await heard(server))[:2] == ("Oslo", ["Oslo"])
    assert ["stream" in body for body in server.bodies] == [True, True]


async def test_a_server_that_ignores_the_wish_gives_the_whole() -> None:
    assert await heard(Server(lambda _: completed())) == ("Oslo", [], Usage(1))


async def test_a_model_that_reasons_is_given_more_room_in_pieces_too() -> None:
    cut = {"choices": [{"delta": {"reasoning_content": "Hm"}, "finish_reason": "length"}]}
    short, long = sends(cut), sends(piece("Oslo"), END)
    server = Server(lambda body: short(body) if body["max_tokens"] == 7 else long(body))
    assert (await heard(server))[:2] == ("Oslo", ["Oslo"])


@pytest.mark.parametrize(
    ("chunks", "done", "reason"),
    [
        ([piece("Os"), {"error": {"message": "out of memory"}}], True, "out of memory"),
        ([piece("Os"), {"error": {"message": "cannot read The Silent Orchard"}}], True, "see its log"),
        ([piece("Os"), {"error": {"message": "the key sk-1 expired"}}], True, "the key … expired"),
        ([piece("Os")], False, "see its log"),
    ],
)
async def test_a_completion_that_breaks_off_is_an_error(chunks: list[Any], done: bool, reason: str) -> None:
    with pytest.raises(DependencyError, match=f"stopped in the middle of a completion: {reason}"):
        await heard(Server(sends(*chunks, done=done)))


async def test_the_server_stops_if_nobody_waits() -> None:
    stopped = asyncio.Event()

    async def body() -> AsyncIterator[bytes]:
        try:
            yield as_events(piece("Os"), done=False)
            await asyncio.Event().wait()
        finally:
            stopped.set()

    drafts: list[str] = []
    async with Server(lambda _: StreamingResponse(body())).client() as model:
        with heard_by(drafts.append):
            asked = asyncio.create_task(model.complete("q", max_tokens=7))
        await until(lambda: drafts == ["Os"])
        asked.cancel()
        await until(stopped.is_set)


def test_drafts_show_neither_thoughts_nor_the_beginning_of_a_tag() -> None:
    drafts: list[str] = []
    streamed = StreamedCompletion(drafts.append)
    for text in ("<thi", "nk>Is it Bergen?", " No</th", "ink> Os", "lo is < ", "Bergen> in size \ud83d"):
        streamed.feed(as_events(piece(text), done=False))
    assert drafts == ["", "", "", "Os", "Oslo is", "Oslo is < Bergen> in size ?"]


@given(st.lists(st.text(max_size=8), max_size=5), st.lists(st.integers(1, 40), min_size=1))
def test_the_text_does_not_depend_on_where_the_bytes_are_cut(texts: list[str], cuts: list[int]) -> None:
    streamed = StreamedCompletion(lambda _: None)
    content = as_events(*map(piece, texts), END, USAGE)
    streamed.feed(b"")
    while content:
        cuts = [*cuts[1:], cuts[0]]
        streamed.feed(content[: cuts[0]])
        content = content[cuts[0] :]
    reply = streamed.end()
    assert reply is not None
    assert (reply["choices"][0]["message"]["content"] or "") == "".join(texts)
    assert (reply["usage"], streamed.is_complete) == (USAGE["usage"], True)


@given(st.one_of(st.binary(), st.recursive(st.none() | st.text() | st.integers(), st.lists).map(as_events)))
def test_any_events_can_be_read(content: bytes) -> None:
    streamed = StreamedCompletion(lambda _: None)
    streamed.feed(content)
    streamed.end()


@given(
    st.fixed_dictionaries(
        {
            "choices": st.lists(
                st.fixed_dictionaries(
                    {
                        "delta": st.one_of(
                            st.none(),
                            st.fixed_dictionaries(
                                {"content": st.one_of(st.none(), st.integers(), st.lists(st.text()))}
                            ),
                        )
                    }
                )
                | st.none()
            )
        }
    )
)
def test_pieces_of_any_shape_can_be_read(chunk: Any) -> None:
    streamed = StreamedCompletion(lambda _: None)
    streamed.feed(as_events(chunk))
    assert streamed.end() is not None
