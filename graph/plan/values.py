"""Define the typed values that properties hold and plans compare."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, PlainSerializer

MAX_INTEGER = 2**63 - 1
"""The greatest integer; the least one is `-MAX_INTEGER - 1`."""
_Date = TypeVar("_Date", date, datetime)
_MAX_CHARACTERS_SHOWN = 60


class ValueType(StrEnum):
    """Type of a value. Properties hold no maps, nodes, and relationships, but rows do, and so may lists and maps."""

    INTEGER = "integer"
    FLOAT = "float"
    BOOLEAN = "boolean"
    STRING = "string"
    DATE = "date"
    DATETIME = "datetime"
    LIST = "list"
    MAP = "map"
    NODE = "node"
    RELATIONSHIP = "relationship"


@dataclass(frozen=True, slots=True)
class NodeRef:
    """Identify a node in a result: the store's id, the name, and the kinds."""

    id: str
    name: str
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationshipRef:
    """Identify a relationship in a result: the store's id, and the type."""

    id: str
    type: str


@dataclass(frozen=True, slots=True)
class MapValue:
    """Hold the fields of a map, sorted by name."""

    fields: tuple[tuple[str, Any], ...]


def type_of(value: Any) -> ValueType | None:
    """Return the type of a value; None for a missing value."""
    # bool before int and datetime before date, because they are subclasses.
    order: tuple[tuple[type | tuple[type, ...], ValueType], ...] = (
        (bool, ValueType.BOOLEAN),
        (int, ValueType.INTEGER),
        (float, ValueType.FLOAT),
        (str, ValueType.STRING),
        (datetime, ValueType.DATETIME),
        (date, ValueType.DATE),
        ((list, tuple), ValueType.LIST),
        (MapValue, ValueType.MAP),
    )
    return next((name for types, name in order if isinstance(value, types)), None)


def identity(value: Any) -> Hashable:
    """Return a key that two values share if and only if they are equal in a plan.

    In Python, `True` equals 1. In a plan it does not, but 1 equals 1.0.

    Example:
        >>> identity(True) == identity(1), identity(1.0) == identity(1)
        (False, True)
    """
    match value:
        case bool():
            return ValueType.BOOLEAN, value
        case list() | tuple():
            return ValueType.LIST, tuple(map(identity, value))
        case MapValue():
            return ValueType.MAP, tuple((name, identity(one)) for name, one in value.fields)
        case NodeRef():
            return ValueType.NODE, value.id
        case RelationshipRef():
            return ValueType.RELATIONSHIP, value.id
    return value  # type: ignore[no-any-return]


def as_utc(value: datetime) -> datetime:
    """Convert a datetime with a time zone to UTC, and drop the time zone."""
    return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value


def from_json(value: Any) -> Any:
    """Read a value from JSON: dates are `{"date": "1996-08-01"}` and `{"datetime": "1996-08-01T00:00:00"}`."""
    if isinstance(value, list | tuple):
        if any(isinstance(item, list | tuple) for item in value):
            raise ValueError("a list cannot hold another list")
        return tuple(map(from_json, value))
    if isinstance(value, dict):
        match value:
            case {"date": str(text), **rest} if not rest:
                return _parsed(date.fromisoformat, text, "a date such as 1996-08-01")
            case {"datetime": str(text), **rest} if not rest:
                try:
                    return as_utc(_parsed(datetime.fromisoformat, text, "a datetime such as 1996-08-01T09:30:00"))
                except OverflowError as error:
                    raise ValueError("the datetime is outside of the years 1 to 9999 in UTC") from error
        raise ValueError('a value is a string, number, boolean, null, list, {"date": ...}, or {"datetime": ...}')
    if value is None or type_of(value) is not None:
        return value
    raise ValueError(f"a value cannot be a {type(value).__name__}")


def _parsed(parse: Callable[[str], _Date], text: str, expected: str) -> _Date:
    try:
        return parse(text)
    except ValueError:
        raise ValueError(f"cannot read {text[:_MAX_CHARACTERS_SHOWN]!r}; write {expected}") from None


def to_json(value: Any) -> Any:
    """Write a value as JSON; the inverse of `from_json`."""
    match type_of(value):
        case ValueType.LIST:
            return [to_json(item) for item in value]
        case ValueType.MAP:
            return {name: to_json(one) for name, one in value.fields}
        case ValueType.DATETIME:
            return {"datetime": value.isoformat()}
        case ValueType.DATE:
            return {"date": value.isoformat()}
    return value


Value = Annotated[Any, BeforeValidator(from_json), PlainSerializer(to_json)]
