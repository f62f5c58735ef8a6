from datetime import date

import pytest

from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.assembly.date_groups import groups_by_date
from services.retriever.plans.rewriting.calendar_groups import by_period
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.asked_questions import asked_about
from tests.support.stored_graphs import StoredGraph
from tests.support.workshop import workshop

_GRAPH = StoredGraph(workshop())
_ELEMENTS = SchemaElements.of(_GRAPH.schema)


@pytest.mark.parametrize(
    "part", ["YEAR PROPERTY:Job.billed_on", "MONTH PROPERTY:Job.billed_on", "PROPERTY:Job.startTime"]
)
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many jobs were there per month?", [("2023-03", 3)]),
        ("the yearly number of jobs", [(2023, 3)]),
        ("How many jobs were there each week?", [(date(2023, 2, 27), 2), (date(2023, 3, 27), 1)]),
        ("jobs by quarter", [(date(2023, 1, 1), 3)]),
        ("jobs by day", [(date(2023, 3, 1), 1), (date(2023, 3, 2), 1), (date(2023, 3, 28), 1)]),
    ],
)
def test_dates_are_grouped_by_the_period_of_the_question(part: str, question: str, expected: list[object]) -> None:
    actions = read_actions(f"KIND:Job GROUP {part} COUNT_ROWS END", _ELEMENTS)
    plan = by_period(assemble(actions, _ELEMENTS, QuestionConstants([], {})), asked_about(_GRAPH.schema, question))

    assert sorted(_GRAPH.run(plan).rows) == expected
    assert groups_by_date(plan, _ELEMENTS.date_keys)


def test_other_groups_stay_as_they_are() -> None:
    actions = read_actions("KIND:Job GROUP PROPERTY:Job.cost COUNT_ROWS END", _ELEMENTS)
    plan = assemble(actions, _ELEMENTS, QuestionConstants([], {}))

    assert by_period(plan, asked_about(_GRAPH.schema, "jobs per month")) is plan
    assert not groups_by_date(plan, _ELEMENTS.date_keys)


def test_an_order_follows_the_new_name() -> None:
    words = (
        "KIND:Job GROUP YEAR PROPERTY:Job.billed_on COUNT_ROWS SORT COLUMN:0 DESCENDING LIMIT ONE RETURN COLUMN:0 END"
    )
    plan = assemble(read_actions(words, _ELEMENTS), _ELEMENTS, QuestionConstants([], {}))

    assert _GRAPH.run(by_period(plan, asked_about(_GRAPH.schema, "jobs per month"))).rows[0][0] == 3
