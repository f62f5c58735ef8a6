import pytest

from language.values import QuestionValue, ValueForm
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.rewriting.differences import as_asked
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.asked_questions import asked_about
from tests.support.stored_graphs import StoredGraph
from tests.support.workshop import workshop

_GRAPH = StoredGraph(workshop())
_ELEMENTS = SchemaElements.of(_GRAPH.schema)
_ALPHA_MINUS_GAMMA = (
    "KIND:Job IS VALUE:0 KIND:Job IS VALUE:1 RETURN SUBTRACT FOCUS:0 PROPERTY:Job.cost FOCUS:1 PROPERTY:Job.cost END"
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How much more does Alpha cost than Gamma?", -220),
        ("How much more does Gamma cost than Alpha?", 220),
        ("How much cheaper is Alpha than Gamma?", 220),
        ("How much less does Gamma cost than Alpha?", -220),
        ("What is the difference between the costs of Alpha and Gamma?", 220),
        ("What is the cost of Alpha minus that of Gamma?", 220),
    ],
)
def test_the_sign_of_a_difference_is_the_one_that_is_asked_for(question: str, expected: float) -> None:
    starts = {name: question.index(name) for name in ("Alpha", "Gamma")}
    values = [QuestionValue(at, at + 5, ValueForm.TEXT, name, name) for name, at in starts.items()]
    plan = assemble(read_actions(_ALPHA_MINUS_GAMMA, _ELEMENTS), _ELEMENTS, QuestionConstants(values, {}))

    [[found]] = _GRAPH.run(as_asked(plan, asked_about(_GRAPH.schema, question, values))).rows

    assert found == expected
