"""Convert the values of a Neo4j database to those that a graph file stores."""

import math
from typing import Any

from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time
from neo4j.vector import Vector

from graph.neo4j.durations import stored_duration
from graph.plan.values import Value, as_utc
from ingestion.typed_values import MAX_TEXT_LENGTH, BadValueError, checked_text

_MAX_NUMBERS = 100  # longer lists of numbers are vectors
_NOT_STORED: tuple[tuple[type | tuple[type, ...], str], ...] = (
    ((bytes, bytearray), "byte arrays"),
    (Point, "points"),
    (Time, "times"),
    (Vector, "vectors"),
)


def storable(value: Any) -> Value:
    """Convert a value from the driver to the value that a graph file stores.

    Raises BadValueError, whose message names the kind of value, if a graph file cannot hold it.
    """
    match value:
        case float() if not math.isfinite(value):
            raise BadValueError("numbers that are not finite")
        case bool() | int() | float():
            return value
        case str():
            return _text(value)
        case list():
            return _list(value)
        case DateTime() | Date():
            return _date(value)
        case Duration():
            return stored_duration(value)
    raise BadValueError(next((name for types, name in _NOT_STORED if isinstance(value, types)), "unsupported values"))


def _text(text: str) -> str:
    if len(text) > MAX_TEXT_LENGTH:
        raise BadValueError(f"texts of more than {MAX_TEXT_LENGTH:,} characters")
    try:
        return checked_text(text)
    except BadValueError:
        raise BadValueError("texts with the control character U+0000") from None


def _list(items: list[Any]) -> tuple[Value, ...]:
    if len(items) > _MAX_NUMBERS and all(isinstance(item, int | float) for item in items):
        raise BadValueError(f"lists of more than {_MAX_NUMBERS} numbers")
    if any(isinstance(item, Duration) for item in items):
        raise BadValueError("lists of durations")
    return tuple(map(storable, items))


def _date(value: DateTime | Date) -> Value:
    try:
        return as_utc(value.to_native()) if isinstance(value, DateTime) else value.to_native()
    except (ValueError, OverflowError):
        raise BadValueError("dates outside the years 1 to 9999") from None
