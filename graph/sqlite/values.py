"""Store typed values in SQLite, which has no booleans, dates, or lists.

Integers, floats, and strings are stored as they are. Other values are BLOBs: a tag and a payload. The payloads of
booleans, dates, and datetimes sort like their values.
"""

import json
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from graph.plan.values import MAX_INTEGER, as_utc

Stored = int | float | str | bytes | None

LIST, DATETIME, DATE, BOOLEAN, MAP, NODE, RELATIONSHIP = b"a", b"b", b"c", b"d", b"m", b"n", b"r"
FALSE, TRUE = BOOLEAN + b"0", BOOLEAN + b"1"
EMPTY_LIST = LIST + b"[]"


def encode(value: Any) -> Stored:
    """Convert a value to its stored form; raise OverflowError if an integer needs more than 64 bits.

    Example:
        >>> encode(date(1996, 8, 1)), encode(True), encode("Bergen")
        (b'c1996-08-01', b'd1', 'Bergen')
    """
    match value:
        case bool():
            return TRUE if value else FALSE
        case int() if not -MAX_INTEGER - 1 <= value <= MAX_INTEGER:
            raise OverflowError(f"the integer {value} needs more than 64 bits")
        case datetime():
            return DATETIME + as_utc(value).isoformat().encode()
        case date():
            return DATE + value.isoformat().encode()
        case list() | tuple():
            return list_of(list(map(encode, value)))
    return value  # type: ignore[no-any-return]


def decode(stored: Stored) -> Any:
    """Convert a stored value back; the inverse of `encode`."""
    if not isinstance(stored, bytes):
        return stored
    return _DECODERS[stored[:1]](stored[1:].decode())


def items_of(stored: Stored) -> list[Stored] | None:
    """Return the stored forms of a list's items; None for other values."""
    if not isinstance(stored, bytes) or stored[:1] != LIST:
        return None
    return list(map(stored_item, json.loads(stored[1:])))


def fields_of(stored: Stored) -> list[tuple[str, Stored]] | None:
    """Return the names and the stored forms of a map's fields; None for other values."""
    if not isinstance(stored, bytes) or stored[:1] != MAP:
        return None
    return [(name, stored_item(item)) for name, item in json.loads(stored[1:])]


def map_of(fields: list[tuple[str, Stored]]) -> bytes:
    """Build the stored form of a map: JSON with pairs of names and items, sorted by name."""
    return MAP + _json([[name, _item(value)] for name, value in sorted(fields, key=lambda pair: pair[0])])


def list_of(items: list[Stored]) -> bytes:
    """Build the stored form of a list from the stored forms of its items.

    It is JSON, in which a list is an object, and another BLOB a list of one string.
    """
    return LIST + _json(list(map(_item, items)))


def _item(stored: Stored) -> Any:
    if not isinstance(stored, bytes):
        return stored
    return {"": json.loads(stored[1:])} if stored[:1] == LIST else [stored.decode()]


def stored_item(item: Any) -> Stored:
    """Return the stored form of an item of a list in JSON."""
    match item:
        case dict():
            return LIST + _json(item[""])
        case list():
            return str(item[0]).encode()
    return item  # type: ignore[no-any-return]


def _json(items: Any) -> bytes:
    return json.dumps(items, separators=(",", ":")).encode()


_DECODERS: dict[bytes, Callable[[str], Any]] = {
    LIST: lambda text: tuple(decode(stored_item(item)) for item in json.loads(text)),
    DATETIME: datetime.fromisoformat,
    DATE: date.fromisoformat,
    BOOLEAN: lambda text: text == "1",
}
