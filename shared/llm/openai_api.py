"""The parts of OpenAI's chat API that both the answerer and the embedded language model serve."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, StringConstraints

_MAX_TYPE_CHARACTERS = 40

# Pydantic rejects lone surrogates, which cannot be encoded, only in fields with a length constraint.
Text = Annotated[str, StringConstraints(min_length=0)]


def joined_parts(content: object) -> object:
    """Join the text parts of a message, as OpenAI's clients send them; null is an empty text.

    Raises ValueError, which names the type, for parts that are not text.
    """
    if content is None:
        return ""
    if not isinstance(content, list):
        return content
    for number, part in enumerate(content):
        if not is_text_part(part):
            kind = part.get("type") if isinstance(part, dict) else None
            found = f"the type {str(kind)[:_MAX_TYPE_CHARACTERS]!r}" if kind else "no type"
            raise ValueError(f"part {number} of `content` has {found}; only parts of the type 'text' are supported")
    return "".join(part["text"] for part in content)


def is_text_part(part: object) -> bool:
    """Return whether a part of a message is text."""
    return isinstance(part, dict) and part.get("type") in ("text", "input_text") and isinstance(part.get("text"), str)


class TextPart(BaseModel):
    """A part of a message."""

    type: Literal["text", "input_text"]
    text: str


MessageText = Annotated[Text, BeforeValidator(joined_parts, json_schema_input_type=str | list[TextPart] | None)]
"""The text of a message, which clients send as a string, as a list of text parts, or as null."""


class TokenCounts(BaseModel):
    """Count the tokens read and generated."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Model(BaseModel):
    """Describe a served model."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "kgqa"


class ModelList(BaseModel):
    """List the served models."""

    object: Literal["list"] = "list"
    data: list[Model]


class ErrorDetail(BaseModel):
    """Describe an error."""

    message: str
    type: str
    param: str | None
    code: str | None


class ErrorReply(BaseModel):
    """Wrap an error as OpenAI does."""

    error: ErrorDetail


INVALID_REQUEST, SERVER_ERROR, RATE_LIMIT = "invalid_request_error", "server_error", "rate_limit_error"
"""Types of errors, for `error_body`."""


def error_body(message: object, kind: str, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    """Return the body of an error response."""
    return ErrorReply(error=ErrorDetail(message=str(message), type=kind, param=param, code=code)).model_dump()
