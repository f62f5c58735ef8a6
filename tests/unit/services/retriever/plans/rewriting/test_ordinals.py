import pytest

from graph.plan.algebra import Plan, Slice
from language.english.english import english
from language.english.question_values import literal_values
from language.values import QuestionValue, ValueForm
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.assembly.plan_structure import Structure, structure_of
from services.retriever.plans.rewriting.ordinals import as_ranked, ordinal_of
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.asked_questions import asked_about
from tests.support.stored_graphs import StoredGraph
from tests.support.workshop import workshop

_SCHEMA = StoredGraph(workshop()).schema
_ELEMENTS = SchemaElements.of(_SCHEMA)
_SORTED = "KIND:Job SORT PROPERTY:Job.cost DESCENDING"


def _plan(actions: str, question: str) -> Plan:
    values = literal_values(question)
    return assemble(read_actions(actions, _ELEMENTS), _ELEMENTS, QuestionConstants(values, {}))


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("Which is the third largest job?", 3),
        ("the 3rd most expensive job", 3),
        ("the second-cheapest job", 2),
        ("What was the tenth job?", 10),
        ("the 21st job", 21),
        ("Which is the largest job?", None),
        ("the second to last job", None),
        ("How many metres per second?", None),
        ("jobs in the third quarter of 2023", None),
        ("jobs of the 19th century", None),
        ("the second and the third job", None),
        ("How long is 3 seconds?", None),
    ],
)
def test_an_ordinal_has_a_number(question: str, number: int | None) -> None:
    found = ordinal_of(english(question), literal_values(question))
    assert (found and found[2]) == number


def test_an_ordinal_in_a_name_is_none() -> None:
    name = QuestionValue(4, 16, ValueForm.TEXT, "Third Street", "Third Street", stored={0: "Third Street"})
    assert ordinal_of(english("the Third Street"), [name]) is None


@pytest.mark.parametrize("cut", ["LIMIT ONE", "LIMIT VALUE:0", "LIMIT ONE SKIP ONE"])
def test_the_row_of_the_ordinal_is_left(cut: str) -> None:
    question = "Which is the third largest job?"
    plan = as_ranked(_plan(f"{_SORTED} {cut} RETURN VARIABLE:0 END", question), asked_about(_SCHEMA, question))
    assert [step for step in plan.steps if isinstance(step, Slice)] == [Slice(1, 2)]
    assert Structure.SKIPPED_ROWS in structure_of(plan, ())


@pytest.mark.parametrize(
    ("question", "actions"),
    [
        ("Which are the 3 largest jobs?", f"{_SORTED} LIMIT VALUE:0 RETURN VARIABLE:0 END"),
        ("Which is the third job?", "KIND:Job LIMIT ONE RETURN VARIABLE:0 END"),
        ("Which is the third largest job?", f"{_SORTED} RETURN VARIABLE:0 END"),
    ],
)
def test_other_plans_stay_as_they_are(question: str, actions: str) -> None:
    plan = _plan(actions, question)
    assert as_ranked(plan, asked_about(_SCHEMA, question)) == plan
    assert Structure.SKIPPED_ROWS not in structure_of(plan, ())
