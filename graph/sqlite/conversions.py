"""Convert the stored forms of values; an argument of an unsuitable type gives a missing value."""

import math
from collections.abc import Callable

from graph.plan.text_functions import integer_in, number_in
from graph.sqlite.arithmetic import MAX_CHARACTERS
from graph.sqlite.values import BOOLEAN, DATE, TRUE, Stored, encode, items_of, list_of


def of_text(function: Callable[[str], Stored]) -> Callable[[Stored], Stored]:
    """Apply a function to strings."""

    def apply(value: Stored) -> Stored:
        return function(value) if isinstance(value, str) else None

    return apply


def of_two_texts(operator: Callable[[str, str], bool]) -> Callable[[Stored, Stored], bool | None]:
    """Compare two strings."""

    def compare(left: Stored, right: Stored) -> bool | None:
        return operator(left, right) if isinstance(left, str) and isinstance(right, str) else None

    return compare


def left_part(text: Stored, number: Stored) -> Stored:
    """Return the first characters of a string."""
    return text[: max(number, 0)] if isinstance(text, str) and isinstance(number, int) else None


def without_left_part(text: Stored, number: Stored) -> Stored:
    """Return a string without its first characters."""
    return text[max(number, 0) :] if isinstance(text, str) and isinstance(number, int) else None


def replaced(text: Stored, old: Stored, new: Stored) -> Stored:
    """Replace each occurrence of a string in another; raise OverflowError if the result would be too long."""
    if not (isinstance(text, str) and isinstance(old, str) and isinstance(new, str)):
        return None
    if text.count(old) * (len(new) - len(old)) > MAX_CHARACTERS:
        raise OverflowError("the text is too long")
    return text.replace(old, new)


def split(text: Stored, delimiter: Stored) -> Stored:
    """Return the list of the parts of a string between delimiters."""
    return list_of(list(text.split(delimiter))) if isinstance(text, str) and isinstance(delimiter, str) else None


def size(value: Stored) -> Stored:
    """Return the number of characters of a string, or of items of a list."""
    items = items_of(value)
    if items is not None:
        return len(items)
    return len(value) if isinstance(value, str) else None


def to_integer(value: Stored) -> Stored:
    """Convert a number, a boolean, or a decimal number in a string to an integer."""
    if isinstance(value, str):
        return integer_in(value)
    if isinstance(value, bytes):
        return int(value == TRUE) if value[:1] == BOOLEAN else None
    return encode(math.trunc(value or 0))


def to_float(value: Stored) -> Stored:
    """Convert a number, or a decimal number in a string, to a float."""
    if isinstance(value, str):
        return number_in(value)
    return float(value) if isinstance(value, int | float) else None


def to_string(value: Stored) -> Stored:
    """Convert an integer, a boolean, a string, or a date to a string."""
    if isinstance(value, bytes):
        if value[:1] == BOOLEAN:
            return "true" if value == TRUE else "false"
        return value[1:].decode() if value[:1] == DATE else None
    return None if isinstance(value, float) else str(value)


def to_boolean(value: Stored) -> Stored:
    """Convert the strings `true` and `false`, in any case, to a boolean."""
    if isinstance(value, str):
        truth = {"true": True, "false": False}.get(value.lower())
        return None if truth is None else encode(truth)
    return value if isinstance(value, bytes) and value[:1] == BOOLEAN else None
