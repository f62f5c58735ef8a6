"""Define units, and what questions say of measures."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from graph.plan.durations import SECONDS_OF_MONTH

SECONDS_OF_YEAR = 12 * SECONDS_OF_MONTH
TIME, MOMENT, AGE, LENGTH, MONEY = "time", "moment", "age", "length", "money"


@dataclass(frozen=True, slots=True)
class Unit:
    """Hold a unit; `factor` is the number of base units in it, such as seconds and grams.

    Amounts of money have a `currency`, by its code, and cannot be converted into another one.
    """

    dimension: str
    factor: float
    currency: str = ""

    def fits(self, known: Collection[str]) -> bool:
        """Return whether numbers that measure one of these dimensions may have the unit; ages are in years."""
        is_year = self.dimension == TIME and self.factor == SECONDS_OF_YEAR
        return self.dimension in known or (is_year and AGE in known)


@dataclass(frozen=True, slots=True)
class AskedUnit:
    """Hold the units in which a question wants a number, and where it says so."""

    start: int
    end: int
    units: tuple[Unit, ...]

    def fits(self, known: Collection[str]) -> bool:
        """Return whether what measures one of these dimensions has the unit; differences of years are in years."""
        dimensions = {unit.dimension for unit in self.units}
        are_years = any(unit.dimension == TIME and unit.factor == SECONDS_OF_YEAR for unit in self.units)
        return not dimensions.isdisjoint(known) or (are_years and MOMENT in known)


@dataclass(frozen=True, slots=True)
class Compared:
    """Hold what the words of a question compare; `is_high` says whether they ask for more of it, None if unknown."""

    dimensions: frozenset[str]
    is_high: bool | None


SECOND = Unit(TIME, 1)


def converted_number(number: float, units: Iterable[Unit], to: Unit | None) -> float | None:
    """Return a number in another unit; None if no unit has the same dimension, or the same currency."""
    if to is None:
        return None
    same = next((one for one in units if (one.dimension, one.currency) == (to.dimension, to.currency)), None)
    if same is None:
        return None
    found = round(number * same.factor / to.factor, 9)
    return int(found) if found.is_integer() else found
