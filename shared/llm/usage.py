"""Count calls of language models, and the tokens that they take."""

import operator
from dataclasses import astuple, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Usage:
    """Count calls, and tokens as reported by the server; token counts are 0 if the server does not report them."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(*map(operator.add, astuple(self), astuple(other)))


def read_usage(reply: Any) -> Usage:
    """Read the token counts of one chat completion."""
    reported = reply.get("usage") if isinstance(reply, dict) else None
    tokens = reported if isinstance(reported, dict) else {}
    counts = [tokens.get(name) for name in ("prompt_tokens", "completion_tokens")]
    prompt, completion = (count if isinstance(count, int) and count >= 0 else 0 for count in counts)
    return Usage(1, prompt, completion)
