"""Define the requests of chat clients, as leniently as OpenAI's API reads them."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from services.answerer.chat.front_end_tasks import without_passages
from services.answerer.chat.models import MODEL, ChosenModel
from shared.contracts import AskRequest
from shared.errors import InvalidInputError
from shared.llm.openai_api import MessageText, Text

MAX_MESSAGES = 1000
# More evidence than this would bury the answer in numbers.
_MAX_EVIDENCE = 20


class ChatMessage(BaseModel):
    """One turn of a conversation; only the texts of users are read."""

    model_config = ConfigDict(extra="ignore")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: MessageText = ""


class StreamOptions(BaseModel):
    """Options of a streamed completion."""

    model_config = ConfigDict(extra="ignore")

    include_usage: bool | None = None


class ChatCompletionRequest(BaseModel):
    """A conversation whose last user message is the question. Other fields of OpenAI's API are ignored."""

    model_config = ConfigDict(
        extra="ignore",
        hide_input_in_errors=True,
        json_schema_extra={
            "examples": [{"model": MODEL, "messages": [{"role": "user", "content": "Which countries border France?"}]}]
        },
    )

    model: Text
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=MAX_MESSAGES)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: Annotated[int, Field(ge=1, le=1)] | None = None

    @property
    def wants_usage(self) -> bool:
        """Return whether the stream ends with the token counts."""
        return bool(self.stream_options and self.stream_options.include_usage)

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


def ask_request(question: str, model: ChosenModel) -> AskRequest:
    """Return the request that asks a model a question.

    Raises InvalidInputError if the question is too long, or has no visible text.
    """
    try:
        return AskRequest(question=question, max_evidence=_MAX_EVIDENCE, graph=model.graph, strategy=model.strategy)
    except ValidationError as error:
        reason = error.errors()[0]["msg"].removeprefix("String ")
        raise InvalidInputError(f"messages: the question {reason}; send a shorter question without documents") from None
