"""Read the events of `POST /ask/stream`."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from contracts.answers import Answer, AnswerType, Evidence
from contracts.ask import AskResponse
from contracts.base import Probability
from contracts.plans import QueryPlan
from contracts.retrieve import TopicEntity
from kgqa.client.errors import UnexpectedReplyError, problem_error
from shared.problem import Problem


class AskEvent(BaseModel):
    """Base class of the events of a reply."""

    model_config = ConfigDict(frozen=True)


class TopicEvent(AskEvent):
    """Name the topics that the question may be about; the first candidate is the chosen one."""

    topic_entities: list[TopicEntity]


class PlanEvent(AskEvent):
    """Hold the plan that found the answers; null if there are none."""

    plan: QueryPlan | None


class AnswersEvent(AskEvent):
    """Hold the answers, before a text names them."""

    answers: list[Answer]
    answer_type: AnswerType | None
    confidence: Probability
    abstained: bool


class EvidenceEvent(AskEvent):
    """Hold the support of the answers, with texts by templates."""

    evidence: list[Evidence]


class TextEvent(AskEvent):
    """Hold a piece of the answer, to append to the pieces before it. No check has passed it yet."""

    text: str


class DiscardEvent(AskEvent):
    """Drop the pieces so far: they failed a check, and the next pieces start afresh."""


class ResultEvent(AskEvent):
    """Hold the whole reply, as `ask` returns it; always the last event."""

    response: AskResponse


_EVENTS: dict[str, type[AskEvent]] = {
    "topic": TopicEvent,
    "plan": PlanEvent,
    "answers": AnswersEvent,
    "evidence": EvidenceEvent,
    "text": TextEvent,
    "discard": DiscardEvent,
}


class EventDecoder:
    """Turn the bytes of a stream of server-sent events into events, wherever the bytes are cut.

    `has_ended` is true after the result. Events that this client does not know are left out.
    """

    def __init__(self) -> None:
        self.has_ended = False
        self._rest = b""
        self._name = ""
        self._data: list[str] = []

    def feed(self, data: bytes) -> Iterator[AskEvent]:
        """Yield the events that these bytes complete; raise ProblemError for the event `error`."""
        # Texts may contain characters that Python, but not the format, regards as line ends.
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            event = self._take(line.removesuffix(b"\r").decode(errors="replace"))
            if event is not None:
                yield event

    def _take(self, line: str) -> AskEvent | None:
        if not line:
            name, data = self._name, "\n".join(self._data)
            self._name, self._data = "", []
            return self._event(name, data) if data else None
        field, _, value = line.partition(":")
        if field == "event":
            self._name = value.removeprefix(" ")
        elif field == "data":
            self._data.append(value.removeprefix(" "))
        return None

    def _event(self, name: str, data: str) -> AskEvent | None:
        if name == "error":
            raise problem_error(_parsed(Problem, data))
        if name == "result":
            self.has_ended = True
            return ResultEvent(response=_parsed(AskResponse, data))
        return _parsed(_EVENTS[name], data) if name in _EVENTS else None


def _parsed(model: type[Any], data: str) -> Any:
    try:
        return model.model_validate_json(data, extra="ignore")
    except ValidationError as error:
        raise UnexpectedReplyError(
            "the stream has an event that this client cannot read; do the client and the service run the same version?"
        ) from error
