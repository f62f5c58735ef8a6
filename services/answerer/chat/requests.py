"""Define the requests of chat clients, as leniently as OpenAI's API reads them."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.json_schema import SkipJsonSchema

from contracts.ask import AskRequest
from contracts.base import CostOfWrong
from services.answerer.chat.front_end_tasks import without_passages
from services.answerer.chat.models import MODEL, ChosenModel
from services.answerer.chat.restriction import AskedAbout
from shared.errors import InvalidInputError
from shared.llm.openai_api import MessageText, Text, is_text_part

MAX_MESSAGES = 1000
# More evidence than this would bury the answer in numbers.
_MAX_EVIDENCE = 20


class ChatMessage(BaseModel):
    """One turn of a conversation; only the texts of users are read.

    Attributes:
        left_out: The number of parts of an earlier turn that are no texts, such as images.
    """

    model_config = ConfigDict(extra="ignore")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: MessageText = ""
    left_out: SkipJsonSchema[int] = 0


def _with_texts_before_the_question(messages: object) -> object:
    """Leave out the parts that are no texts, except those of the question, which cannot be answered without them."""
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        return messages  # which the model rejects
    last = max((place for place, message in enumerate(messages) if message.get("role") == "user"), default=None)
    return [{**message, **_texts_of(message, place == last)} for place, message in enumerate(messages)]


def _texts_of(message: Mapping[str, Any], is_question: bool) -> dict[str, object]:
    content = message.get("content")
    if is_question or not isinstance(content, list):
        return {"left_out": 0}
    texts = [part for part in content if is_text_part(part)]
    return {"content": texts, "left_out": len(content) - len(texts)}


class StreamOptions(BaseModel):
    """Options of a streamed completion."""

    model_config = ConfigDict(extra="ignore")

    include_usage: bool | None = None


class ChatCompletionRequest(BaseModel):
    """A conversation whose last user message is the question. Other fields of OpenAI's API are ignored.

    `cost_of_wrong` is not part of OpenAI's API: how many right answers a wrong one outweighs.
    """

    model_config = ConfigDict(
        extra="ignore",
        hide_input_in_errors=True,
        json_schema_extra={
            "examples": [{"model": MODEL, "messages": [{"role": "user", "content": "Which countries border France?"}]}]
        },
    )

    model: Text
    messages: Annotated[
        list[ChatMessage],
        Field(min_length=1, max_length=MAX_MESSAGES),
        BeforeValidator(_with_texts_before_the_question),
    ]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: Annotated[int, Field(ge=1, le=1)] | None = None
    cost_of_wrong: CostOfWrong | None = None

    @property
    def wants_usage(self) -> bool:
        """Return whether the stream ends with the token counts."""
        return bool(self.stream_options and self.stream_options.include_usage)

    @property
    def left_out(self) -> int:
        """Return the number of parts of earlier turns that are no texts."""
        return sum(message.left_out for message in self.messages)

    def turns(self) -> list[tuple[str, str]]:
        """Return the role and the text of each message."""
        return [
            ("system" if message.role == "developer" else message.role, message.content) for message in self.messages
        ]

    def questions(self) -> list[str]:
        """Return the user's messages, without passages of documents that a front end added.

        Raises InvalidInputError if there are none, or if the last one is empty.
        """
        asked = [without_passages(text).strip() for role, text in self.turns() if role == "user"]
        if not asked or not asked[-1]:
            raise InvalidInputError("messages: the last message with the role 'user' has no text; send a question")
        return [question for question in asked if question]


def ask_request(asked: AskedAbout, model: ChosenModel, cost_of_wrong: float | None = None) -> AskRequest:
    """Return the request that asks a model a question.

    Raises InvalidInputError if the question is too long, or has no visible text.
    """
    try:
        return AskRequest(
            question=asked.text,
            means=dict(asked.means),
            among=tuple(asked.among),
            max_evidence=_MAX_EVIDENCE,
            cost_of_wrong=cost_of_wrong,
            graph=model.graph,
            strategy=model.strategy,
        )
    except ValidationError as error:
        reason = error.errors()[0]["msg"].removeprefix("String ")
        raise InvalidInputError(f"messages: the question {reason}; send a shorter question without documents") from None
