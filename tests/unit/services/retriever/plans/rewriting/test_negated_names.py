import pytest

from graph.plan.algebra import Plan
from graph.plan.values import NodeRef
from language.values import QuestionValue, ValueForm
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.rewriting.negated_names import negating_relationships
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.asked_questions import asked_about
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship
from tests.support.stored_graphs import StoredGraph

_COUNTRIES = {"Spain": ("NATO", "EU"), "Cuba": ("G77",), "Turkey": ("NATO", "G20"), "Mexico": ("G20",), "Nauru": ()}
_BODIES = ("NATO", "EU", "G77", "G20")
_SEATS = {"NATO": "Brussels", "EU": "Brussels", "G77": "New York"}


def _seat(name: str) -> dict[str, str]:
    return {"seat": _SEATS[name]} if name in _SEATS else {}


def _graph() -> StoredGraph:
    names = [*_COUNTRIES, *_BODIES]
    nodes = [
        Node(number, frozenset({"Country" if name in _COUNTRIES else "Body"}), {"name": name, **_seat(name)})
        for number, name in enumerate(names)
    ]
    pairs = [(country, body) for country, bodies in _COUNTRIES.items() for body in bodies]
    links = [
        Relationship(number, "member_of", names.index(country), names.index(body), {})
        for number, (country, body) in enumerate(pairs)
    ]
    return StoredGraph(PropertyGraph(tuple(nodes), tuple(links)))


_GRAPH = _graph()
_ELEMENTS = SchemaElements.of(_GRAPH.schema)
_MEMBER = "KIND:Country OUT:Country.member_of"


def _plan(actions: str) -> Plan:
    name = _ELEMENTS.property_numbers[False, "Body", "name"]
    seat = _ELEMENTS.property_numbers[False, "Body", "seat"]
    values = [QuestionValue(0, 1, ValueForm.TEXT, body, body, {name: body}) for body in _BODIES]
    values.append(QuestionValue(0, 1, ValueForm.TEXT, "Brussels", "Brussels", {seat: "Brussels"}))
    numbers = {id(one.schema): number for number, one in enumerate(_ELEMENTS.properties)}
    return assemble(read_actions(actions, _ELEMENTS), _ELEMENTS, QuestionConstants(values, numbers))


def _names(plan: Plan) -> list[str]:
    rows = _GRAPH.run(plan).rows
    return sorted(row[0].name for row in rows if isinstance(row[0], NodeRef))


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        (f"{_MEMBER} NOT IS VALUE:0 RETURN VARIABLE:0 END", ["Cuba", "Mexico", "Nauru"]),
        (f"{_MEMBER} PROPERTY:Body.name UNEQUAL VALUE:0 RETURN VARIABLE:0 END", ["Cuba", "Mexico", "Nauru"]),
        (
            f"{_MEMBER} PROPERTY:Body.name UNEQUAL VALUE:0 PROPERTY:Body.name UNEQUAL VALUE:2 RETURN VARIABLE:0 END",
            ["Mexico", "Nauru"],
        ),
        (
            f"{_MEMBER} PROPERTY:Body.name UNEQUAL VALUE:0 PROPERTY:Body.name EQUAL VALUE:3 RETURN VARIABLE:0 END",
            ["Mexico"],
        ),
    ],
)
def test_a_relationship_is_negated_instead_of_a_name(actions: str, expected: list[str]) -> None:
    assert _names(negating_relationships(_plan(actions), asked_about(_GRAPH.schema, ""))) == expected


@pytest.mark.parametrize(
    "actions",
    [
        f"{_MEMBER} PROPERTY:Body.name UNEQUAL VALUE:0 RETURN VARIABLE:1 END",
        f"{_MEMBER} PROPERTY:Body.name EQUAL VALUE:0 RETURN VARIABLE:0 END",
        "KIND:Body PROPERTY:Body.name UNEQUAL VALUE:0 RETURN VARIABLE:0 END",
    ],
)
def test_names_of_what_the_plan_returns_stay_negated(actions: str) -> None:
    assert negating_relationships(_plan(actions), asked_about(_GRAPH.schema, "")) == _plan(actions)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which countries do not belong to a body in Brussels?", ["Cuba", "Mexico", "Nauru"]),
        ("Which countries never joined a body in Brussels?", ["Cuba", "Mexico", "Nauru"]),
        ("Which countries are in a body that is not in Brussels?", ["Cuba"]),
    ],
)
def test_a_negated_verb_negates_the_relationship(question: str, expected: list[str]) -> None:
    plan = _plan(f"{_MEMBER} PROPERTY:Body.seat UNEQUAL VALUE:4 RETURN VARIABLE:0 END")

    assert sorted(set(_names(negating_relationships(plan, asked_about(_GRAPH.schema, question))))) == expected
