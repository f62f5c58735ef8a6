"""Find out why a language model server refused a request, in its own words and without the prompt."""

import json
import re
from dataclasses import dataclass
from typing import Any

from shared.text import shortened

_MAX_REASON = 300
# Only the beginning of a message is searched for the prompt, and shown.
_MAX_SEARCHED = 2_000
# A reason that repeats as many letters and digits of the prompt in a row is not shown.
_QUOTED_CHARACTERS = 12
_QUOTED = re.compile(r"(['\"`])(.{3,}?)\1|(?:“.{3,}?”|‘.{3,}?’|«.{3,}?»)")
# Words that repeat as much of the key are not shown; less of it identifies a key that the server has masked.
_KEY_CHARACTERS, _MASKED_KEY_CHARACTERS = 8, 4
_MASK = re.compile(r"\*|…|\.\.\.")
_MARKUP = re.compile(r"<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason a server gives for refusing a request.

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
        """Return the message for logs and replies, or "" if it repeats the prompt; `…` replaces the key."""
        message = "".join(c if c.isprintable() else " " for c in self.message)
        # The key goes before the message is cut, because a part of it would not be recognised.
        message = _without_key(" ".join(message.split()), api_key)[:_MAX_SEARCHED]
        if _repeats(_letters(message), _letters(prompt)):
            return ""
        message = _QUOTED.sub(lambda found: "…" if (found[2] or found[0][1:-1]) in prompt else found[0], message)
        return shortened(message, _MAX_REASON)


def _without_key(message: str, key: str) -> str:
    """Replace the words that contain the key, a part of it, or its ends around a mask."""
    if not key:
        return message

    def has_part(word: str) -> bool:
        width = _MASKED_KEY_CHARACTERS if _MASK.search(word) else _KEY_CHARACTERS
        return any(key[at : at + width] in word for at in range(len(key) - width + 1))

    words = message.replace(key, "…").split(" ")
    return " ".join("…" if has_part(word) else word for word in words)


def _letters(text: str) -> str:
    """Return the letters and digits of a text, which neither spacing nor escapes change."""
    return "".join(character for character in text.casefold() if character.isalnum())


def _repeats(message: str, prompt: str) -> bool:
    width = min(_QUOTED_CHARACTERS, len(prompt))
    return width > 0 and any(message[at : at + width] in prompt for at in range(len(message) - width + 1))


def read_refusal(content: bytes) -> Refusal:
    """Read the body of an error response, in the formats of OpenAI, FastAPI, and plain text."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        text = content.decode("utf-8", "replace").strip()
        return Refusal() if _MARKUP.search(text) else Refusal(text)
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
