from datetime import date

import pytest

from graph.plan.result import PlanResult
from graph.plan.values import NodeRef
from language.values import QuestionValue, ValueForm
from tests.support.doubts import doubts_of
from tests.support.employees import doubts_about
from tests.support.stored_graphs import StoredGraph
from tests.support.workshop import workshop

_BORN_LATER = "KIND:Employee KIND:Employee IS VALUE:0 FOCUS:0 PROPERTY:Employee.born {} FOCUS:1 PROPERTY:Employee.born"


@pytest.mark.parametrize(
    ("question", "direction", "expected"),
    [
        ("Who are the oldest employees?", "DESCENDING", True),
        ("Who are the oldest employees?", "ASCENDING", False),
        ("Who has worked here the longest?", "DESCENDING", True),
        ("Who has worked here the longest?", "ASCENDING", False),
        ("Who are the youngest employees?", "ASCENDING", True),
        ("Who are the youngest employees?", "DESCENDING", False),
        ("Who are the youngest and the oldest employees?", "ASCENDING", False),
        ("Sort the employees by birthday", "DESCENDING", False),
    ],
)
def test_the_oldest_have_the_earliest_dates(question: str, direction: str, expected: bool) -> None:
    plan = f"KIND:Employee SORT PROPERTY:Employee.born {direction} RETURN VARIABLE:0 END"

    assert ("turns-time-round" in doubts_about(question, plan)) is expected


@pytest.mark.parametrize(
    ("question", "extreme", "expected"),
    [
        ("When was the oldest employee born?", "MAX", True),
        ("When was the oldest employee born?", "MIN", False),
        ("What is the latest birthday?", "MIN", True),
    ],
)
def test_the_oldest_has_the_least_date(question: str, extreme: str, expected: bool) -> None:
    plan = f"KIND:Employee GROUP {extreme} PROPERTY:Employee.born END"

    assert ("turns-time-round" in doubts_about(question, plan)) is expected


@pytest.mark.parametrize(
    ("question", "direction", "expected"),
    [
        ("Who are the oldest employees?", "ASCENDING", True),
        ("Who are the oldest employees?", "DESCENDING", False),
        ("Who is the youngest employee?", "DESCENDING", True),
        ("Who is the youngest employee?", "ASCENDING", False),
        ("Who are the employees with the least experience?", "ASCENDING", False),
    ],
)
def test_the_oldest_have_the_greatest_age(question: str, direction: str, expected: bool) -> None:
    plan = f"KIND:Employee SORT PROPERTY:Employee.age {direction} RETURN VARIABLE:0 END"

    assert ("turns-time-round" in doubts_about(question, plan)) is expected


@pytest.mark.parametrize(
    ("question", "operator", "expected"),
    [
        ("Who is younger than Ann?", "GREATER", False),
        ("Who is younger than Ann?", "LESS", True),
        ("Who is older than Ann?", "LESS", False),
        ("Who is older than Ann?", "GREATER", True),
    ],
)
def test_the_younger_are_born_later(question: str, operator: str, expected: bool) -> None:
    plan = f"{_BORN_LATER.format(operator)} RETURN VARIABLE:0 END"

    assert ("turns-time-round" in doubts_about(question, plan)) is expected


@pytest.mark.parametrize(
    ("question", "key", "expected"),
    [
        ("Which jobs ran in March 2023?", "end_time", True),
        ("Which jobs ran in March 2023?", "startTime", False),
        ("Which jobs finished in March 2023?", "end_time", False),
        ("Which jobs were due in March 2023?", "end_time", False),
        ("Which jobs had their end in March 2023?", "end_time", False),
    ],
)
def test_something_is_dated_by_its_start_unless_the_end_is_named(question: str, key: str, expected: bool) -> None:
    period = QuestionValue(20, 30, ValueForm.PERIOD, (date(2023, 3, 1), date(2023, 3, 31)), "March 2023")
    plan = f"KIND:Job PROPERTY:Job.{key} WITHIN VALUE:0 RETURN VARIABLE:0 END"
    result = PlanResult(("job",), ((NodeRef("1", "Alpha", ("Job",)),),))

    doubts = doubts_of(StoredGraph(workshop()).schema, question, [period], plan, result)

    assert ("reads-end" in doubts) is expected
