"""Read Cypher's strings, and recognise constants."""

import re
from typing import Any

from graph.plan.algebra import Constant
from shared.errors import InvalidInputError
from shared.text import shown

_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|u.{0,4}|.)", re.DOTALL)
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", "'": "'", '"': '"', "`": "`", "\\": "\\"}


def is_integer(value: Any, number: int) -> bool:
    """Return whether an expression is this integer; in Python, `Constant(False)` and `Constant(0.0)` equal 0."""
    return isinstance(value, Constant) and type(value.value) is int and value.value == number


def is_count(number: Constant) -> bool:
    """Return whether a constant is null or an integer of at least 0."""
    return number.value is None or (type(number.value) is int and number.value >= 0)


def unquoted(token: str) -> str:
    """Decode a string literal. As in Neo4j, a backslash before any other character stands for itself."""

    def decoded(escape: re.Match[str]) -> str:
        text = escape[1]
        try:
            return chr(int(text[1:], 16)) if len(text) > 1 else _ESCAPED.get(text, escape[0])
        except (ValueError, OverflowError):
            raise InvalidInputError(
                f"the string {shown(token)} has an invalid escape: {escape[0]}; write \\\\ for a backslash"
            ) from None

    return _ESCAPE.sub(decoded, token[1:-1])
