"""Read and build lists in their stored form, whose items may be nodes and relationships."""

import json

from shared.graph.sqlite.value_order import equal
from shared.graph.sqlite.values import NODE, RELATIONSHIP, Stored, items_of, list_of

MAX_LIST_BYTES = 10_000_000
_ROW_DIGITS = len(str(2**63))


def list_from(*values: Stored) -> Stored:
    """Build a list of the values that are not missing; raise OverflowError if it would need too much memory."""
    present: list[Stored] = [value for value in values if value is not None]
    if sum(map(size_of, present)) > MAX_LIST_BYTES:
        raise OverflowError("the list is too long")
    return list_of(present)


def size_of(value: Stored) -> int:
    """Return the approximate size of a value in bytes."""
    return len(value) if isinstance(value, str | bytes) else 1


def is_in(item: Stored, values: Stored) -> bool | None:
    """Return whether a list contains an item; unknown if an item is missing or there is no list."""
    items = items_of(values)
    if items is None:
        return None
    if item is None:
        return None if items else False
    return any(equal(item, one) for one in items)


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


def places(values: Stored) -> Stored:
    """Return the positions of a list's items as JSON, for `json_each`; an empty list if it is not a list."""
    return json.dumps(list(range(len(items_of(values) or ()))))


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
