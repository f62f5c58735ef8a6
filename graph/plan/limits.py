"""Limit the size of query plans before anything else reads them."""

import itertools
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from graph.plan.algebra import Arithmetic, Call, Constant, Function, Loop, Plan
from graph.plan.traversal import children, field_values
from shared.errors import InvalidInputError

MAX_STEPS = 50
MAX_PARTS = 2_000
MAX_DEPTH = 25
MAX_PATH_LENGTH = 6
"""The most relationships of a path: almost all of a graph is within six steps of a node."""
MAX_PATHS = 10
"""The most paths between two nodes."""
# Each concatenation can double the length of a text.
_MAX_CONCATENATIONS = 12
# Each replacement can lengthen a text by as many times as its new string has characters.
_MAX_GROWTH = 1_000
# Each list that holds a list several times can multiply its size.
_MAX_COPIES = 1_000
# Each loop within another one multiplies the items that it visits.
_MAX_LOOPS = 3
# Lone halves of UTF-16 characters, which JSON may contain but UTF-8 cannot.
_SURROGATE = re.compile("[\ud800-\udfff]")


def check_size(plan: Plan) -> None:
    """Check the length and the depth of a plan, and its texts; raise InvalidInputError that names the limit."""
    levels = list(itertools.islice(_levels(plan), MAX_DEPTH + 1))
    if len(levels) > MAX_DEPTH:
        raise InvalidInputError(f"the plan is nested too deeply; nest at most {MAX_DEPTH} parts")
    parts = list(itertools.chain.from_iterable(levels))
    if len(plan.steps) > MAX_STEPS or len(parts) > MAX_PARTS:
        raise InvalidInputError(f"the plan is too large; use at most {MAX_STEPS} steps and {MAX_PARTS:,} parts")
    if any(_loops_in(part) > _MAX_LOOPS for part in parts if isinstance(part, Loop)):
        raise InvalidInputError(f"the plan nests loops over lists too deeply; nest at most {_MAX_LOOPS}")
    if sum(isinstance(part, Arithmetic) and part.operator == "+" for part in parts) > _MAX_CONCATENATIONS:
        raise InvalidInputError(f"the plan has too many '+' operators; use at most {_MAX_CONCATENATIONS}")
    if math.prod(map(_growth, parts)) > _MAX_GROWTH:
        raise InvalidInputError("the plan has calls of replace that lengthen a text too much; use shorter new strings")
    if any(not text.isascii() and _SURROGATE.search(text) for text in _texts(parts)):
        raise InvalidInputError("the plan has text with an unpaired surrogate; write all characters as UTF-8")


def check_copies(sizes: list[int]) -> None:
    """Check the sizes of the lists that hold other lists; raise InvalidInputError if they multiply too much."""
    if math.prod(filter(None, sizes)) > _MAX_COPIES:
        raise InvalidInputError(
            f"the plan repeats lists within lists too often; the sizes of such lists may multiply to {_MAX_COPIES:,}"
        )


def _loops_in(part: Any) -> int:
    """Return how deeply loops are nested in an expression."""
    return isinstance(part, Loop) + max(map(_loops_in, children(part)), default=0)


def _growth(part: Any) -> int:
    """Return how many times longer a call of `replace` can make a text."""
    match part:
        case Call(function=Function.REPLACE, arguments=(_, _, Constant(value=str() as new))):
            return max(1, len(new))
    return 1


def _levels(plan: Plan) -> Iterator[list[Any]]:
    """Yield the plan, the dataclasses directly within it, those within them, and so on."""
    level: list[Any] = [plan]
    # A plan may be nested too deeply for recursion.
    while level:
        yield level
        level = [child for part in level for child in children(part)]


def _texts(parts: Iterable[Any]) -> Iterator[str]:
    """Yield the texts directly within dataclasses, and those in their tuples."""
    for part in parts:
        for value in field_values(part):
            if isinstance(value, str):
                yield value
            elif isinstance(value, tuple):
                yield from _in_tuple(value)


def _in_tuple(values: tuple[Any, ...]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, tuple):
            yield from _in_tuple(value)
