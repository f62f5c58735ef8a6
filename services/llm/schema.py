"""Requests and replies of the embedded language model: the part of OpenAI's API that it knows, and its bounds."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from services.llm.engine import MAX_NEW_TOKENS, PromptTooLongError
from shared.errors import InvalidInputError

# The answerer's knowledge is up to 6,000 letters, a question up to 1,000. Counted before anything is tokenized.
MAX_PROMPT_BYTES = 8_192
MAX_MESSAGES = 32
DEFAULT_MAX_TOKENS = 256


def _whole(number: object) -> object:
    """JSON makes no difference between `5` and `5.0`."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _listed(stop: object) -> object:
    """Make one stop sequence a list, so that errors name no branch of a union."""
    return [stop] if isinstance(stop, str) else stop


# A constraint of any length makes lone surrogates an error: llama.cpp could not read them.
Text = Annotated[str, StringConstraints(min_length=0)]
StopSequence = Annotated[str, StringConstraints(min_length=1, max_length=100)]
StopList = Annotated[list[StopSequence], Field(max_length=4)]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1), BeforeValidator(_whole)]
NewTokens = Annotated[int, Field(ge=1, le=MAX_NEW_TOKENS), BeforeValidator(_whole)]


class Message(BaseModel):
    """One turn of a conversation."""

    model_config = ConfigDict(extra="ignore", strict=True)

    role: Literal["system", "user", "assistant"]
    content: Text


class ChatRequest(BaseModel):
    """A chat completion request; fields that this server does not know are ignored."""

    model_config = ConfigDict(extra="ignore", strict=True)

    model: Text
    messages: Annotated[list[Message], Field(min_length=1, max_length=MAX_MESSAGES)]
    max_tokens: NewTokens | None = None
    max_completion_tokens: NewTokens | None = None
    temperature: Annotated[float, Field(ge=0.0, le=2.0, allow_inf_nan=False)] = 1.0
    top_p: Annotated[float, Field(gt=0.0, le=1.0, allow_inf_nan=False)] = 1.0
    seed: Seed | None = None
    stop: Annotated[StopList, BeforeValidator(_listed, json_schema_input_type=StopSequence | StopList)] | None = None
    n: Annotated[Literal[1], BeforeValidator(_whole)] | None = None
    stream: bool = Field(default=False, json_schema_extra={"const": False})

    def for_llama(self) -> dict[str, Any]:
        """What llama.cpp is asked. Raises InvalidInputError for a stream, PromptTooLongError for too long a prompt."""
        if self.stream:
            raise InvalidInputError("this server does not stream: leave out `stream`")
        size = sum(len(message.content.encode()) for message in self.messages)
        if size > MAX_PROMPT_BYTES:
            raise PromptTooLongError(
                f"the prompt has {size:,} bytes of UTF-8, and this server takes {MAX_PROMPT_BYTES:,}: shorten it"
            )
        asked = self.model_dump(include={"messages", "temperature", "top_p", "seed", "stop"}, exclude_none=True)
        asked["max_tokens"] = self.max_completion_tokens or self.max_tokens or DEFAULT_MAX_TOKENS
        return asked


class AssistantMessage(BaseModel):
    """What the model says."""

    role: Literal["assistant"]
    content: str


class Choice(BaseModel):
    """A completion, of which there is one."""

    index: int
    message: AssistantMessage
    finish_reason: Literal["stop", "length"]


class TokenCounts(BaseModel):
    """How many tokens were read and written."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Completion(BaseModel):
    """A chat completion."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[Choice]
    usage: TokenCounts


class Model(BaseModel):
    """A model that is served."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "kgqa"


class ModelList(BaseModel):
    """All models that are served."""

    object: Literal["list"] = "list"
    data: list[Model]


class ErrorDetail(BaseModel):
    """What was wrong."""

    message: str
    type: str
    param: str | None
    code: str | None


class ErrorReply(BaseModel):
    """An error, in OpenAI's shape."""

    error: ErrorDetail
