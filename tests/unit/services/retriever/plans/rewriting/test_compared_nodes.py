from graph.plan.algebra import Plan
from language.values import QuestionValue, ValueForm
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.rewriting.compared_nodes import as_compared
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.asked_questions import asked_about
from tests.support.stored_graphs import StoredGraph
from tests.support.workshop import workshop

_GRAPH = StoredGraph(workshop())
_ELEMENTS = SchemaElements.of(_GRAPH.schema)
_QUESTION = "Which jobs cost more than Alpha?"
_VALUES = [QuestionValue(26, 31, ValueForm.TEXT, "Alpha", "Alpha")]
_COMPARED = "KIND:Job KIND:Job IS VALUE:0 FOCUS:0 PROPERTY:Job.cost GREATER FOCUS:1 PROPERTY:Job.cost"


def _plan(actions: str) -> Plan:
    return assemble(read_actions(actions, _ELEMENTS), _ELEMENTS, QuestionConstants(_VALUES, {}))


def _names(plan: Plan) -> list[str]:
    return sorted(row[0].name for row in _GRAPH.run(plan).rows)


def test_the_node_that_is_compared_with_a_named_one_is_the_answer() -> None:
    other, named = (_plan(f"{_COMPARED} RETURN VARIABLE:{number} END") for number in (0, 1))

    assert _names(other) == ["Beta", "Gamma"]
    assert _names(as_compared(named, asked_about(_GRAPH.schema, _QUESTION, _VALUES))) == ["Beta", "Gamma"]
    assert as_compared(other, asked_about(_GRAPH.schema, _QUESTION, _VALUES)) == other


def test_a_named_node_that_is_compared_with_nothing_stays_the_answer() -> None:
    plan = _plan("KIND:Job IS VALUE:0 RETURN VARIABLE:0 END")

    assert as_compared(plan, asked_about(_GRAPH.schema, _QUESTION, _VALUES)) == plan
