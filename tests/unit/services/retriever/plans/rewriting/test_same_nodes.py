import pytest

from graph.plan.algebra import Plan
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.rewriting.same_nodes import as_same_node
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.asked_questions import asked_about
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship
from tests.support.stored_graphs import StoredGraph

_GRAPH = StoredGraph(
    PropertyGraph(
        (
            Node(0, frozenset({"Person"}), {"name": "Ada"}),
            Node(1, frozenset({"Person"}), {"name": "Jon"}),
            Node(2, frozenset({"Film"}), {"title": "Salt"}),
            Node(3, frozenset({"Film"}), {"title": "Untold"}),
        ),
        (
            Relationship(0, "ACTED_IN", 0, 2, {}),
            Relationship(1, "DIRECTED", 0, 2, {}),
            Relationship(2, "ACTED_IN", 1, 2, {}),
            Relationship(3, "DIRECTED", 1, 3, {}),
        ),
    )
)
_ELEMENTS = SchemaElements.of(_GRAPH.schema)
_TWO_FILMS = "KIND:Person OUT:Person.ACTED_IN FOCUS:0 OUT:Person.DIRECTED RETURN VARIABLE:0 END"
_SECOND_FILM = _TWO_FILMS.replace("VARIABLE:0 END", "VARIABLE:2 END")


def _plan(actions: str) -> Plan:
    return assemble(read_actions(actions, _ELEMENTS), _ELEMENTS, QuestionConstants([], {}))


def _names(plan: Plan) -> list[str]:
    return sorted({str(row[0].name) for row in _GRAPH.run(plan).rows})


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who acted in a film that they directed?", ["Ada"]),
        ("Who acted in a film they also directed?", ["Ada"]),
        ("Which people directed the same film she acted in?", ["Ada"]),
        ("Who acted in a film and directed a film?", ["Ada", "Jon"]),
        ("Who directed a play that they acted in?", ["Ada", "Jon"]),
    ],
)
def test_a_clause_about_the_same_people_is_about_the_same_node(question: str, expected: list[str]) -> None:
    assert _names(as_same_node(_plan(_TWO_FILMS), asked_about(_GRAPH.schema, question))) == expected


def test_a_node_that_the_plan_returns_stands_for_both() -> None:
    question = "Which films have a person who acted in a film that they directed?"

    assert _names(as_same_node(_plan(_SECOND_FILM), asked_about(_GRAPH.schema, question))) == ["Salt"]


def test_the_people_of_the_clause_are_those_of_the_question() -> None:
    two_people = "KIND:Person OUT:Person.ACTED_IN IN:Person.DIRECTED RETURN VARIABLE:0 END"

    assert _names(
        as_same_node(_plan(two_people), asked_about(_GRAPH.schema, "Who acted in a film that they directed?"))
    ) == ["Ada"]


def test_nodes_with_equal_relationships_stay_apart() -> None:
    twice = _plan("KIND:Person OUT:Person.ACTED_IN FOCUS:0 OUT:Person.ACTED_IN RETURN VARIABLE:0 END")

    assert as_same_node(twice, asked_about(_GRAPH.schema, "Who acted in a film that they acted in?")) == twice
