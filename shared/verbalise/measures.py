"""Write numbers with the units that the names of their properties end with, and group the digits of quantities."""

import re
from collections.abc import Iterable, Sequence

from shared.text import word_set
from shared.triple import Triple
from shared.verbalise.relation_words import in_words

_NUMBER = re.compile(r"[-+\u2212]?\d+(?:\.\d+)?")
_LONG_INTEGER = re.compile(r"[1-9]\d{4,}")
_UNITS = {
    "ft": "ft", "feet": "feet", "m": "m", "km": "km", "km2": "km²", "sqkm": "km²", "cm": "cm", "mm": "mm",
    "miles": "miles", "kg": "kg", "kw": "kW", "kwh": "kWh", "mw": "MW", "ms": "ms", "minutes": "minutes",
    "seconds": "seconds", "hours": "hours", "days": "days", "years": "years", "percent": "%", "usd": "USD",
    "eur": "EUR", "gbp": "GBP", "celsius": "°C",
}  # fmt: skip
# Other numbers may be codes, whose digits are not grouped.
_QUANTITIES = word_set(
    "amount area attendance budget capacity circulation count cost depth distance downloads elevation gross height "
    "income inhabitants length members population price production quantity residents revenue salary sales size speed "
    "stock total turnover views visitors volume votes weight"
)


def with_units(relation: str, objects: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Move the unit of numbers from the relation to the numbers, and group the digits of quantities.

    Values that are no numbers stay as they are.

    Example:
        >>> with_units("elevation_ft", ("13123",)), with_units("iata_code", ("10000",))
        (('elevation', ('13,123 ft',)), ('iata_code', ('10000',)))
    """
    if not all(map(_NUMBER.fullmatch, objects)):
        return relation, tuple(objects)
    before, last = _split(relation)
    unit = _UNITS.get(last, "") if before else ""
    is_quantity = _is_quantity(before, last)
    written = [f"{int(one):,}" if is_quantity and _LONG_INTEGER.fullmatch(one) else one for one in objects]
    if not unit:
        return relation, tuple(written)
    space = "" if unit == "%" else " "
    return "_".join(before), tuple(f"{one}{space}{unit}" for one in written)


def grouped_quantities(facts: Iterable[Triple]) -> dict[str, str]:
    """Map the quantities among the objects of facts to their spelling with grouped digits, as `with_units` writes them.

    Example:
        >>> grouped_quantities([Triple("France", "population", "66987244"), Triple("Ann", "badge", "10000")])
        {'66987244': '66,987,244'}
    """
    long = {(fact.relation, fact.object) for fact in facts if _LONG_INTEGER.fullmatch(fact.object)}
    return {number: f"{int(number):,}" for relation, number in long if _is_quantity(*_split(relation))}


def _split(relation: str) -> tuple[list[str], str]:
    *before, last = in_words(relation).split() or [""]
    return before, last


def _is_quantity(before: Sequence[str], last: str) -> bool:
    return bool(before and last in _UNITS) or not _QUANTITIES.isdisjoint([*before, last])
