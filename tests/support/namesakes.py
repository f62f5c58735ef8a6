"""A graph with namesakes, and plans that name one of them, with the years that the plans give."""

from collections.abc import Sequence
from typing import Any

from graph.plan.algebra import (
    And,
    Column,
    Comparison,
    Constant,
    Exists,
    Expression,
    ListOf,
    Match,
    NodePattern,
    Not,
    Or,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Variable,
)
from graph.store import GraphStore
from language.english.english import english
from language.meant import Meant
from language.question import Question
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship

NAME = "Ann Lee"
_PEOPLE = [(NAME, 1956), (NAME, 1980), ("Bo Chen", 1970), ("Cy Diaz", 1971)]
_MANAGES = [(0, 2), (1, 3)]


def namesakes() -> PropertyGraph:
    """Return two people named Ann Lee, each with somebody whom she manages."""
    people = [
        Node(number, frozenset({"Person"}), {"name": name, "born": born}) for number, (name, born) in enumerate(_PEOPLE)
    ]
    manages = [Relationship(number, "MANAGES", *ends, {}) for number, ends in enumerate(_MANAGES)]
    return PropertyGraph(tuple(people), tuple(manages))


async def ids_of(store: GraphStore, born: Sequence[int]) -> list[str]:
    """Return the ids of the people who were born in some years."""
    columns = Project((Column("p", Variable("p")), Column("born", Property("p", "born"))))
    rows = (await store.run(Plan((Match((NodePattern("p"),)), columns)))).rows
    return [node.id for node, year in rows if year in born]


async def about_the_younger(store: GraphStore) -> Question:
    """Return a question that means the Ann Lee who was born in 1980."""
    [id_] = await ids_of(store, [1980])
    return english(f"{NAME}?").meaning({NAME: Meant(id_, NAME)})


def named(variable: str, name: str, operator: Any = "=") -> Comparison:
    return Comparison(operator, Property(variable, "name"), Constant(name))


def people(where: Expression, *links: RelationshipPattern) -> Plan:
    nodes = tuple(NodePattern(name) for name in ("p", *("m" for _ in links)))
    return Plan((Match(nodes, links, where), Project((Column("born", Property("p", "born")),))))


_MANAGED_BY = RelationshipPattern("m", "p", ("MANAGES",))
_OF_ANN = Match((NodePattern("p"), NodePattern("m")), (_MANAGED_BY,), named("m", NAME))


PLANS: list[tuple[Plan, list[int], list[int]]] = [
    (people(named("p", NAME)), [1956, 1980], [1980]),
    (people(And((named("p", NAME), Comparison("<", Property("p", "born"), Constant(1970))))), [1956], []),
    (people(named("m", NAME), _MANAGED_BY), [1970, 1971], [1971]),
    (people(Or((named("p", NAME), named("p", "Bo Chen")))), [1956, 1970, 1980], [1970, 1980]),
    (people(named("p", NAME, "!=")), [1970, 1971], [1956, 1970, 1971]),
    (people(Not(named("p", NAME))), [1970, 1971], [1956, 1970, 1971]),
    (
        people(Comparison("in", Property("p", "name"), ListOf((Constant(NAME), Constant("Cy Diaz"))))),
        [1956, 1971, 1980],
        [1971, 1980],
    ),
    (people(Exists(_OF_ANN)), [1970, 1971], [1971]),
    (people(Not(Exists(_OF_ANN))), [1956, 1980], [1956, 1970, 1980]),
    (people(named("p", "Bo Chen")), [1970], [1970]),
]
"""Plans, what they give, and what they give if the younger one is meant."""
