import pytest

from graph.plan.algebra import Plan, Slice
from language.english.question_values import literal_values
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.assembly.plan_structure import Structure, structure_of
from services.retriever.plans.rewriting.ordinals import as_ranked
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
