"""Reject bodies with values that Python reads, but that JSON and UTF-8 cannot represent."""

import itertools
import json
import math
from collections.abc import Iterator
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError

# Python reads NaN, Infinity, and 1e999, which no reply may contain.
_NOT_FINITE = "must be a finite number; JSON has neither NaN nor Infinity, and 1.8e308 is the largest number"
# An escape such as \ud800 is half of a character beyond U+FFFF, which has no encoding without its other half.
_HALF_CHARACTER = "has an unpaired surrogate, such as \\ud800; write all characters as UTF-8"
_MAX_PLACES = 20


async def require_encodable_body(request: Request) -> None:
    """Raise an error that names the places of a JSON body that cannot be written as JSON again.

    Routes, logs, files, and other services write what they receive. A check of each field would miss those whose
    values may be anything, such as the constants of plans, and the names of unknown fields.
    """
    if request.method in ("GET", "HEAD"):
        return
    try:
        content = await request.json()
    except (ValueError, RecursionError):  # the route says what is wrong with it
        return
    if faults := unencodable_values(content):
        # One name for the whole place: unlike those of pydantic, it has no values of `op` that are to be left out.
        raise RequestValidationError(
            [
                {"type": "value_error", "loc": ("body", place), "msg": message, "ctx": {"error": message}}
                for place, message in faults
            ]
        )


def unencodable_values(content: Any) -> list[tuple[str, str]]:
    """Return the places of the first values that cannot be written as JSON, each with what is wrong with it.

    Example:
        >>> unencodable_values({"rows": [1.0, float("nan")]})[0][0]
        'rows.1'
    """
    return [] if _is_encodable(content) else list(itertools.islice(_faults(content), _MAX_PLACES))


def _is_encodable(content: Any) -> bool:
    try:
        json.dumps(content, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return False
    return True


def _faults(content: Any) -> Iterator[tuple[str, str]]:
    """Yield the place and the fault of each value and each name that cannot be written, in the order of the body."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), content)]
    # A body may be nested too deeply for recursion.
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, float) and not math.isfinite(value):
            yield _written(place), _NOT_FINITE
        elif isinstance(value, str) and _written((value,)) != value:
            yield _written(place), _HALF_CHARACTER
        elif isinstance(value, list):
            waiting += reversed([((*place, str(number)), item) for number, item in enumerate(value)])
        elif isinstance(value, dict):
            for name in value:
                if _written((name,)) != name:
                    yield _written((*place, name)), f"the name of this field {_HALF_CHARACTER}"
            waiting += reversed([((*place, name), item) for name, item in value.items()])


def _written(names: tuple[str, ...]) -> str:
    """Join names, and escape the characters that cannot be encoded."""
    return ".".join(names).encode(errors="backslashreplace").decode()
