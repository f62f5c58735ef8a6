"""Compare the table of a reply with the gold table of a question."""

import itertools
import re
from collections.abc import Hashable, Sequence
from typing import Any

from graph.plan.value_text import value_text
from shared.exact_match import exact

_NUMBER = re.compile(r"-?\d+(?:\.(\d+))?")


def has_gold_rows(gold: Sequence[Sequence[str | None]], rows: Sequence[Sequence[Any]]) -> bool:
    """Return whether the rows of a reply are the gold rows, in any order; all gold rows have the same length.

    The columns may have another order, and there may be more of them, such as what the rows are sorted by. Numbers are
    rounded to the decimal places of their gold column.

    Example:
        >>> has_gold_rows([["Bern", "2"], ["Oslo", "3.5"]], [[3.52, "Oslo"], [2, "Bern"]])
        True
        >>> has_gold_rows([["Bern", "2"], ["Oslo", "3.5"]], [[2, "Oslo"], [3.52, "Bern"]])
        False
    """
    if not gold or not rows:
        return not gold and not rows
    columns = [[None if cell is None else value_text(cell) for cell in column] for column in zip(*rows, strict=True)]
    wanted, candidates = [], []
    for own in zip(*gold, strict=True):
        places = max(map(_decimals, own))
        keys = [_key(cell, places) for cell in own]
        wanted.append(keys)
        found = ([_key(cell, places) for cell in column] for column in columns)
        candidates.append([column for column in found if set(column) == set(keys)])
    gold_rows = set(zip(*wanted, strict=True))
    return any(set(zip(*chosen, strict=True)) == gold_rows for chosen in itertools.product(*candidates))


def _decimals(cell: str | None) -> int:
    found = _NUMBER.fullmatch(cell or "")
    return len(found[1] or "") if found else 0


def _key(cell: str | None, places: int) -> Hashable:
    """Return what makes two cells equal: a number with so many decimal places, or the text as names are compared."""
    if cell is None:
        return None
    return round(float(cell), places) if _NUMBER.fullmatch(cell) else exact(cell)
