"""Phrase pydantic's validation errors for people who write JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

_MESSAGES = {
    "tuple_type": "expected an array",
    "recursion_depth_exceeded": "the values are nested too deeply; nest them less",
    "union_tag_not_found": "the field 'op' is missing",
}


def without_consequences(errors: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Leave out arrays that are too short only because their items are invalid."""
    places = [tuple(error["loc"]) for error in errors]

    def is_consequence(error: Mapping[str, Any]) -> bool:
        place = tuple(error["loc"])
        return error["type"] == "too_short" and any(
            len(other) > len(place) and other[: len(place)] == place for other in places
        )

    return [error for error in errors if not is_consequence(error)]


def error_text(error: Mapping[str, Any]) -> str:
    """Return the message of an error, in the terms of JSON.

    Example:
        >>> error_text({"type": "too_short", "ctx": {"min_length": 1, "actual_length": 0}, "msg": "Tuple ..."})
        'expected at least 1 item, found 0'
    """
    context = error.get("ctx", {})
    match error["type"]:
        case "too_short":
            wanted, found = context["min_length"], context["actual_length"]
            return f"expected at least {wanted} item{'s' * (wanted > 1)}, found {found}"
        case "value_error":
            return str(context["error"])
        case "union_tag_invalid":
            return f"unknown op {str(context['tag'])[:60]!r}; expected one of {context['expected_tags']}"
    return _MESSAGES.get(error["type"], str(error["msg"]))
