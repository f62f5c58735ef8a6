"""Define the supported part of OpenAI's API: its requests, replies, and limits."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from services.llm.engine import MAX_NEW_TOKENS, PromptTooLongError
from shared.errors import InvalidInputError
from shared.llm.openai_api import MessageText, Text, TokenCounts

# The answerer sends up to 6,000 characters of knowledge and a question of up to 1,000 characters. The limit is checked
# before tokenization.
MAX_PROMPT_BYTES = 8_192
MAX_MESSAGES = 32
MAX_GRAMMAR = 16_384
DEFAULT_MAX_TOKENS = 256


def _whole(number: object) -> object:
    """Convert `5.0` to `5`, because JSON does not distinguish between the two."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _listed(stop: object) -> object:
    """Wrap a single stop sequence in a list, so that validation errors do not mention a branch of a union type."""
    return [stop] if isinstance(stop, str) else stop


StopSequence = Annotated[str, StringConstraints(min_length=1, max_length=100)]
StopList = Annotated[list[StopSequence], Field(max_length=4)]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1), BeforeValidator(_whole)]
NewTokens = Annotated[int, Field(ge=1, le=MAX_NEW_TOKENS), BeforeValidator(_whole)]


class Message(BaseModel):
    """Represent one turn of a conversation; `developer` is OpenAI's newer name for `system`."""

    model_config = ConfigDict(extra="ignore", strict=True)

    role: Literal["system", "user", "assistant", "developer"]
    content: MessageText = ""


class ChatRequest(BaseModel):
    """Represent a chat completion request; unknown fields are ignored, and null stands for the default."""

    model_config = ConfigDict(extra="ignore", strict=True)

    model: Text
    messages: Annotated[list[Message], Field(min_length=1, max_length=MAX_MESSAGES)]
    max_tokens: NewTokens | None = None
    max_completion_tokens: NewTokens | None = None
    temperature: Annotated[float, Field(ge=0.0, le=2.0, allow_inf_nan=False)] | None = None
    top_p: Annotated[float, Field(gt=0.0, le=1.0, allow_inf_nan=False)] | None = None
    seed: Seed | None = None
    stop: Annotated[StopList, BeforeValidator(_listed, json_schema_input_type=StopSequence | StopList)] | None = None
    n: Annotated[Literal[1], BeforeValidator(_whole)] | None = None
    grammar: Annotated[str, StringConstraints(min_length=1, max_length=MAX_GRAMMAR)] | None = None
    stream: bool | None = Field(default=None, json_schema_extra={"enum": [False, None]})

    def to_llama_request(self) -> dict[str, Any]:
        """Convert to llama.cpp's format.

        Raises InvalidInputError if `stream` is set, and PromptTooLongError if the prompt is too long.
        """
        if self.stream:
            raise InvalidInputError("this server does not support streaming; omit `stream`")
        size = sum(len(message.content.encode()) for message in self.messages)
        if size > MAX_PROMPT_BYTES:
            raise PromptTooLongError(
                f"the prompt is {size:,} bytes long in UTF-8; the limit is {MAX_PROMPT_BYTES:,}; shorten the prompt"
            )
        fields: dict[str, Any] = {"temperature": 1.0, "top_p": 1.0}
        fields |= self.model_dump(include={"temperature", "top_p", "seed", "stop", "grammar"}, exclude_none=True)
        fields["messages"] = [
            {"role": "system" if message.role == "developer" else message.role, "content": message.content}
            for message in self.messages
        ]
        fields["max_tokens"] = self.max_completion_tokens or self.max_tokens or DEFAULT_MAX_TOKENS
        return fields


class AssistantMessage(BaseModel):
    """Hold the text that the model generated."""

    role: Literal["assistant"]
    content: str


class Choice(BaseModel):
    """Hold the only choice of a completion."""

    index: int
    message: AssistantMessage
    finish_reason: Literal["stop", "length"]


class Completion(BaseModel):
    """Represent a chat completion."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[Choice]
    usage: TokenCounts
