"""Store texts as what they say: whole columns of booleans, dates, and numbers that are written as programs write them.

All other spellings stay texts, whose reading the schema finds as for any property.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from decimal import Decimal

from graph.plan.content_types import content_of
from graph.plan.reading_detection import is_exact
from graph.plan.text_functions import datetime_in, integer_in
from graph.plan.values import Value, ValueType
from ingestion.node_aliases import ALIASES
from ingestion.relational.staged_tables import key_text
from ingestion.relational.tables import TextTyping
from ingestion.typed_values import BadValueError, lost_digits, parse_date

Converter = Callable[[Value], Value]
_WHOLE = re.compile(r"-?[0-9]+")
_ITEMS = re.compile(r"\s*;\s*")


def converter_of(column: str, typing: TextTyping, values: Iterable[Value], is_key: bool = False) -> Converter | None:
    """Return what converts the values of a column to one type; None if they stay as they are.

    A key with the name of an identifier, such as `order_id`, is a text in each format, as other identifiers in CSV.
    """
    if column == ALIASES and typing is TextTyping.ANY:
        return lambda value: tuple(_ITEMS.split(str(value)))
    if is_key and not _may_be_number(column):
        return lambda value: key_text(value) if isinstance(value, int) and not isinstance(value, bool) else value
    return _of_values(list(_candidates(column, typing)), values)


def _of_values(parsers: list[Callable[[str], Value | None]], values: Iterable[Value]) -> Converter | None:
    """Return the first parser that reads all values, or what makes floats of integers among floats."""
    types: set[type] = set()
    for value in values:
        types.add(type(value))
        if isinstance(value, str):
            parsers = [parse for parse in parsers if parse(value) is not None]
        elif not types <= {int, float}:
            return None
        if str in types and (not parsers or len(types) > 1):
            return None
    if types == {int, float}:
        return lambda value: float(value)
    if types != {str}:
        return None
    [parse, *_] = parsers
    return lambda value: parse(str(value))


def _candidates(column: str, typing: TextTyping) -> Iterator[Callable[[str], Value | None]]:
    if typing is TextTyping.NONE:
        return
    if typing is TextTyping.ANY:
        yield _boolean
    yield from (_date, _datetime)
    if typing is TextTyping.ANY and _may_be_number(column):
        yield from (_integer, _float)


def _may_be_number(column: str) -> bool:
    """Return whether digits in a column of this name are numbers, unlike those of identifiers and postal codes."""
    return content_of(column, ["12"]).type is ValueType.INTEGER


def _boolean(text: str) -> bool | None:
    return {"true": True, "false": False}.get(text.strip().lower())


def _date(text: str) -> date | None:
    try:
        found = parse_date(text)
    except BadValueError:
        return None
    return found if isinstance(found, date) else None


def _datetime(text: str) -> datetime | None:
    found = datetime_in(text)
    return found if found is not None and len(text) > len("1996-08-01") and not lost_digits(text, found) else None


def _integer(text: str) -> int | None:
    return integer_in(text) if _WHOLE.fullmatch(text) and is_exact(text) else None


def _float(text: str) -> float | None:
    """Read a number that a float holds without loss."""
    if not is_exact(text) or (_WHOLE.fullmatch(text) and integer_in(text) is None):
        return None
    number = float(text)
    return number if Decimal(repr(number)) == Decimal(text) else None
