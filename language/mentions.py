"""Define mentions, which are spans of a question that may name an entity."""

import re
from dataclasses import dataclass

UNSPACED = r"\u3040-\u30ff\u3400-\u9fff"
"""The characters of scripts without spaces between words, as a part of a class of a regular expression."""
_UNSPACED = re.compile(f"[{UNSPACED}]")


@dataclass(frozen=True, slots=True)
class Mention:
    """Hold a span of a question, `question.text[start:end]`, that is `words` words long.

    `name` is the normalised text to look up; it differs from the span if an ending was removed or a variant is tried.
    `penalty` is the evidence against this reading of the span, in nats; it is 0 for the span as written.
    """

    start: int
    end: int
    name: str
    words: int
    penalty: float = 0.0


def has_unspaced(text: str) -> bool:
    """Return whether a text has characters of a script without spaces between words."""
    return _UNSPACED.search(text) is not None
