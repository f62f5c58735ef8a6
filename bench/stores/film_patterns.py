"""Build patterns and conditions about MetaQA's films, with random parameters.

They fit the graph of triples as published, in which every entity has a name and films have a release year, and a
property graph with the same facts, in which nodes have kinds and relationships have properties.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from graph.plan.algebra import (
    And,
    Column,
    Comparison,
    Constant,
    Expression,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Step,
)

YEAR, NAME, POSITION = "release_year", "name", "position"
ACTORS, DIRECTOR, WRITER, GENRE = "starred_actors", "directed_by", "written_by", "has_genre"
Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in", "contains", "starts_with", "ends_with"]


@dataclass(frozen=True, slots=True)
class FilmNames:
    """Hold names of films and people for parameters of plans."""

    films: Sequence[str]
    people: Sequence[str]


class FilmPatterns:
    """Build patterns for the property graph if `has_kinds`, otherwise for the graph of triples."""

    def __init__(self, names: FilmNames, has_kinds: bool, rng: random.Random) -> None:
        """Draw parameters from `names`."""
        self._names = names
        self.has_kinds = has_kinds
        self.rng = rng

    # Patterns

    def kinds(self, kind: str) -> tuple[str, ...]:
        """Return the kinds of a node; none in the graph of triples."""
        return (kind,) if self.has_kinds else ()

    def named(self, variable: str, name: str) -> Match:
        """Match the entity with a name."""
        return Match((NodePattern(variable),), where=compare(variable, NAME, "=", name))

    def films(self, *conditions: Expression) -> Match:
        """Match all films that meet conditions."""
        where = conditions[0] if len(conditions) == 1 else And(conditions) if conditions else None
        return Match((NodePattern("f", self.kinds("Film")),), where=where)

    def films_of_genre(self) -> Match:
        """Match the films of a random genre."""
        genre = self.rng.choice(("Western", "War", "Fantasy", "Mystery", "Animation", "Musical", "Family"))
        nodes = NodePattern("f", self.kinds("Film")), NodePattern("g", self.kinds("Genre"))
        return Match(nodes, (RelationshipPattern("f", "g", (GENRE,)),), compare("g", NAME, "=", genre))

    def acted_in(self, where: Expression | None, person: str = "p", film: str = "f") -> Match:
        """Match films and the people who act in them."""
        nodes = NodePattern(film, self.kinds("Film")), NodePattern(person, self.kinds("Person"))
        return Match(nodes, (RelationshipPattern(film, person, (ACTORS,)),), where)

    def colleagues(self) -> Match:
        """Match the people who act with a random person."""
        nodes = NodePattern("f", self.kinds("Film")), *(NodePattern(name, self.kinds("Person")) for name in "pq")
        return Match(nodes, tuple(RelationshipPattern("f", name, (ACTORS,)) for name in "pq"), self.is_person())

    def directed(self) -> Match:
        """Match the directors of the film in the row."""
        return Match(
            (NodePattern("f"), NodePattern("d", self.kinds("Person"))), (RelationshipPattern("f", "d", (DIRECTOR,)),)
        )

    def people_of(self, relation: str) -> Plan:
        """Return the people of a random film."""
        nodes = NodePattern("f", self.kinds("Film")), NodePattern("p", self.kinds("Person"))
        films = compare("f", NAME, "=", self.film_name())
        return plan(Match(nodes, (RelationshipPattern("f", "p", (relation,)),), films), Project((column("p", NAME),)))

    # Conditions and parameters

    def is_person(self) -> Expression:
        """Return the condition that `p` is a random person."""
        return compare("p", NAME, "=", self.rng.choice(self._names.people))

    def is_from_year(self) -> Expression:
        """Return the condition that a film is from a random year."""
        return compare("f", YEAR, "=", self.year())

    def between(self) -> Expression:
        """Return the condition that a film is from five random years."""
        year = self.year()
        return And((compare("f", YEAR, ">=", year), compare("f", YEAR, "<", year + 5)))

    def film_name(self) -> str:
        """Return a random name of a film."""
        return self.rng.choice(self._names.films)

    def some_films(self) -> tuple[str, ...]:
        """Return five random films."""
        return tuple(self.rng.choices(self._names.films, k=5))

    def part(self, operator: str) -> str:
        """Return the part of a random name that an operator tests."""
        name, size = self.film_name(), self.rng.randint(3, 6)
        if operator == "=":
            return name
        start = {"starts_with": 0, "ends_with": max(0, len(name) - size)}.get(operator)
        start = self.rng.randint(0, max(0, len(name) - size)) if start is None else start
        return name[start : start + size]

    def year(self) -> int:
        """Return a random year."""
        return self.rng.randint(1930, 2010)


def plan(*steps: Step) -> Plan:
    """Build a plan."""
    return Plan(steps)


def column(variable: str, key: str) -> Column:
    """Select a property."""
    return Column(f"{variable}.{key}", Property(variable, key))


def compare(variable: str, key: str, operator: Operator, value: object, ignore_case: bool = False) -> Comparison:
    """Compare a property with a constant."""
    return Comparison(operator, Property(variable, key), Constant(value), ignore_case)
