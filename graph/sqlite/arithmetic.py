"""Calculate with the stored forms of values."""

import math
from collections.abc import Callable
from typing import Any

from graph.sqlite.values import Stored, encode

MAX_CHARACTERS = 1_000_000


def is_number(value: Stored) -> bool:
    """Return whether a value is an integer or a float."""
    return isinstance(value, int | float)


def of_number(function: Callable[[Any], Stored]) -> Callable[[Stored], Stored]:
    """Apply a function to numbers; other values give a missing value."""

    def apply(value: Stored) -> Stored:
        return function(value) if is_number(value) else None

    return apply


def arithmetic(operator: Callable[[Any, Any], Any]) -> Callable[[Stored, Stored], Stored]:
    """Combine two numbers; other values give a missing value."""

    def combine(left: Stored, right: Stored) -> Stored:
        return _number(left, right, operator)

    return combine


def add(left: Stored, right: Stored) -> Stored:
    """Add two numbers, or concatenate two strings."""
    if isinstance(left, str) and isinstance(right, str):
        if len(left) + len(right) > MAX_CHARACTERS:
            raise OverflowError("the text is too long")
        return left + right
    return _number(left, right, lambda a, b: a + b)


def divide(left: Any, right: Any) -> Any:
    """Divide two numbers; two integers give an integer, truncated toward zero."""
    if right == 0:
        return None
    if isinstance(left, float) or isinstance(right, float):
        return left / right
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def remainder(left: Any, right: Any) -> Any:
    """Return the remainder of a division, with the sign of the left side."""
    if right == 0:
        return None
    if isinstance(left, float) or isinstance(right, float):
        return math.fmod(left, right)
    return left - right * divide(left, right)


def _number(left: Stored, right: Stored, operator: Callable[[Any, Any], Any]) -> Stored:
    if not is_number(left) or not is_number(right):
        return None
    value = operator(left, right)
    if isinstance(value, float) and not math.isfinite(value):
        raise OverflowError("the result is not a finite float")
    return encode(value)
