"""Match regular expressions in time that is linear in the length of a string."""

import re
from functools import lru_cache

from graph.plan.linear_patterns import linear_pattern


def matches(text: str, pattern: str) -> bool:
    """Return whether a pattern matches a whole string."""
    return _compiled(pattern).fullmatch(text) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(linear_pattern(pattern).text)
