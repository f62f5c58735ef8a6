"""Define the SQL functions that compiled plans call, on the stored forms of values.

They implement comparisons, conversions, and aggregates whose meaning differs between SQLite and Neo4j. Each call ends
the query if its deadline has passed.
"""

import math
import sqlite3
from collections.abc import Callable
from operator import ge, gt, le, lt
from typing import Any

from graph.plan.text_functions import WHITE_SPACE, round_half_up
from graph.sqlite.aggregates import Collect, CollectDistinct, Gather, Longest, Maximum, Minimum, Shortest, Sum
from graph.sqlite.arithmetic import add, arithmetic, divide, of_number, remainder
from graph.sqlite.conversions import (
    left_part,
    of_text,
    of_two_texts,
    replaced,
    size,
    split,
    to_boolean,
    to_float,
    to_integer,
    to_string,
    without_left_part,
)
from graph.sqlite.deadline import Deadline
from graph.sqlite.durations import DIFFERENCES, SHIFTS
from graph.sqlite.durations import PARTS as DURATION_PARTS
from graph.sqlite.list_functions import (
    field_of,
    is_in,
    item_at,
    list_from,
    map_from,
    node_item,
    packed,
    relation_of,
    relationship_item,
    row_of,
    take,
    unpacked,
)
from graph.sqlite.pattern_matching import matches
from graph.sqlite.points import distance
from graph.sqlite.temporal import EPOCHS, PARTS, STARTS, to_date, to_datetime
from graph.sqlite.value_order import equal, grouped, ordered, rank, sort_key
from graph.sqlite.values import Stored

_FUNCTIONS: dict[str, Callable[..., Stored]] = {
    "k_eq": equal,
    "k_lt": ordered(lt),
    "k_le": ordered(le),
    "k_gt": ordered(gt),
    "k_ge": ordered(ge),
    "k_contains": of_two_texts(lambda left, right: right in left),
    "k_starts": of_two_texts(str.startswith),
    "k_ends": of_two_texts(str.endswith),
    "k_matches": of_two_texts(matches),
    "k_add": add,
    "k_subtract": arithmetic(lambda a, b: a - b),
    "k_multiply": arithmetic(lambda a, b: a * b),
    "k_divide": arithmetic(divide),
    "k_remainder": arithmetic(remainder),
    "k_lower": of_text(str.lower),
    "k_upper": of_text(str.upper),
    "k_trim": of_text(lambda text: text.strip(WHITE_SPACE)),
    "k_left": left_part,
    "k_drop": without_left_part,
    "k_replace": replaced,
    "k_split": split,
    "k_size": size,
    "k_abs": of_number(abs),
    "k_round": of_number(round_half_up),
    "k_floor": of_number(lambda value: float(math.floor(value))),
    "k_ceil": of_number(lambda value: float(math.ceil(value))),
    "k_to_integer": to_integer,
    "k_to_float": to_float,
    "k_to_string": to_string,
    "k_to_boolean": to_boolean,
    "k_to_date": to_date,
    "k_to_datetime": to_datetime,
    "k_distance": distance,
    **PARTS,
    **STARTS,
    **DIFFERENCES,
    **SHIFTS,
    **EPOCHS,
    **DURATION_PARTS,
    "k_item": item_at,
    "k_take": take,
    "k_field": field_of,
    "k_packed": packed,
    "k_node": node_item,
    "k_relationship": relationship_item,
    "k_row": row_of,
    "k_relation": relation_of,
    "k_rank": rank,
    "k_sort": sort_key,
    "k_grouped": grouped,
}


_AGGREGATES: dict[str, tuple[int, type[Any]]] = {
    "k_min": (1, Minimum),
    "k_max": (1, Maximum),
    "k_shortest": (1, Shortest),
    "k_longest": (1, Longest),
    "k_sum": (1, Sum),
    "k_gather": (2, Gather),
    "k_collect": (2, Collect),
    "k_collect_distinct": (2, CollectDistinct),
}


def register(connection: sqlite3.Connection, deadline: Deadline) -> None:
    """Define all functions on a connection; each call checks the deadline of the query."""

    def define(name: str, arity: int, function: Callable[..., Stored], deterministic: bool = True) -> None:
        connection.create_function(name, arity, deadline.checked(function), deterministic=deterministic)

    for name, function in _FUNCTIONS.items():
        define(name, function.__code__.co_argcount, _total(function))
    define("k_coalesce", -1, lambda *values: next((v for v in values if v is not None), None), deterministic=False)
    define("k_unpacked", 1, unpacked)
    define("k_in", 2, is_in)
    define("k_list", -1, list_from, deterministic=False)
    define("k_map", -1, map_from, deterministic=False)
    for name, (arity, aggregate) in _AGGREGATES.items():
        connection.create_aggregate(name, arity, deadline.checked_aggregate(aggregate))


def _total(function: Callable[..., Stored]) -> Callable[..., Stored]:
    """Return missing if an argument is missing."""

    def wrapped(*arguments: Stored) -> Stored:
        return None if None in arguments else function(*arguments)

    return wrapped
