"""Answer greetings and thanks, which are no questions about the graph."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from shared.text import words

_KINDS: Mapping[str, Mapping[str, str | list[str]]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
_REPLIES = {tuple(phrase.split()): str(kind["reply"]) for kind in _KINDS.values() for phrase in kind["phrases"]}
_LONGEST = max(map(len, _REPLIES))
_MAX_WORDS = 12


def small_talk_reply(message: str) -> str | None:
    """Return the reply to a message that consists of greetings and thanks alone, or None for any other message.

    The last phrase decides what is replied.

    Example:
        >>> small_talk_reply("Good morning!")
        'Hello! Ask me about what the graph knows.'
    """
    rest, reply = words(message), None
    if len(rest) > _MAX_WORDS:
        return None
    while rest:
        lengths = range(min(_LONGEST, len(rest)), 0, -1)
        length = next((one for one in lengths if tuple(rest[:one]) in _REPLIES), 0)
        if not length:
            return None
        reply, rest = _REPLIES[tuple(rest[:length])], rest[length:]
    return reply
