import pytest

from graph.plan.schema import PropertySchema
from graph.plan.values import ValueType
from language.english.quantities import compared
from language.units import Compared
from services.retriever.plans.schema.quantities import dimensions_of, unit_of

_NUMBER = PropertySchema(frozenset({ValueType.FLOAT}), ValueType.FLOAT)
_DATE = PropertySchema(frozenset({ValueType.DATE}), ValueType.DATE)
_TEXT = frozenset({ValueType.STRING})


@pytest.mark.parametrize(
    ("key", "unit", "dimensions"),
    [
        ("weight_kg", ("mass", 1000), {"mass"}),
        ("durationMinutes", ("time", 60), {"time"}),
        ("walk_m", ("length", 1), {"length"}),
        ("top_speed_kmh", ("speed", 1), {"speed"}),
        ("hasBudgetEUR", ("money", 1), {"money"}),
        ("cost_per_kg", None, {"money"}),
        ("price_kg", None, {"money"}),
        ("capacity_kg_h", None, set()),
        ("opening_hour", None, set()),
        ("m", None, set()),
        ("runtime", None, {"time"}),
        ("latitude", None, {"latitude"}),
        ("pages", None, set()),
    ],
)
def test_the_name_of_a_number_tells_its_unit(key: str, unit: tuple[str, float] | None, dimensions: set[str]) -> None:
    found = unit_of(key, _NUMBER)

    assert (found and (found.dimension, found.factor)) == unit
    assert dimensions_of(key, _NUMBER) == dimensions


def test_dates_are_moments_and_some_tell_an_age() -> None:
    assert dimensions_of("hireDate", _DATE) == {"moment"}
    assert dimensions_of("dateOfBirth", _DATE) == {"moment", "age"}
    assert dimensions_of("yearBuilt", _NUMBER) == {"moment", "age"}


def test_durations_are_in_seconds_unless_other_values_are_among_them() -> None:
    durations = PropertySchema(_TEXT, ValueType.STRING, holds_durations=True)
    mixed = PropertySchema(_TEXT, ValueType.STRING, holds_durations=True, mixes_durations=True)

    assert dimensions_of("took_kg", durations) == {"time"}
    assert unit_of("setup", mixed) is None


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which job is the longest?", Compared(frozenset({"time", "length"}), True)),
        ("Which is the most expensive?", Compared(frozenset({"money"}), True)),
        ("Who lives furthest west?", Compared(frozenset({"longitude"}), False)),
        ("Which is the fastest?", Compared(frozenset({"time", "speed"}), None)),
        ("Which is the largest?", None),
        ("Which is the cheapest of the longest?", None),
    ],
)
def test_words_tell_what_is_compared(question: str, expected: Compared | None) -> None:
    assert compared(question) == expected
