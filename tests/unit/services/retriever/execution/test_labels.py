import pytest

from graph.plan.algebra import Arithmetic, Call, Constant, Expression, Property
from graph.plan.functions import Function
from services.retriever.execution.labels import label_of

_START, _END = Property("job", "startTime"), Property("job", "end_time")
_SECONDS = Call(Function.SECONDS_BETWEEN, (_START, _END))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (Call(Function.DURATION_LENGTH, (Property("job", "setup"),)), "setup in seconds"),
        (Call(Function.DURATION_BETWEEN, (_START, _END)), "time from start time to end time"),
        (_SECONDS, "time from start time to end time in seconds"),
        (Arithmetic("/", _SECONDS, Constant(3600.0)), "time from start time to end time in hours"),
        (Arithmetic("/", _SECONDS, Constant(7.0)), "value of seconds_between(job.startTime, job.end_time) / 7.0"),
        (Arithmetic("/", Call(Function.SIZE, (_START,)), Constant(60.0)), "value of size(job.startTime) / 60.0"),
    ],
)
def test_lengths_of_time_have_words(expression: Expression, expected: str) -> None:
    assert label_of(expression, {}) == expected
