"""Recognise greetings and thanks, which ask nothing; `small_talk.toml` has their phrases."""

import tomllib
from pathlib import Path

from language.conversation import SmallTalk
from shared.text import words

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_KINDS = {tuple(phrase.split()): SmallTalk(kind) for kind, phrases in _TABLE.items() for phrase in phrases}
_LONGEST = max(map(len, _KINDS))
_MAX_WORDS = 12


def small_talk(text: str) -> SmallTalk | None:
    """Return what the last phrase of a text says, if it consists of greetings and thanks alone; None for any other.

    Example:
        >>> small_talk("Good morning!")
        <SmallTalk.GREETING: 'greeting'>
    """
    rest, said = words(text), None
    if len(rest) > _MAX_WORDS:
        return None
    while rest:
        lengths = range(min(_LONGEST, len(rest)), 0, -1)
        length = next((one for one in lengths if tuple(rest[:one]) in _KINDS), 0)
        if not length:
            return None
        said, rest = _KINDS[tuple(rest[:length])], rest[length:]
    return said
