"""Write numbers with the units that the names of their properties end with, and group the digits of quantities."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from language.english.lexicon import words_of_class
from language.english.quantities import ALL_UNITS
from language.english.relation_words import called, in_words
from shared.text import readable
from shared.triple import Triple

_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

_NUMBER = re.compile(r"[-+\u2212]?\d+(?:\.\d+)?")
_LONG_INTEGER = re.compile(r"[1-9]\d{4,}")
_UNITS: dict[str, str] = _TABLES["units"]
"""Map from the last words of a name to the unit behind the number."""
_UNITS |= {code: code.upper() for code in sorted(words_of_class("currency"))}
_UNITS_AFTER: dict[str, dict[str, str]] = _TABLES["units_after"]
"""The same for words that are units only after certain nouns: `durationMin`, but not `temperature_min`."""
_MOST_UNIT_WORDS = 2
_WRITTEN = {*_UNITS.values(), *(unit for units in _UNITS_AFTER.values() for unit in units.values())}
_UNIT_BEHIND = re.compile(rf" ?(?:{'|'.join(map(re.escape, sorted(_WRITTEN, key=len, reverse=True)))})(?!\w)")
_MEASURED = {kind: words_of_class(f"unit letter of {kind}") for kind in _UNITS_AFTER}
_LENGTHS_OF_TIME = _MEASURED["duration"] | words_of_class("length of time")
# `paid days` and `business days` are nouns of their own, so that `business` has no days.
_BEFORE_TIMES = words_of_class("before time word")
_AUXILIARIES = words_of_class("auxiliary")
# Other numbers may be codes, whose digits are not grouped.
_QUANTITIES = words_of_class("quantity")


def with_units(relation: str, objects: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Move the unit of numbers from the relation to the numbers, and group the digits of quantities.

    Values that are no numbers stay as they are.

    Example:
        >>> with_units("elevation_ft", ("13123",)), with_units("iata_code", ("10000",))
        (('elevation', ('13,123 ft',)), ('iata_code', ('10000',)))
    """
    if not all(map(_NUMBER.fullmatch, objects)):
        return relation, tuple(objects)
    before, unit = _measured(called(relation))
    is_quantity = _is_quantity(relation)
    written = [f"{int(one):,}" if is_quantity and _LONG_INTEGER.fullmatch(one) else one for one in objects]
    if not unit:
        return relation, tuple(written)
    space = "" if unit == "%" else " "
    return _not_called("_".join(before)), tuple(f"{one}{space}{unit}" for one in written)


def _not_called(relation: str) -> str:
    """Return a relation that is in the owner's words, written so that it is not called by them once more."""
    spellings = (relation, relation.upper(), relation.capitalize(), f"{relation}_")
    return next(one for one in spellings if called(one) == one or one.endswith("_"))


def with_unit_name(name: str, stored: str, unit: str) -> str:
    """Return another name of a property with the unit of its stored name behind it, or else with a given unit.

    Texts write numbers with it, as they write those of the stored name. Units that texts cannot write are left out.

    Example:
        >>> with_unit_name("budget", "hasBudgetEUR", ""), with_unit_name("response time", "sla", "hours")
        ('budget eur', 'response time hours')
    """
    own, (before, measured) = readable(stored).split(), _measured(stored)
    kept = own[len(before) :] or unit.lower().split()
    if measured and name == in_words(stored):
        return name
    return f"{name} {' '.join(kept)}" if _measured(f"{name} {' '.join(kept)}")[1] else name


def unit_problem(stored: str, unit: str) -> str:
    """Return why a unit that is given to a property cannot count; nothing if it can.

    Example:
        >>> unit_problem("weight_kg", "pounds"), unit_problem("capacity", "visitors")
        ("the name says 'kg'", 'no such unit is known')
        >>> unit_problem("weight_kg", "kilos")
        ''
    """
    words = readable(stored).split()
    before, own = _measured(stored)
    said = ALL_UNITS.get(unit.lower(), ())
    if own:
        of_name = ALL_UNITS.get(" ".join(words[len(before) :]), ())
        is_same = unit.lower() == own.lower() or _measured(f"number {unit}")[1] == own or set(said) & set(of_name)
        return "" if is_same else f"the name says {own!r}"
    return "" if said or _measured(f"number {unit.lower()}")[1] else "no such unit is known"


def unit_after(text: str, at: int) -> int:
    """Return where the unit ends that stands behind a number which ends at a place; the place itself if there is none.

    Example:
        >>> unit_after("It weighs 6150 kg.", 14), unit_after("There are 12 or so.", 12)
        (17, 12)
    """
    found = _UNIT_BEHIND.match(text, at) if text[:at][-1:].isdigit() else None
    return found.end() if found else at


def grouped_quantities(facts: Iterable[Triple]) -> dict[str, str]:
    """Map the quantities among the objects of facts to their spelling with grouped digits, as `with_units` writes them.

    Example:
        >>> grouped_quantities([Triple("France", "population", "66987244"), Triple("Ann", "badge", "10000")])
        {'66987244': '66,987,244'}
    """
    long = {(fact.relation, fact.object) for fact in facts if _LONG_INTEGER.fullmatch(fact.object)}
    return {number: f"{int(number):,}" for relation, number in long if _is_quantity(relation)}


def unit_of(relation: str) -> str:
    """Return the unit of a relation's numbers, as a text writes it; nothing if the name of the relation has none."""
    return _measured(called(relation))[1]


def names_length_of_time(relation: str) -> bool:
    """Return whether a relation's name ends with a word for a length of time: `lead_time`, `noticePeriod`."""
    return not _LENGTHS_OF_TIME.isdisjoint(in_words(relation).split()[-1:])


@lru_cache(maxsize=1024)
def _measured(relation: str) -> tuple[list[str], str]:
    """Return the words before the unit that a relation's name ends with, and the unit; no unit if there is none."""
    words = readable(relation).split()
    for length in range(min(_MOST_UNIT_WORDS, len(words) - 1), 0, -1):
        before, last = words[:-length], " ".join(words[-length:])
        if (unit := _unit(before[-1], last)) and not _AUXILIARIES.issuperset(before):
            return before, unit
    return words, ""


def _unit(noun: str, last: str) -> str:
    """Return the unit that the last words of a name stand for, behind a noun."""
    for kind, units in _UNITS_AFTER.items():
        if last in units:
            return units[last] if in_words(noun) in _MEASURED[kind] else ""
    is_time = last in words_of_class("time word")
    return "" if is_time and (noun in _BEFORE_TIMES or noun.endswith(("ed", "ing"))) else _UNITS.get(last, "")


def _is_quantity(relation: str) -> bool:
    return bool(unit_of(relation)) or not _QUANTITIES.isdisjoint(in_words(relation).split())
