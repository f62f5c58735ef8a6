"""Convert what drivers of databases return to the values that a graph file stores."""

import json
import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from graph.plan.durations import Duration
from graph.plan.values import Value, as_utc
from ingestion.rejections import Problems
from ingestion.typed_values import NO_VALUE, BadValueError, checked_integer, parse_text
from shared.text import shortened, shown

_MICROSECOND = timedelta(microseconds=1)
_UNSTORABLE: tuple[tuple[type | tuple[type, ...], str], ...] = (
    ((bytes, bytearray, memoryview), "binary data"),
    (time, "times"),
)


def cell_value(value: Any) -> Value | None:
    """Convert one value; None if it is missing. Empty texts are missing, as in CSV.

    Raises BadValueError if a graph file cannot hold it.
    """
    match value:
        case None | "":
            return None
        case bool():
            return value
        case int():
            return checked_integer(value)
        case float():
            return _finite(value)
        case str():
            return parse_text(value) if value.strip() else None
        case Decimal():
            return _decimal(value)
        case datetime():
            return as_utc(value)
        case date():
            return value
    return _other_value(value)


def _other_value(value: Any) -> Value | None:
    match value:
        case timedelta():
            clock = (value - timedelta(value.days)) // _MICROSECOND
            return str(Duration(days=value.days, nanoseconds=1_000 * clock))
        case UUID():
            return str(value)
        case list() | tuple():
            return _list(value)
        case dict():
            return parse_text(json.dumps(value, ensure_ascii=False, default=str))
    other = f"values of type {type(value).__name__}"
    kind = next((name for types, name in _UNSTORABLE if isinstance(value, types)), other)
    raise BadValueError(f"no property can hold {kind}; store numbers or texts", kind)


def _finite(number: float) -> float | None:
    """Return a number; programs write NaN in place of a missing one."""
    if math.isnan(number):
        return None
    if math.isinf(number):
        raise BadValueError(f"{number} is not a finite number; correct it", "numbers that are not finite")
    return number


def _decimal(number: Decimal) -> Value | None:
    """Return the number as a float; a column of whole numbers without decimals is one of integers."""
    if not number.is_finite():
        return _finite(float(number))
    return checked_integer(int(number)) if number.as_tuple().exponent == 0 else float(number)


def _list(items: Any) -> Value | None:
    values = [value for item in items if (value := cell_value(item)) is not None]
    if any(isinstance(value, tuple) for value in values):
        raise BadValueError("no property can hold lists in lists; store numbers or texts", "lists in lists")
    return tuple(values) or None


class CellReader:
    """Convert the values of one table, and record those that are left out."""

    def __init__(self, table: str, place: str, problems: Problems) -> None:
        self._table = table
        self._place = place
        self._problems = problems

    def value(self, column: str, value: Any, row: int) -> Value | None:
        """Convert a value; None if it is missing or left out."""
        if isinstance(value, str) and value.strip() in NO_VALUE:
            problem = f"{shortened(column)}: {shown(value.strip())} means no value; leave it empty"
            self._problems.note(row, self._reason(column, "texts that mean no value"), problem, self._place)
            return None
        try:
            return cell_value(value)
        except BadValueError as error:
            problem = f"{shortened(column)}: {error}"
            self._problems.reject_value(row, self._reason(column, error.kind), problem, self._place)
            return None

    def _reason(self, column: str, kind: str) -> str:
        return f"{shortened(self._table)}.{shortened(column)}: {kind}"
