"""Compare and sort the stored forms of values as plans do, whatever their types."""

import struct
from collections.abc import Callable
from typing import Any

from graph.sqlite.values import (
    BOOLEAN,
    DATE,
    DATETIME,
    LIST,
    MAP,
    NODE,
    RELATIONSHIP,
    Stored,
    fields_of,
    items_of,
    list_of,
)

# The order of the types; see docs/reference/query-plans.md#values.
_RANKS = {MAP: -1, NODE: 0, RELATIONSHIP: 0, LIST: 1, DATETIME: 2, DATE: 3, BOOLEAN: 5}
_STRING_RANK, _NUMBER_RANK, _MISSING_RANK = 4, 6, 7


def rank(value: Stored) -> int:
    """Return the position of a value's type in the order of types."""
    if value is None:
        return _MISSING_RANK
    if isinstance(value, bytes):
        return _RANKS[value[:1]]
    return _STRING_RANK if isinstance(value, str) else _NUMBER_RANK


def sort_key(value: Stored) -> Stored:
    """Return a value that SQLite sorts as plans sort values of one type."""
    if (fields := fields_of(value)) is not None:
        # Maps with fewer fields come first, then the names of the fields decide, and then their values.
        parts: list[Stored] = [len(fields), *(name for name, _ in fields), *(one for _, one in fields)]
        return b"".join(map(_item_key, parts))
    items = items_of(value)
    return value if items is None else b"".join(map(_item_key, items))


def grouped(value: Stored) -> Stored:
    """Return the same stored form for all equal lists, which may hold 1 or 1.0; return other values as they are."""
    items = items_of(value)
    if items is None:
        return value
    return list_of([int(item) if isinstance(item, float) and item.is_integer() else grouped(item) for item in items])


def _item_key(item: Stored) -> bytes:
    """Return bytes that sort like the items of a list; shorter lists come first."""
    head = bytes([rank(item) + 1])
    if isinstance(item, str):
        return head + item.encode().replace(b"\0", b"\0\xff") + b"\0\0"
    if isinstance(item, bytes):
        key = sort_key(item)
        return head + (key if isinstance(key, bytes) else item).replace(b"\0", b"\0\xff") + b"\0\0"
    if item is None:
        return head
    bits = int.from_bytes(struct.pack(">d", float(item)), "big")
    bits ^= 0xFFFFFFFFFFFFFFFF if bits >> 63 else 1 << 63
    return head + bits.to_bytes(8, "big")


def equal(left: Stored, right: Stored) -> bool | None:
    """Return whether two values are equal; lists are compared item by item.

    The result is unknown if a value is missing, or if all items that are not missing are equal.
    """
    if left is None or right is None:
        return None
    items, others = items_of(left), items_of(right)
    if items is None or others is None:
        return left == right
    if len(items) != len(others):
        return False
    found = set(map(equal, items, others))
    return False if False in found else None if None in found else True


def ordered(operator: Callable[[Any, Any], bool]) -> Callable[[Stored, Stored], bool | None]:
    """Return a comparison that is unknown for values of different types, and for lists."""

    def compare(left: Stored, right: Stored) -> bool | None:
        if rank(left) != rank(right) or rank(left) <= _RANKS[LIST]:
            return None
        return operator(left, right)

    return compare
