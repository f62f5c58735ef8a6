"""Read a completion that arrives piece by piece, as server-sent events of OpenAI's API."""

import json
from typing import Any

from shared.llm.completion_text import REASONING_FIELDS, visible_text
from shared.llm.drafts import Listener
from shared.llm.server_reasons import Refusal, read_refusal

_DATA, _DONE = b"data:", b"[DONE]"


class StreamedCompletion:
    """Collect the events of one reply, and let a listener hear the text so far.

    `refusal` is what the server says if it fails after it has begun, and `is_complete` whether the reply has an end.
    """

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self.begin()

    def begin(self) -> None:
        """Forget everything, because the request is sent again."""
        self.refusal: Refusal | None = None
        self.is_complete = False
        self._rest = b""
        self._text = ""
        self._has_events = False
        self._thoughts = ""
        self._finish_reason: str | None = None
        self._usage: Any = None

    def feed(self, data: bytes) -> None:
        """Read the next bytes of the reply."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        before = self._text
        for line in lines:
            self._read_line(line.strip())
        if self._text != before:
            self._listener(_draft(self._text))

    def end(self) -> dict[str, Any] | None:
        """Return the reply as one completion, or None if the server did not send events."""
        self.feed(b"\n")
        if not self._has_events:
            return None
        message = {"content": self._text or None, REASONING_FIELDS[0]: self._thoughts or None}
        return {"choices": [{"message": message, "finish_reason": self._finish_reason}], "usage": self._usage}

    def _read_line(self, line: bytes) -> None:
        if not line.startswith(_DATA):
            return
        self._has_events = True
        content = line.removeprefix(_DATA).strip()
        if content == _DONE:
            self.is_complete = True
            return
        try:
            chunk = json.loads(content)
        except (ValueError, RecursionError):
            return  # an end is missing then, or the event is not about the text
        if isinstance(chunk, dict):
            self._read_chunk(chunk, content)

    def _read_chunk(self, chunk: dict[str, Any], content: bytes) -> None:
        if chunk.get("error"):
            self.refusal = read_refusal(content)
        self._usage = chunk.get("usage") or self._usage
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        delta = choice.get("delta")
        if isinstance(delta, dict):
            self._text += _texts(delta.get("content"))
            self._thoughts += next((text for field in REASONING_FIELDS if (text := _texts(delta.get(field)))), "")
        if isinstance(choice.get("finish_reason"), str):
            self._finish_reason = choice["finish_reason"]
            self.is_complete = True


def _texts(content: Any) -> str:
    """Return the text of a piece, which is a string, or a list of parts with some models."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def _draft(text: str) -> str:
    """Return what may be shown of a text so far: neither thoughts nor the beginning of a tag."""
    before, tag, inside = text.rpartition("<")
    return visible_text(before if tag and ">" not in inside else text)
