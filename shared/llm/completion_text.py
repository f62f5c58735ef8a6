"""Read the text of a chat completion, without the thoughts of models that reason."""

import re
from dataclasses import dataclass
from typing import Any

_THOUGHTS_BEGIN = re.compile(r"<(think|thinking)>")
_UNFINISHED_THOUGHTS = re.compile(r"<(?:think|thinking)>.*\Z", re.DOTALL)
# Some chat templates begin the thoughts in the prompt, so that only their end is generated.
_END_OF_THOUGHTS = re.compile(r"</(?:think|thinking)>")
REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking")
_REASONING_PARTS = {"thinking", "reasoning"}
_TEXT_PARTS = {"text", "output_text"}


class UnreadableCompletionError(ValueError):
    """Raised for a completion that has no text; the message continues `the server ...`."""


@dataclass(frozen=True, slots=True)
class CompletionText:
    """The text of a completion.

    Attributes:
        text: The answer, without thoughts.
        is_cut_in_thought: Whether the token limit ended the completion before the answer began.
    """

    text: str
    is_cut_in_thought: bool = False


def read_completion(reply: Any) -> CompletionText:
    """Read the first choice of a chat completion.

    Raises:
        UnreadableCompletionError: If it is not a chat completion, or has no text.
    """
    try:
        choice = reply["choices"][0]
        message = choice["message"]
        content = message.get("content")
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise UnreadableCompletionError("returned no completion; is this an OpenAI-compatible API?") from error
    written = _joined(content)
    if text := visible_text(written):
        return CompletionText(text)
    thought = bool(written.strip()) or any(message.get(field) for field in REASONING_FIELDS)
    if choice.get("finish_reason") == "length" and (thought or content is None or _counts_reasoning(reply)):
        return CompletionText("", is_cut_in_thought=True)
    if isinstance(content, str) and not thought:
        return CompletionText("")
    raise UnreadableCompletionError(_why_empty(choice, message))


def _joined(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise UnreadableCompletionError("returned a completion without text; is this a chat model?")
    texts = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else type(part).__name__
        if kind in _TEXT_PARTS and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif kind not in _REASONING_PARTS:
            raise UnreadableCompletionError(f"returned a part of the type {str(kind)[:40]!r}; choose a model for text")
    return "".join(texts)


def visible_text(written: str) -> str:
    """Return what a model wrote, without its thoughts and surrounding whitespace."""
    finished = _END_OF_THOUGHTS.split(_without_thoughts(written))[-1]
    text = _UNFINISHED_THOUGHTS.sub("", finished).strip()
    # The token limit may split an emoji; JSON cannot carry the lone surrogate that is left.
    return text.encode("utf-8", "replace").decode("utf-8")


def _without_thoughts(written: str) -> str:
    """Leave out the thoughts that end.

    A regular expression would search for the end of each thought anew, which takes minutes if none ends.
    """
    kept, place, endless = [], 0, set[str]()
    for beginning in _THOUGHTS_BEGIN.finditer(written):
        end = f"</{beginning[1]}>"
        if beginning.start() < place or end in endless:
            continue
        ends_at = written.find(end, beginning.end())
        if ends_at < 0:
            endless.add(end)
            continue
        kept.append(written[place : beginning.start()])
        place = ends_at + len(end)
    return "".join([*kept, written[place:]])


def _counts_reasoning(reply: Any) -> bool:
    usage = reply.get("usage")
    details = usage.get("completion_tokens_details") if isinstance(usage, dict) else None
    return isinstance(details, dict) and bool(details.get("reasoning_tokens"))


def _why_empty(choice: Any, message: Any) -> str:
    if choice.get("finish_reason") == "content_filter" or message.get("refusal"):
        return "declined to answer, because of its content filter or safety rules"
    if message.get("tool_calls"):
        return "called a tool instead of answering; turn its tools off"
    if any(message.get(field) for field in REASONING_FIELDS):
        return "returned thoughts but no answer; choose another model"
    return "returned a completion without text; is this a chat model?"
