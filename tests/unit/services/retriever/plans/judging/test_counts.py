import pytest

from graph.plan.result import PlanResult
from language.values import QuestionValue, ValueForm
from services.retriever.plans.judging.counts import ONE_EACH_DOUBT
from services.retriever.plans.judging.doubt import Candidate
from tests.support.doubts import doubts_of
from tests.support.employees import ANN, doubts_about
from tests.support.rule_examples import read_example
from tests.support.stored_graphs import StoredGraph
from tests.support.workshop import workshop

_SCHEMA = StoredGraph(workshop()).schema


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How is Apollo going?", True),
        ("How many employees are there?", False),
        ("no. of employees", False),
        ("Is anyone here?", False),
    ],
)
def test_a_count_has_to_be_asked_for(question: str, expected: bool) -> None:
    assert ("counts-unasked" in doubts_about(question, "KIND:Employee GROUP COUNT_ROWS END")) is expected


@pytest.mark.parametrize(("stored", "count", "expected"), [({}, 0, True), ({}, 2, False), ({0: "Delta"}, 0, False)])
def test_nothing_is_counted_of_a_name_that_the_graph_lacks(stored: dict[int, str], count: int, expected: bool) -> None:
    question = "How many machines does Delta use?"
    values = [QuestionValue(23, 28, ValueForm.TEXT, "Delta", "Delta", stored)]
    plan = "KIND:Job IS VALUE:0 OUT:Job.uses GROUP COUNT_ROWS END"

    doubts = doubts_of(_SCHEMA, question, values, plan, PlanResult(("count",), ((count,),)))

    assert ("counts-unknown" in doubts) is expected


@pytest.mark.parametrize(
    ("aggregate", "order", "counts", "expected"),
    [
        ("count(*)", "DESC", (1, 1), True),
        ("count(*)", "DESC", (2, 1), False),
        ("count(*)", "ASC", (1, 1), False),
        ("sum(f.year)", "DESC", (1, 1), False),
        ("count(*)", "DESC", (), False),
    ],
)
def test_greatest_counts_of_one_are_implausible(
    aggregate: str, order: str, counts: tuple[int, ...], expected: bool
) -> None:
    schema = "(:Person {name: STRING})-[:ACTED_IN]->(:Film {name: STRING, year: INTEGER})"
    plan = f"MATCH (p:Person)-[:ACTED_IN]->(f:Film) WITH p, {aggregate} AS n RETURN p, n ORDER BY n {order}"
    asked, read, actions = read_example(schema, "Who has been in the most films?", plan)
    result = PlanResult(("p", "n"), tuple((ANN, count) for count in counts))

    assert ONE_EACH_DOUBT.holds(Candidate(actions, read, result), asked) is expected
