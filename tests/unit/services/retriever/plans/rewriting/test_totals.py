import pytest

from graph.plan.algebra import Plan
from language.values import QuestionValue, ValueForm
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.rewriting.totals import as_total
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.asked_questions import asked_about
from tests.support.stored_graphs import StoredGraph
from tests.support.workshop import workshop

_GRAPH = StoredGraph(workshop())
_ELEMENTS = SchemaElements.of(_GRAPH.schema)
_JOBS = sum("cost" in node.properties for node in workshop().nodes if "Job" in node.kinds)
_COSTS = "KIND:Job RETURN_DISTINCT PROPERTY:Job.cost END"


def _plan(actions: str) -> Plan:
    values = [QuestionValue(0, 5, ValueForm.TEXT, "Alpha", "Alpha"), QuestionValue(0, 1, ValueForm.NUMBER, 2, "2")]
    return assemble(read_actions(actions, _ELEMENTS), _ELEMENTS, QuestionConstants(values, {}))


@pytest.mark.parametrize(
    ("question", "actions", "total"),
    [
        ("What did all the jobs cost together?", _COSTS, 500.5),
        ("How much did the jobs cost?", _COSTS, 500.5),
        ("What do we pay across all jobs?", _COSTS, 500.5),
        ("If you add up what the jobs cost, how much is it?", _COSTS, 500.5),
        ("avg cost of the jobs", _COSTS, 500.5 / _JOBS),
        ("What's the mean cost of the jobs?", _COSTS, 500.5 / _JOBS),
        ("How much have the jobs cost in total?", _COSTS, 500.5),
        (
            "How much do the two most expensive jobs cost altogether?",
            "KIND:Job SORT PROPERTY:Job.cost DESCENDING LIMIT VALUE:1 RETURN PROPERTY:Job.cost END",
            420.5,
        ),
        (
            "How much do the jobs cost altogether?",
            "KIND:Job SORT PROPERTY:Job.cost DESCENDING LIMIT ONE RETURN PROPERTY:Job.cost END",
            500.5,
        ),
    ],
)
def test_numbers_are_added_up(question: str, actions: str, total: float) -> None:
    [[found]] = _GRAPH.run(as_total(_plan(actions), asked_about(_GRAPH.schema, question))).rows
    assert found == pytest.approx(total)


@pytest.mark.parametrize(
    ("question", "actions"),
    [
        ("How much did each job cost?", _COSTS),
        ("What do the jobs cost?", _COSTS),
        ("Which costs are above the average of all jobs?", _COSTS),
        ("How much did Alpha cost?", "KIND:Job IS VALUE:0 RETURN_DISTINCT PROPERTY:Job.cost END"),
        ("Which jobs are done together?", "KIND:Job RETURN VARIABLE:0 END"),
        ("When were all jobs billed together?", "KIND:Job RETURN_DISTINCT PROPERTY:Job.billed_on END"),
    ],
)
def test_other_plans_stay_as_they_are(question: str, actions: str) -> None:
    plan = _plan(actions)
    assert as_total(plan, asked_about(_GRAPH.schema, question)) == plan
