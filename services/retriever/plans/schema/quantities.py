"""Say what the properties of a graph measure."""

from graph.plan.content_types import words_of
from graph.plan.schema import PropertySchema
from language.english.quantities import ALL_UNITS, DIMENSIONS, UNITS
from language.units import AGE, MOMENT, MONEY, SECOND, Unit
from services.retriever.plans.schema.value_types import DATES

_CALENDAR = frozenset(("second", "minute", "hour", "day", "week", "month", "year"))
"""Words that name parts of dates in the names of properties."""


def unit_of(key: str, schema: PropertySchema) -> Unit | None:
    """Return the unit that a property has by its name, its owner, or its values; None if it is unknown."""
    if schema.are_durations:
        return SECOND
    if schema.meaning and (said := words_of(schema.meaning.unit)):
        return next(iter(ALL_UNITS.get(" ".join(said), ALL_UNITS.get(said[-1], ()))), None)
    words = words_of(key)
    *before, last = words or [""]
    known = ALL_UNITS if before else UNITS
    if (joined := " ".join(words[-2:])) in known:
        before, last = words[:-2], joined
    found = next(iter(known.get(last, ())), None) if last not in _CALENDAR else None
    is_rate = "per" in words or (before != [] and before[-1] in ALL_UNITS)
    return None if is_rate or (found is not None and found.dimension != MONEY and MONEY in _named(words)) else found


def dimensions_of(key: str, schema: PropertySchema) -> frozenset[str]:
    """Return what a property may measure; nothing if its name does not say so."""
    named = next(filter(None, (_named(words_of(name)) for name in (key, *schema.names))), frozenset())
    if schema.content in DATES:
        return frozenset((MOMENT,)) | (named & {AGE})
    unit = unit_of(key, schema)
    return frozenset((unit.dimension,)) if unit is not None else named


def _named(words: list[str]) -> frozenset[str]:
    """Return the dimensions of the last word that has any; the price per kilo is a price."""
    before = words[: words.index("per")] if "per" in words else words
    return next((DIMENSIONS[word] for word in reversed(before) if word in DIMENSIONS), frozenset())
