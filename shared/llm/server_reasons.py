"""Find out why a language model server refused a request, in its own words and without the prompt."""

import json
import re
from dataclasses import dataclass
from typing import Any

from shared.text import shortened

_MAX_REASON = 300
# A reason that repeats a piece of the prompt as long as this is not shown.
_QUOTED_CHARACTERS = 16
_QUOTED = re.compile(r"(['\"`])(.{3,}?)\1")
_MARKUP = re.compile(r"<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a server says about a request that it does not serve.

    Attributes:
        message: The server's message, which may quote the prompt; empty if it gives none.
        parameters: The parameters that it names as the cause, apart from those in the message.
    """

    message: str = ""
    parameters: tuple[str, ...] = ()

    def names(self, parameter: str) -> bool:
        """Return whether the server blames a parameter."""
        return parameter in self.parameters or re.search(rf"\b{parameter}\b", self.message) is not None

    def shown(self, prompt: str, api_key: str) -> str:
        """Return the message for logs and replies, or "" if it repeats the prompt; the key is replaced."""
        message = " ".join("".join(c if c.isprintable() else " " for c in self.message).split())
        if api_key:
            message = message.replace(api_key, "…")
        width = min(_QUOTED_CHARACTERS, len(prompt))
        pieces = (message[at : at + width] for at in range(len(message) - width + 1))
        if prompt and any(piece in prompt for piece in pieces):
            return ""
        message = _QUOTED.sub(lambda found: "…" if found[2] in prompt else found[0], message)
        return shortened(message, _MAX_REASON)


def read_refusal(content: bytes) -> Refusal:
    """Read the body of an error response, in the formats of OpenAI, FastAPI, and plain text."""
    try:
        body = json.loads(content)
    except ValueError:
        text = content.decode("utf-8", "replace").strip()
        return Refusal() if _MARKUP.search(text) else Refusal(text[:_MAX_REASON])
    if isinstance(body, list) and body:
        body = body[0]  # Gemini wraps the error in an array
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, str):
        return Refusal(error)
    if not isinstance(error, dict):
        return Refusal()
    parameter = error.get("param")
    named = (parameter,) if isinstance(parameter, str) else ()
    for key in ("message", "detail", "title"):
        if isinstance(error.get(key), str):
            return Refusal(error[key], named)
    return _validation_errors(error.get("detail"), named)


def _validation_errors(detail: Any, named: tuple[str, ...]) -> Refusal:
    items = [item for item in detail if isinstance(item, dict)] if isinstance(detail, list) else []
    places = [part for item in items for part in item.get("loc") or () if isinstance(part, str)]
    messages = [f"{'.'.join(map(str, item.get('loc') or ()))}: {item.get('msg', '')}" for item in items]
    return Refusal("; ".join(messages), (*named, *places))
