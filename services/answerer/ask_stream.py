"""Answer a question step by step: first what the graph says, then the text as it is written, then the whole reply."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

from contracts.ask import AskResponse
from services.answerer.pipeline import Asker, Found, listed_answers, reply_evidence
from shared.llm.drafts import heard_by


@dataclass(frozen=True, slots=True)
class AskEvent:
    """One step of a reply: its name, and its content as JSON."""

    name: str
    data: Any


@dataclass(frozen=True, slots=True)
class AskStream:
    """The reply of the graph to a question, and a way to put it into words; `observe` sees the whole reply.

    Example:
        >>> [event.name async for event in AskStream(asker, await asker.find(request), "id", observe).events()]
        ['topic', 'plan', 'answers', 'evidence', 'text', 'result']
    """

    asker: Asker
    found: Found
    request_id: str
    observe: Callable[[AskResponse], None]

    async def events(self) -> AsyncIterator[AskEvent]:
        """Return the steps in order; the QA model stops if the consumer stops.

        The texts that follow the last `discard`, or all texts if there is none, add up to the answer in `result`.

        Raises:
            KGQAError: If the answer cannot be put into words.
        """
        for event in self._findings():
            yield event
        drafts = _LatestDraft()
        answering = asyncio.create_task(self._answer(drafts))
        text = StreamedText()
        try:
            async for draft in drafts.until_end():
                for event in text.become(draft):
                    yield event
            response = await answering
            self.observe(response)
        finally:
            answering.cancel()
        for event in text.become(response.answer):
            yield event
        yield AskEvent("result", response.model_dump(mode="json"))

    def _findings(self) -> Iterator[AskEvent]:
        """Return what is known before the evidence is rewritten; templates verbalise it here."""
        retrieved = self.found.retrieved
        evidence = reply_evidence(self.found.request, retrieved, [])
        answers = listed_answers(retrieved, evidence)
        yield AskEvent(
            "topic", {"topic_entities": [topic.model_dump(mode="json") for topic in retrieved.topic_entities]}
        )
        yield AskEvent("plan", {"plan": retrieved.plan.model_dump(mode="json") if retrieved.plan else None})
        yield AskEvent(
            "answers",
            {
                "answers": [answer.model_dump(mode="json") for answer in answers],
                "answer_type": retrieved.answer_type,
                "confidence": retrieved.confidence,
                "abstained": not retrieved.answers,
            },
        )
        yield AskEvent("evidence", {"evidence": [item.model_dump(mode="json") for item in evidence]})

    async def _answer(self, drafts: "_LatestDraft") -> AskResponse:
        try:
            with heard_by(drafts.write):
                return await self.asker.answer(self.found, self.request_id)
        finally:
            drafts.end()


class StreamedText:
    """Turn successive versions of a text into pieces to append, and `discard` where a version is no continuation."""

    def __init__(self) -> None:
        self._sent = ""

    def become(self, version: str) -> Iterator[AskEvent]:
        """Return the events that turn what was sent into `version`."""
        if not version.startswith(self._sent):
            yield AskEvent("discard", {})
            self._sent = ""
        if piece := version[len(self._sent) :]:
            yield AskEvent("text", {"text": piece})
        self._sent = version


class _LatestDraft:
    """Hold the latest version of a text, so that a slow client does not make older ones pile up."""

    def __init__(self) -> None:
        self._text = ""
        self._has_ended = False
        self._changed = asyncio.Event()

    def write(self, text: str) -> None:
        self._text = text
        self._changed.set()

    def end(self) -> None:
        self._has_ended = True
        self._changed.set()

    async def until_end(self) -> AsyncIterator[str]:
        while True:
            await self._changed.wait()
            if self._has_ended:
                return
            self._changed.clear()
            yield self._text
