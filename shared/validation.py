"""Phrase pydantic's validation errors for people who write JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

_MESSAGES = {
    "tuple_type": "expected an array",
    "recursion_depth_exceeded": "the values are nested too deeply; nest them less",
    "unexpected_keyword_argument": "unknown field",
    "union_tag_not_found": "the field 'op' is missing",
}
_JSON_NAMES = {
    type(None): "null",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    list: "an array",
}

# Fields of query plans that hold an object with `op`, or an array of them.
_OBJECTS = {"condition", "left", "right", "value", "where", "items"}
_ARRAYS = {"steps", "conditions", "arguments", "items"}


def without_consequences(errors: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Leave out arrays that are too short only because their items are invalid."""
    places = [tuple(error["loc"]) for error in errors]

    def is_consequence(error: Mapping[str, Any]) -> bool:
        place = tuple(error["loc"])
        return error["type"] == "too_short" and any(
            len(other) > len(place) and other[: len(place)] == place for other in places
        )

    return [error for error in errors if not is_consequence(error)]


def json_place(location: Sequence[int | str]) -> list[str]:
    """Return where an error is in the JSON.

    pydantic adds the value of `op` after the place of each object that has one.

    Example:
        >>> ".".join(json_place(("steps", 0, "match", "nodes", 1, "variable")))
        'steps.0.nodes.1.variable'
    """
    kept = []
    for number, part in enumerate(location):
        before, around = location[number - 1 : number], location[max(number - 2, 0) : number - 1]
        is_one = isinstance(part, str) and "steps" in location[:number]
        is_operator = is_one and bool(_OBJECTS & {*before} or (_ARRAYS & {*around} and isinstance(before[0], int)))
        kept += [] if is_operator else [str(part)]
    return kept


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
        case "too_long":
            wanted, found = context["max_length"], context["actual_length"]
            return f"expected at most {wanted} item{'s' * (wanted != 1)}" + (f", found {found}" if found else "")
        case "value_error":
            return str(context["error"])
        case "union_tag_invalid":
            return f"unknown op {str(context['tag'])[:60]!r}; expected one of {context['expected_tags']}"
        case "dict_type" | "dataclass_type" | "model_type" | "model_attributes_type":
            return _no_object(error.get("input"))
    return _MESSAGES.get(error["type"], str(error["msg"]))


def _no_object(found: object) -> str:
    advice = "; send the object itself, not a text that contains it" if isinstance(found, str) else ""
    return f"expected a JSON object, found {_JSON_NAMES.get(type(found), 'another value')}{advice}"
