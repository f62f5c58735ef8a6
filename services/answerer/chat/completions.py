"""Write chat replies as OpenAI's completions, whole or in chunks."""

import time
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import BaseModel

from services.answerer.chat.answering import ChatReply
from shared.llm.openai_api import TokenCounts

_PIECE_CHARACTERS = 200


class UrlCitation(BaseModel):
    """The evidence for the text from `start_index` to before `end_index`."""

    url: str
    title: str
    start_index: int
    end_index: int


class Annotation(BaseModel):
    """A citation, in OpenAI's format."""

    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitation


class ReplyMessage(BaseModel):
    """The message of a reply."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None
    annotations: list[Annotation]


class ReplyChoice(BaseModel):
    """The only choice of a completion."""

    index: int = 0
    message: ReplyMessage
    logprobs: None = None
    finish_reason: Literal["stop"] = "stop"


class ChatCompletion(BaseModel):
    """A reply to a chat client."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[ReplyChoice]
    usage: TokenCounts


def completion(reply: ChatReply, id_: str, model: str) -> ChatCompletion:
    """Return the reply of a model as one completion."""
    message = ReplyMessage(content=reply.text, annotations=_annotations(reply))
    return ChatCompletion(
        id=id_,
        created=int(time.time()),
        model=model,
        choices=[ReplyChoice(message=message)],
        usage=_token_counts(reply),
    )


class ChunkWriter:
    """Write one reply as the chunks of a stream, all with the same ID and time.

    Args:
        id_: The ID of the completion.
        model: The model that the client chose.
        has_usage: Whether the client asked for the token counts.
    """

    def __init__(self, id_: str, model: str, has_usage: bool) -> None:
        self._head = {"id": id_, "object": "chat.completion.chunk", "created": int(time.time()), "model": model}
        self._has_usage = has_usage

    def start(self) -> dict[str, Any]:
        """Return the first chunk, which has the role."""
        return self._chunk({"role": "assistant", "content": ""})

    def reply(self, reply: ChatReply) -> Iterator[dict[str, Any]]:
        """Return the text in pieces, the citations, the end, and the token counts if the client wants them."""
        for at in range(0, len(reply.text), _PIECE_CHARACTERS):
            yield self._chunk({"content": reply.text[at : at + _PIECE_CHARACTERS]})
        if reply.citations:
            yield self._chunk({"annotations": [one.model_dump() for one in _annotations(reply)]})
        yield self._chunk({}, "stop")
        if self._has_usage:
            yield {**self._head, "choices": [], "usage": _token_counts(reply).model_dump()}

    def _chunk(self, delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return {**self._head, "choices": [choice], **({"usage": None} if self._has_usage else {})}


def _annotations(reply: ChatReply) -> list[Annotation]:
    return [
        Annotation(url_citation=UrlCitation(url=one.url, title=one.title, start_index=one.start, end_index=one.end))
        for one in reply.citations
    ]


def _token_counts(reply: ChatReply) -> TokenCounts:
    usage = reply.usage
    return TokenCounts(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        total_tokens=usage.prompt_tokens + usage.completion_tokens,
    )
