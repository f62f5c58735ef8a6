"""Say what the properties and the values of a question measure, and convert values to the units of properties."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.retriever.planning.operand_types import DATES
from shared.plan.content_types import words_of
from shared.plan.durations import SECONDS_OF_MONTH
from shared.plan.schema import PropertySchema

_TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_CALENDAR = frozenset(("second", "minute", "hour", "day", "week", "month", "year"))
"""Words that name parts of dates in the names of properties."""
SECONDS_OF_YEAR = 12 * SECONDS_OF_MONTH
TIME, MOMENT, AGE, LENGTH, MASS, MONEY, SPEED = "time", "moment", "age", "length", "mass", "money", "speed"


@dataclass(frozen=True, slots=True)
class Unit:
    """Hold a unit; `factor` is the number of base units in it, such as seconds and grams."""

    dimension: str
    factor: float

    def fits(self, known: Collection[str]) -> bool:
        """Return whether numbers that measure one of these dimensions may have the unit; ages are in years."""
        is_year = self.dimension == TIME and self.factor == SECONDS_OF_YEAR
        return self.dimension in known or (is_year and AGE in known)


def _units(*fields: str) -> dict[str, tuple[Unit, ...]]:
    found: dict[str, tuple[Unit, ...]] = {}
    for one in _TABLE["units"]:
        for word in " ".join(one.get(field, "") for field in fields).split():
            word = word.replace("_", " ")
            found[word] = (*found.get(word, ()), Unit(one["dimension"], one["factor"]))
    return found


def _dimensions(table: Mapping[str, str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for dimension, words in table.items():
        for word in words.split():
            found[word].add(dimension)
    return {word: frozenset(dimensions) for word, dimensions in found.items()}


_UNITS, _ALL_UNITS = _units("words"), _units("words", "short")
_NAMES, _ADJECTIVES = _dimensions(_TABLE["names"]), _dimensions(_TABLE["adjectives"])
ADJECTIVES = frozenset((*_ADJECTIVES, "expensive"))
"""Words that compare a certain dimension."""
SECOND = Unit(TIME, 1)
MINUTE_OR_METRE = (Unit(TIME, 60), Unit(LENGTH, 1))
"""Meanings of the letter `m` behind a number, apart from millions."""
UNIT_WORDS = "|".join(sorted(_UNITS, key=len, reverse=True))
_AFTER = re.compile(rf"[\s-]?({UNIT_WORDS})\b| ?([gtl])(?![\w-])| (s)(?![\w-])", re.IGNORECASE)
_HOW_MANY_UNITS = re.compile(rf"\bhow many (?:(?:more|fewer|less) )?(?=(?:{UNIT_WORDS})\b)", re.IGNORECASE)
_IN_UNITS = re.compile(rf"\bin (?=(?:{UNIT_WORDS})\b)", re.IGNORECASE)
_COMPARES = re.compile(
    rf"\b(?:(?:farthest|furthest|further|farther|most) (north|south|east|west)(?:ern|erly)?"
    rf"|{'|'.join(_ADJECTIVES)}|most expensive)\b",
    re.IGNORECASE,
)
_LATITUDE, _LONGITUDE = frozenset(("latitude",)), frozenset(("longitude",))
_DIRECTIONS = {
    "north": (_LATITUDE, True), "south": (_LATITUDE, False), "east": (_LONGITUDE, True), "west": (_LONGITUDE, False),
}  # fmt: skip
_ENDS = {word: end == "high" for end, words in _TABLE["ends"].items() for word in words.split()}


@dataclass(frozen=True, slots=True)
class AskedUnit:
    """Hold the units in which a question wants a number, and where it says so; `is_counted` in `how many hours`."""

    start: int
    end: int
    units: tuple[Unit, ...]
    is_counted: bool

    def fits(self, known: Collection[str]) -> bool:
        """Return whether what measures one of these dimensions has the unit; differences of years are in years."""
        dimensions = {unit.dimension for unit in self.units}
        are_years = any(unit.dimension == TIME and unit.factor == SECONDS_OF_YEAR for unit in self.units)
        return not dimensions.isdisjoint(known) or (are_years and MOMENT in known)


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
            return AskedUnit(found.start(), end, units, pattern is _HOW_MANY_UNITS)
    return None


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
    return _ALL_UNITS[letter or found[1].lower()], found.end()


def unit_of(key: str, schema: PropertySchema) -> Unit | None:
    """Return the unit that the name of a property ends with, or that its values have; None if it is unknown."""
    if schema.are_durations:
        return SECOND
    words = words_of(key)
    last = words[-1] if words else ""
    known = _ALL_UNITS if len(words) > 1 else _UNITS
    found = next(iter(known.get(last, ())), None) if last not in _CALENDAR else None
    is_rate = "per" in words or (words[-2:-1] != [] and words[-2] in _ALL_UNITS)
    return None if is_rate or (found is not None and found.dimension != MONEY and MONEY in _named(words)) else found


def dimensions_of(key: str, schema: PropertySchema) -> frozenset[str]:
    """Return what a property may measure; nothing if its name does not say so."""
    named = _named(words_of(key))
    if schema.content in DATES:
        return frozenset((MOMENT,)) | (named & {AGE})
    unit = unit_of(key, schema)
    return frozenset((unit.dimension,)) if unit is not None else named


def _named(words: list[str]) -> frozenset[str]:
    """Return the dimensions of the last word that has any; the price per kilo is a price."""
    before = words[: words.index("per")] if "per" in words else words
    return next((_NAMES[word] for word in reversed(before) if word in _NAMES), frozenset())


@dataclass(frozen=True, slots=True)
class Compared:
    """Hold what the words of a question compare; `is_high` says whether they ask for more of it, None if unknown."""

    dimensions: frozenset[str]
    is_high: bool | None


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


def converted_number(number: float, units: Iterable[Unit], to: Unit | None) -> float | None:
    """Return a number in another unit; None if no unit has the same dimension."""
    same = next((unit for unit in units if to is not None and unit.dimension == to.dimension), None)
    if same is None or to is None:
        return None
    found = round(number * same.factor / to.factor, 9)
    return int(found) if found.is_integer() else found
