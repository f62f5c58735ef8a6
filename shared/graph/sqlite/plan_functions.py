"""Define the SQL functions that compiled plans call, on the stored forms of values.

They implement comparisons, conversions, and aggregates whose meaning differs between SQLite and Neo4j.
"""

import json
import math
import sqlite3
import struct
from collections.abc import Callable
from datetime import date, datetime
from operator import ge, gt, le, lt
from typing import Any

from shared.graph.sqlite.values import (
    BOOLEAN,
    DATE,
    DATETIME,
    LIST,
    NODE,
    RELATIONSHIP,
    TRUE,
    Stored,
    decode,
    encode,
    items_of,
    list_of,
)
from shared.plan.text_functions import WHITE_SPACE, date_in, datetime_in, integer_in, number_in, round_half_up

# The order of the types; see docs/reference/query-plans.md#values.
_RANKS = {NODE: 0, RELATIONSHIP: 0, LIST: 1, DATETIME: 2, DATE: 3, BOOLEAN: 5}
_STRING_RANK, _NUMBER_RANK = 4, 6
_MAX_CHARACTERS, _MAX_ITEMS, _MAX_LIST_BYTES = 1_000_000, 100_000, 10_000_000
_ROW_DIGITS = len(str(2**63))


def register(connection: sqlite3.Connection) -> None:
    """Define all functions on a connection."""
    for name, function in _FUNCTIONS.items():
        connection.create_function(name, function.__code__.co_argcount, _total(function), deterministic=True)
    connection.create_function("k_coalesce", -1, lambda *values: next((v for v in values if v is not None), None))
    connection.create_function("k_in", 2, _in, deterministic=True)
    connection.create_function("k_list", -1, _list)
    for name, arity, aggregate in (
        ("k_min", 1, _Minimum),
        ("k_max", 1, _Maximum),
        ("k_sum", 1, _Sum),
        ("k_collect", 2, _Collect),
        ("k_collect_distinct", 2, _CollectDistinct),
    ):
        connection.create_aggregate(name, arity, aggregate)  # type: ignore[arg-type]


def _total(function: Callable[..., Stored]) -> Callable[..., Stored]:
    """Return missing if an argument is missing."""

    def wrapped(*arguments: Stored) -> Stored:
        return None if None in arguments else function(*arguments)

    return wrapped


def rank(value: Stored) -> int:
    """Return the position of a value's type in the order of types."""
    if isinstance(value, bytes):
        return _RANKS[value[:1]]
    return _STRING_RANK if isinstance(value, str) else _NUMBER_RANK


def sort_key(value: Stored) -> Stored:
    """Return a value that SQLite sorts as plans sort values of one type."""
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
    bits = int.from_bytes(struct.pack(">d", float(item or 0)), "big")
    bits ^= 0xFFFFFFFFFFFFFFFF if bits >> 63 else 1 << 63
    return head + bits.to_bytes(8, "big")


def _is_number(value: Stored) -> bool:
    return isinstance(value, int | float)


def _equal(left: Stored, right: Stored) -> bool:
    if isinstance(left, bytes) and isinstance(right, bytes) and left[:1] == right[:1] == LIST:
        return grouped(left) == grouped(right)
    return left == right


def _ordered(operator: Callable[[Any, Any], bool]) -> Callable[[Stored, Stored], bool | None]:
    def compare(left: Stored, right: Stored) -> bool | None:
        if rank(left) != rank(right) or rank(left) <= _RANKS[LIST]:
            return None
        return operator(left, right)

    return compare


def _contains(operator: Callable[[str, str], bool]) -> Callable[[Stored, Stored], bool | None]:
    def compare(left: Stored, right: Stored) -> bool | None:
        return operator(left, right) if isinstance(left, str) and isinstance(right, str) else None

    return compare


def _in(item: Stored, values: Stored) -> bool | None:
    items = items_of(values)
    if items is None:
        return None
    if item is None:
        return None if items else False
    return any(_equal(item, one) for one in items)


def _add(left: Stored, right: Stored) -> Stored:
    if isinstance(left, str) and isinstance(right, str):
        if len(left) + len(right) > _MAX_CHARACTERS:
            raise OverflowError("the text is too long")
        return left + right
    return _number(left, right, lambda a, b: a + b)


def _divide(left: Any, right: Any) -> Any:
    if right == 0:
        return None
    if isinstance(left, float) or isinstance(right, float):
        return left / right
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder(left: Any, right: Any) -> Any:
    if right == 0:
        return None
    if isinstance(left, float) or isinstance(right, float):
        return math.fmod(left, right)
    return left - right * _divide(left, right)


def _number(left: Stored, right: Stored, operator: Callable[[Any, Any], Any]) -> Stored:
    if not _is_number(left) or not _is_number(right):
        return None
    value = operator(left, right)
    if isinstance(value, float) and not math.isfinite(value):
        raise OverflowError("the result is not a finite float")
    return encode(value)


def _arithmetic(operator: Callable[[Any, Any], Any]) -> Callable[[Stored, Stored], Stored]:
    def combine(left: Stored, right: Stored) -> Stored:
        return _number(left, right, operator)

    return combine


def _of_text(function: Callable[[str], Stored]) -> Callable[[Stored], Stored]:
    def apply(value: Stored) -> Stored:
        return function(value) if isinstance(value, str) else None

    return apply


def _of_number(function: Callable[[Any], Stored]) -> Callable[[Stored], Stored]:
    def apply(value: Stored) -> Stored:
        return function(value) if _is_number(value) else None

    return apply


def _left(text: Stored, number: Stored) -> Stored:
    return text[: max(number, 0)] if isinstance(text, str) and isinstance(number, int) else None


def _size(value: Stored) -> Stored:
    items = items_of(value)
    if items is not None:
        return len(items)
    return len(value) if isinstance(value, str) else None


def _to_integer(value: Stored) -> Stored:
    if isinstance(value, str):
        return integer_in(value)
    if isinstance(value, bytes):
        return int(value == TRUE) if value[:1] == BOOLEAN else None
    return encode(math.trunc(value or 0))


def _to_float(value: Stored) -> Stored:
    if isinstance(value, str):
        return number_in(value)
    return float(value) if isinstance(value, int | float) else None


def _to_string(value: Stored) -> Stored:
    if isinstance(value, bytes):
        if value[:1] == BOOLEAN:
            return "true" if value == TRUE else "false"
        return value[1:].decode() if value[:1] == DATE else None
    return None if isinstance(value, float) else str(value)


def _to_date(value: Stored) -> Stored:
    if isinstance(value, str):
        return encode(date_in(value))
    if isinstance(value, bytes) and value[:1] in (DATE, DATETIME):
        return DATE + value[1:11]
    return None


def _to_datetime(value: Stored) -> Stored:
    if isinstance(value, str):
        return encode(datetime_in(value))
    return value if isinstance(value, bytes) and value[:1] == DATETIME else None


def _date_part(part: str) -> Callable[[Stored], Stored]:
    def read(value: Stored) -> Stored:
        decoded = decode(value) if isinstance(value, bytes) and value[:1] in (DATE, DATETIME) else None
        return getattr(decoded, part) if isinstance(decoded, date | datetime) else None

    return read


def _item(values: Stored, place: int) -> Stored:
    items = items_of(values)
    return items[place] if items and -len(items) <= place < len(items) else None


def _take(values: Stored, number: Stored) -> Stored:
    items = items_of(values)
    return list_of(items[: max(number, 0)]) if items is not None and isinstance(number, int) else None


def _list(*values: Stored) -> Stored:
    present: list[Stored] = [value for value in values if value is not None]
    if sum(map(_bytes, present)) > _MAX_LIST_BYTES:
        raise OverflowError("the list is too long")
    return list_of(present)


def _bytes(value: Stored) -> int:
    """Return the approximate size of a value."""
    return len(value) if isinstance(value, str | bytes) else 1


def _places(values: Stored) -> Stored:
    """Return the positions of a list's items as JSON, for `json_each`; an empty list if it is not a list."""
    return json.dumps(list(range(len(items_of(values) or ()))))


def _node(row: Stored) -> Stored:
    return NODE + _padded(row)


def _relationship(row: Stored, relation: Stored) -> Stored:
    return RELATIONSHIP + _padded(row) + b"/" + str(relation).encode()


def _padded(row: Stored) -> bytes:
    """Write a row id with leading zeros, so that lists of nodes are sorted by row id."""
    return str(row).zfill(_ROW_DIGITS).encode()


def _row(element: Stored) -> Stored:
    return (
        int(element[1:].split(b"/")[0]) if isinstance(element, bytes) and element[:1] in (NODE, RELATIONSHIP) else None
    )


def _relation(element: Stored) -> Stored:
    return int(element.split(b"/")[1]) if isinstance(element, bytes) and element[:1] == RELATIONSHIP else None


_FUNCTIONS: dict[str, Callable[..., Stored]] = {
    "k_eq": _equal,
    "k_lt": _ordered(lt),
    "k_le": _ordered(le),
    "k_gt": _ordered(gt),
    "k_ge": _ordered(ge),
    "k_contains": _contains(lambda left, right: right in left),
    "k_starts": _contains(str.startswith),
    "k_ends": _contains(str.endswith),
    "k_add": _add,
    "k_subtract": _arithmetic(lambda a, b: a - b),
    "k_multiply": _arithmetic(lambda a, b: a * b),
    "k_divide": _arithmetic(_divide),
    "k_remainder": _arithmetic(_remainder),
    "k_lower": _of_text(str.lower),
    "k_upper": _of_text(str.upper),
    "k_trim": _of_text(lambda text: text.strip(WHITE_SPACE)),
    "k_left": _left,
    "k_size": _size,
    "k_abs": _of_number(abs),
    "k_round": _of_number(round_half_up),
    "k_floor": _of_number(lambda value: float(math.floor(value))),
    "k_ceil": _of_number(lambda value: float(math.ceil(value))),
    "k_to_integer": _to_integer,
    "k_to_float": _to_float,
    "k_to_string": _to_string,
    "k_to_date": _to_date,
    "k_to_datetime": _to_datetime,
    "k_year": _date_part("year"),
    "k_month": _date_part("month"),
    "k_day": _date_part("day"),
    "k_item": _item,
    "k_take": _take,
    "k_places": _places,
    "k_node": _node,
    "k_relationship": _relationship,
    "k_row": _row,
    "k_relation": _relation,
    "k_rank": rank,
    "k_sort": sort_key,
    "k_grouped": grouped,
}


class _Extreme:
    """Find the first or last value in the order of all values."""

    def __init__(self) -> None:
        self._best: tuple[tuple[int, Any], Stored] | None = None

    def step(self, value: Stored) -> None:
        if value is not None:
            candidate = ((rank(value), sort_key(value)), value)
            if self._best is None or self._is_better(candidate[0], self._best[0]):
                self._best = candidate

    def finalize(self) -> Stored:
        return self._best[1] if self._best else None

    def _is_better(self, key: Any, best: Any) -> bool:
        raise NotImplementedError


class _Minimum(_Extreme):
    def _is_better(self, key: Any, best: Any) -> bool:
        return bool(key < best)


class _Maximum(_Extreme):
    def _is_better(self, key: Any, best: Any) -> bool:
        return bool(key > best)


class _Sum:
    """Add the numbers exactly, so that the order of the rows does not matter."""

    def __init__(self) -> None:
        self._whole = 0
        self._fractions: list[float] = []

    def step(self, value: Stored) -> None:
        if isinstance(value, int):
            self._whole += value
        elif isinstance(value, float):
            self._fractions.append(value)

    def finalize(self) -> Stored:
        if self._fractions:
            return math.fsum([*self._fractions, self._whole])
        return encode(self._whole)


class _Collect:
    """Collect the values in the order of the row numbers."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, Stored]] = []
        self._bytes = 0

    def step(self, value: Stored, row: int) -> None:
        self._bytes += _bytes(value)
        if len(self._rows) >= _MAX_ITEMS or self._bytes > _MAX_LIST_BYTES:
            raise OverflowError("the list is too long")
        if value is not None:
            self._rows.append((row, value))

    def finalize(self) -> Stored:
        self._rows.sort(key=lambda pair: pair[0])
        return list_of([value for _, value in self._rows])


class _CollectDistinct(_Collect):
    def finalize(self) -> Stored:
        self._rows.sort(key=lambda pair: pair[0])
        # The first of several equal values is kept, as in Neo4j.
        first: dict[Stored, Stored] = {}
        for _, value in self._rows:
            first.setdefault(grouped(value), value)
        return list_of(list(first.values()))
