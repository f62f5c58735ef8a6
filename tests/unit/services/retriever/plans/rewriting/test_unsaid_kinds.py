import pytest

from graph.plan.algebra import Column, Plan, Project
from language.english.question_values import literal_values
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.rewriting.unsaid_kinds import reaching_all_kinds
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.asked_questions import asked_about
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship
from tests.support.stored_graphs import StoredGraph

_GRAPH = StoredGraph(
    PropertyGraph(
        (
            Node(1, frozenset({"Donor"}), {"name": "Ann"}),
            Node(2, frozenset({"Dog"}), {"name": "Rex", "age": 4}),
            Node(3, frozenset({"Hut"}), {"name": "Eagle"}),
            Node(4, frozenset({"Hut"}), {"name": "Marmot"}),
            Node(5, frozenset({"Valley"}), {"name": "Pflersch"}),
        ),
        (
            Relationship(1, "donated_to", 1, 2, {"amount": 10}),
            Relationship(2, "donated_to", 1, 3, {"amount": 5}),
            Relationship(3, "located_in", 3, 5, {}),
            Relationship(4, "located_in", 4, 5, {}),
        ),
    )
)
_ELEMENTS = SchemaElements.of(_GRAPH.schema)


def _read(question: str, actions: str) -> tuple[Plan, Plan]:
    plan = assemble(read_actions(actions, _ELEMENTS), _ELEMENTS, QuestionConstants(literal_values(question), {}))
    return plan, reaching_all_kinds(plan, asked_about(_GRAPH.schema, question))


def test_a_relationship_leads_to_all_kinds() -> None:
    question = "What has Ann donated to?"
    before, plan = _read(question, "KIND:Hut IN:Donor.donated_to RETURN VARIABLE:0 END")
    assert len(_GRAPH.run(before).rows) == 1
    assert sorted(row[0].name for row in _GRAPH.run(plan).rows) == ["Eagle", "Rex"]
    last = plan.steps[-1]
    assert isinstance(last, Project)
    assert [one.name for one in last.columns if isinstance(one, Column)] == ["node"]


@pytest.mark.parametrize(
    ("question", "actions"),
    [
        ("Which huts has Ann donated to?", "KIND:Hut IN:Donor.donated_to RETURN VARIABLE:0 END"),
        ("What is located in Pflersch?", "KIND:Hut OUT:Hut.located_in RETURN VARIABLE:0 END"),
        ("How old is what Ann donated to?", "KIND:Dog IN:Donor.donated_to RETURN PROPERTY:Dog.age END"),
    ],
)
def test_kinds_that_are_said_or_needed_stay(question: str, actions: str) -> None:
    before, plan = _read(question, actions)
    assert plan == before
