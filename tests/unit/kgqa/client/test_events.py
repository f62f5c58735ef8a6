"""Events are the same wherever their bytes are cut, and a stream that breaks says so."""

import json
from itertools import pairwise

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.examples import ASK_EXAMPLE
from kgqa.client import NO_RETRIES, Client, ConnectionFailedError, DependencyError, ResultEvent, TextEvent
from kgqa.client import UnexpectedReplyError as Unexpected
from kgqa.client.events import AskEvent, EventDecoder
from services.answerer.event_stream import event
from tests.unit.kgqa.client.test_errors import problem

TEXT = "Paris\u2028and\u0085Rome\n\r\nand\x0b"
STREAM = event({"text": TEXT}, "text") + b": ping\n\n" + event({"x": 1}, "new") + event(ASK_EXAMPLE, "result")


def decoded(*pieces: bytes) -> list[AskEvent]:
    decoder = EventDecoder()
    events = [one for piece in pieces for one in decoder.feed(piece)]
    assert decoder.has_ended == any(isinstance(one, ResultEvent) for one in events)
    return events


@given(st.lists(st.integers(0, len(STREAM)), max_size=6))
def test_cuts_do_not_matter(places: list[int]) -> None:
    cuts = [0, *sorted(places), len(STREAM)]
    events = decoded(*(STREAM[start:end] for start, end in pairwise(cuts)))

    assert [type(one) for one in events] == [TextEvent, ResultEvent]
    assert events[0] == TextEvent(text=TEXT)


def test_proxies_may_change_line_ends() -> None:
    assert decoded(STREAM.replace(b"\n", b"\r\n")) == decoded(STREAM)


def streaming(content: bytes) -> list[AskEvent]:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=content))
    with Client("http://127.0.0.1", retries=NO_RETRIES, transport=transport) as client:
        return list(client.ask_stream("?"))


def test_a_stream_without_a_result_was_interrupted() -> None:
    with pytest.raises(ConnectionFailedError, match="ended before the result"):
        streaming(event({"text": "Par"}, "text"))


def test_the_last_event_may_be_a_problem() -> None:
    with pytest.raises(DependencyError, match="D"):
        streaming(event(problem("dependency-unavailable", 503), "error"))


@pytest.mark.parametrize("content", [b"event: text\ndata: {}\n\n", b"event: text\ndata: x\n\n", b"<html></html>\n\n"])
def test_other_streams_are_not_guessed_at(content: bytes) -> None:
    with pytest.raises((Unexpected, ConnectionFailedError)):
        streaming(content)


def test_the_reply_of_a_result_is_that_of_a_question() -> None:
    [_, result] = decoded(STREAM)
    assert isinstance(result, ResultEvent)
    assert json.loads(result.response.model_dump_json())["answer"] == ASK_EXAMPLE["answer"]
