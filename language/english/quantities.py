"""Know the units of numbers, what they measure, and what the words of a question compare."""

import re
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

from language.english.lexicon import classes, words_of_class
from language.units import LENGTH, MONEY, TIME, AskedUnit, Compared, Unit

_TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _units(*fields: str) -> dict[str, tuple[Unit, ...]]:
    found: dict[str, tuple[Unit, ...]] = {}
    for one in _TABLE["units"]:
        for word in " ".join(one.get(field, "") for field in fields).split():
            word = word.replace("_", " ")
            found[word] = (*found.get(word, ()), Unit(one["dimension"], one["factor"], one.get("currency", "")))
    return found


def _dimensions(verb: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for name in classes(f"{verb} "):
        for word in words_of_class(name):
            found[word].add(name.removeprefix(f"{verb} "))
    return {word: frozenset(dimensions) for word, dimensions in found.items()}


UNITS, ALL_UNITS, _SYMBOLS = _units("words"), _units("words", "short"), _units("symbol")
DIMENSIONS, _ADJECTIVES = _dimensions("measures"), _dimensions("compares")
MINUTE_OR_METRE = (Unit(TIME, 60), Unit(LENGTH, 1))
"""Meanings of the letter `m` behind a number, apart from millions."""
UNIT_WORDS = "|".join(sorted(UNITS, key=len, reverse=True))
_AFTER = re.compile(rf"[\s-]?({UNIT_WORDS})\b| ?([gtl])(?![\w-])| (s)(?![\w-])", re.IGNORECASE)
_HOW_MANY_UNITS = re.compile(rf"\bhow many (?:(?:more|fewer|less) )?(?=(?:{UNIT_WORDS})\b)", re.IGNORECASE)
_IN_UNITS = re.compile(rf"\bin (?=(?:{UNIT_WORDS})\b)", re.IGNORECASE)
_COMPARES = re.compile(
    rf"\b(?:(?:farthest|furthest|further|farther|most) (north|south|east|west)(?:ern|erly)?"
    rf"|{'|'.join(sorted(_ADJECTIVES))}|most expensive)\b",
    re.IGNORECASE,
)
_LATITUDE, _LONGITUDE = frozenset(("latitude",)), frozenset(("longitude",))
_DIRECTIONS = {
    "north": (_LATITUDE, True), "south": (_LATITUDE, False), "east": (_LONGITUDE, True), "west": (_LONGITUDE, False),
}  # fmt: skip
_ENDS = dict.fromkeys(words_of_class("asks for more"), True) | dict.fromkeys(words_of_class("asks for less"), False)


def asked_unit(question: str) -> AskedUnit | None:
    """Return the unit in which a question wants a number: `how many hours`, or `in hours`.

    Example:
        >>> asked = asked_unit("How many more hours did it take?")
        >>> asked.start, asked.end, asked.units
        (0, 19, (Unit(dimension='time', factor=3600),))
    """
    for pattern in (_HOW_MANY_UNITS, _IN_UNITS):
        if found := pattern.search(question):
            units, end = units_after(question, found.end())
            return AskedUnit(found.start(), end, units)
    return None


def is_unit(text: str) -> bool:
    """Return whether a text is a word for a unit, such as `m2`."""
    return text.lower() in UNITS


def units_after(text: str, place: int) -> tuple[tuple[Unit, ...], int]:
    """Return the units that a word right behind a number may name, and where it ends; none, and `place`, otherwise.

    Example:
        >>> units_after("over 2 hours", 6)
        ((Unit(dimension='time', factor=3600),), 12)
    """
    found = _AFTER.match(text, place)
    if found is None:
        return (), place
    letter = found[2] or found[3]
    if letter and letter.isupper():
        return (), place  # 5G
    return ALL_UNITS[letter or found[1].lower()], found.end()


def units_of_symbol(text: str, start: int, end: int) -> tuple[Unit, ...]:
    """Return the currency of a sign before or behind a number; none if there is no sign, or one of several currencies.

    Example:
        >>> units_of_symbol("over 20 €", 5, 7)
        (Unit(dimension='money', factor=1, currency='eur'),)
    """
    around = f"{text[max(0, start - 1) : start]}{text[start:end]}{text[end : end + 2].strip()}"
    return next((units for symbol, units in _SYMBOLS.items() if symbol in around), ())


def compared(question: str) -> Compared | None:
    """Return what the words of a question compare; None if that may be anything, or several things.

    Example:
        >>> compared("Which city lies furthest south?")
        Compared(dimensions=frozenset({'latitude'}), is_high=False)
    """
    found = {_compared(one) for one in _COMPARES.finditer(question)}
    return next(iter(found)) if len(found) == 1 else None


def _compared(found: "re.Match[str]") -> Compared:
    if found[1]:
        return Compared(*_DIRECTIONS[found[1].lower()])
    word = found.group().lower()
    return Compared(_ADJECTIVES.get(word, frozenset((MONEY,))), _ENDS.get(word, True if " " in word else None))
