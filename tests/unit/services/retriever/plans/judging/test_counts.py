import pytest

from graph.plan.result import PlanResult
from language.values import QuestionValue, ValueForm
from tests.support.doubts import doubts_of
from tests.support.stored_graphs import StoredGraph
from tests.support.workshop import workshop

_SCHEMA = StoredGraph(workshop()).schema


@pytest.mark.parametrize(("stored", "count", "expected"), [({}, 0, True), ({}, 2, False), ({0: "Delta"}, 0, False)])
def test_nothing_is_counted_of_a_name_that_the_graph_lacks(stored: dict[int, str], count: int, expected: bool) -> None:
    question = "How many machines does Delta use?"
    values = [QuestionValue(23, 28, ValueForm.TEXT, "Delta", "Delta", stored)]
    plan = "KIND:Job IS VALUE:0 OUT:Job.uses GROUP COUNT_ROWS END"

    doubts = doubts_of(_SCHEMA, question, values, plan, PlanResult(("count",), ((count,),)))

    assert ("counts-unknown" in doubts) is expected
