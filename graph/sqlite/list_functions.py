"""Read and build lists in their stored form, whose items may be nodes and relationships."""

import json

from graph.sqlite.value_order import equal
from graph.sqlite.values import (
    LIST,
    NODE,
    RELATIONSHIP,
    Stored,
    fields_of,
    items_of,
    list_of,
    map_of,
    stored_item,
)

MAX_LIST_BYTES = 10_000_000
_ROW_DIGITS = len(str(2**63))


def list_from(*values: Stored) -> Stored:
    """Build a list of values; raise OverflowError if it would need too much memory."""
    if sum(map(size_of, values)) > MAX_LIST_BYTES:
        raise OverflowError("the list is too long")
    return list_of(list(values))


def map_from(*parts: Stored) -> Stored:
    """Build a map of names and values, which alternate; raise OverflowError if it would need too much memory."""
    if sum(map(size_of, parts)) > MAX_LIST_BYTES:
        raise OverflowError("the map is too large")
    return map_of(list(zip(map(str, parts[::2]), parts[1::2], strict=True)))


def field_of(values: Stored, key: Stored) -> Stored:
    """Return a field of a map; missing if it has no such field."""
    return next((value for name, value in fields_of(values) or () if name == key), None)


def size_of(value: Stored) -> int:
    """Return the approximate size of a value in bytes."""
    return len(value) if isinstance(value, str | bytes) else 1


def is_in(item: Stored, values: Stored) -> bool | None:
    """Return whether a list contains an item; unknown if only a missing item could be it, or there is no list."""
    items = items_of(values)
    if items is None:
        return None
    found = {None if item is None or one is None else equal(item, one) for one in items}
    return True if True in found else None if None in found else False


def item_at(values: Stored, place: Stored) -> Stored:
    """Return the item of a list at a place, which may count from the end."""
    items = items_of(values)
    if not items or not isinstance(place, int):
        return None
    return items[place] if -len(items) <= place < len(items) else None


def take(values: Stored, number: Stored) -> Stored:
    """Return the first items of a list."""
    items = items_of(values)
    return list_of(items[: max(number, 0)]) if items is not None and isinstance(number, int) else None


def packed(values: Stored) -> Stored:
    """Return the items of a list as a JSON array of texts, for `json_each` and `unpacked`; missing for other values."""
    if not isinstance(values, bytes) or values[:1] != LIST:
        return None
    return json.dumps([json.dumps(item) for item in json.loads(values[1:])])


def unpacked(item: Stored) -> Stored:
    """Return the stored form of an item, which may be missing, from its JSON text."""
    return stored_item(json.loads(item)) if isinstance(item, str) else None


def node_item(row: Stored) -> Stored:
    """Return the form that a node with this row id has in a list."""
    return NODE + _padded(row)


def relationship_item(row: Stored, relation: Stored) -> Stored:
    """Return the form that a relationship has in a list."""
    return RELATIONSHIP + _padded(row) + b"/" + str(relation).encode()


def row_of(element: Stored) -> Stored:
    """Return the row id of a node or a relationship in a list."""
    return (
        int(element[1:].split(b"/")[0]) if isinstance(element, bytes) and element[:1] in (NODE, RELATIONSHIP) else None
    )


def relation_of(element: Stored) -> Stored:
    """Return the row id of the type of a relationship in a list."""
    return int(element.split(b"/")[1]) if isinstance(element, bytes) and element[:1] == RELATIONSHIP else None


def _padded(row: Stored) -> bytes:
    """Write a row id with leading zeros, so that lists of nodes are sorted by row id."""
    return str(row).zfill(_ROW_DIGITS).encode()
