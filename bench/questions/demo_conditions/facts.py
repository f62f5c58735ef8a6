"""Read the facts of the demo graph, and look them up in both directions."""

import lzma
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

GRAPH = Path(__file__).parents[3] / "examples" / "world" / "graph.tsv.xz"

Key = Callable[[str], float]


class World:
    """Answer simple lookups over the facts of the graph."""

    def __init__(self, facts: Iterable[tuple[str, str, str]]) -> None:
        forwards: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        backwards: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for subject, relation, value in facts:
            forwards[subject, relation].add(value)
            backwards[value, relation].add(subject)
        self._forwards: Mapping[tuple[str, str], set[str]] = dict(forwards)
        self._backwards: Mapping[tuple[str, str], set[str]] = dict(backwards)

    def of(self, subject: str, relation: str) -> set[str]:
        """Return all values of a relation, possibly none."""
        return set(self._forwards.get((subject, relation), ()))

    def of_all(self, subjects: Iterable[str], relation: str) -> set[str]:
        """Return the values that any of the subjects has."""
        return {value for subject in subjects for value in self.of(subject, relation)}

    def with_value(self, relation: str, value: str) -> set[str]:
        """Return all subjects with this value, which must exist."""
        return set(self._backwards[value, relation])

    def kind(self, name: str) -> set[str]:
        """Return all entities of a kind."""
        return self.with_value(":LABEL", name)

    def known(self, entities: Iterable[str], relation: str) -> set[str]:
        """Keep the entities with at least one value of the relation."""
        return {entity for entity in entities if self.of(entity, relation)}

    def number(self, subject: str, relation: str) -> float:
        """Return the only value of the relation as a number."""
        (value,) = self.of(subject, relation)
        return float(value)

    def people(self, place: str) -> float:
        """Return the population of a country or city."""
        return self.number(place, "population")

    def area(self, country: str) -> float:
        """Return the area of a country in square kilometres."""
        return self.number(country, "area_km2")

    def height(self, airport: str) -> float:
        """Return the elevation of an airport in feet."""
        return self.number(airport, "elevation_ft")

    @property
    def countries(self) -> set[str]:
        """Return all countries, including the territories that the graph lists as countries."""
        return self.kind("Country")

    def continent(self, name: str) -> set[str]:
        """Return the countries of a continent."""
        return self.with_value("continent", name)

    def region(self, name: str) -> set[str]:
        """Return the countries of a subregion."""
        return self.with_value("subregion", name)

    def members(self, organisation: str) -> set[str]:
        """Return the members of an organisation."""
        return self.with_value("member_of", organisation)

    def speaking(self, language: str) -> set[str]:
        """Return the countries with this official language."""
        return self.with_value("official_language", language)

    def paying_in(self, currency: str) -> set[str]:
        """Return the countries with this currency."""
        return self.with_value("currency", currency)

    def driving(self, side: str) -> set[str]:
        """Return the countries that drive on the "left" or on the "right"."""
        return self.with_value("drives_on_side", f"{side} side")

    def neighbours(self, country: str) -> set[str]:
        """Return the countries that share a border with this one."""
        return self.of(country, "borders")

    def cities(self, country: str) -> set[str]:
        """Return the cities of a country."""
        return set(self._backwards.get((country, "located_in"), ()))

    def cities_of_state(self, state: str) -> set[str]:
        """Return the cities of a state or province."""
        return set(self._backwards.get((state, "in_state"), ()))

    def states(self, country: str) -> set[str]:
        """Return the states or provinces of a country."""
        return self.with_value("state_of", country)

    def airports(self, country: str) -> set[str]:
        """Return the airports of a country."""
        return set(self._backwards.get((country, "airport_in"), ()))

    def measured_airports(self, country: str) -> set[str]:
        """Return the airports of a country whose elevation is known."""
        return self.known(self.airports(country), "elevation_ft")

    def airports_of_city(self, city: str) -> set[str]:
        """Return the airports that serve a city."""
        return set(self._backwards.get((city, "serves"), ()))


def read_world() -> World:
    """Read the facts of the demo graph."""
    with lzma.open(GRAPH, "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    return World((subject, relation, value) for subject, relation, value in rows)


def most(entities: Collection[str], key: Key) -> set[str]:
    """Return the entities with the largest value, including ties."""
    best = max(map(key, entities))
    return {entity for entity in entities if key(entity) == best}


def least(entities: Collection[str], key: Key) -> set[str]:
    """Return the entities with the smallest value, including ties."""
    return most(entities, lambda entity: -key(entity))


def only(entities: Collection[str]) -> str:
    """Return the single entity, and fail if there are several or none."""
    (entity,) = entities
    return entity


def top(count: int, entities: Collection[str], key: Key) -> list[str]:
    """Return the entities with the largest values, largest first, and fail if a tie makes the order unclear."""
    ranked = sorted(entities, key=key, reverse=True)
    values = [key(entity) for entity in ranked[: count + 1]]
    if len(ranked) < count or len(set(values)) < len(values):
        raise ValueError(f"no clear top {count}: {ranked[: count + 1]} {values}")
    return ranked[:count]


def bottom(count: int, entities: Collection[str], key: Key) -> list[str]:
    """Return the entities with the smallest values, smallest first, and fail if a tie makes the order unclear."""
    return top(count, entities, lambda entity: -key(entity))


def total(entities: Iterable[str], key: Key) -> float:
    """Return the sum of the values."""
    return sum(map(key, entities))


def mean(entities: Collection[str], key: Key) -> float:
    """Return the average of the values."""
    return total(entities, key) / len(entities)


def starting(entities: Iterable[str], text: str) -> set[str]:
    """Keep the names that start with the text, ignoring case."""
    return {name for name in entities if name.casefold().startswith(text.casefold())}


def ending(entities: Iterable[str], text: str) -> set[str]:
    """Keep the names that end with the text, ignoring case."""
    return {name for name in entities if name.casefold().endswith(text.casefold())}


def containing(entities: Iterable[str], text: str) -> set[str]:
    """Keep the names that contain the text, ignoring case."""
    return {name for name in entities if text.casefold() in name.casefold()}
