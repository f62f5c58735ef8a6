from datetime import date

import pytest

from graph.plan.result import PlanResult
from graph.plan.values import NodeRef
from language.values import QuestionValue, ValueForm
from tests.support.doubts import doubts_of
from tests.support.stored_graphs import StoredGraph
from tests.support.workshop import workshop


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
