import pytest

from graph.plan.schema import PropertySchema
from graph.plan.values import ValueType
from services.retriever.plans.schema.spans import Span, span_of

_DAY = PropertySchema(frozenset({ValueType.DATE}), ValueType.DATE)
_MOMENT = PropertySchema(frozenset({ValueType.DATETIME}), ValueType.DATETIME)
_NUMBER = PropertySchema(frozenset({ValueType.INTEGER}), ValueType.INTEGER)


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"start_dt": _DAY, "end_dt": _DAY}, Span("start_dt", "end_dt")),
        ({"opened": _MOMENT, "closedAt": _MOMENT, "created": _MOMENT}, Span("opened", "closedAt")),
        ({"hiredOn": _DAY, "left_on": _DAY}, Span("hiredOn", "left_on")),
        ({"start": _DAY, "end": _MOMENT}, None),
        ({"start": _NUMBER, "end": _NUMBER}, None),
        ({"start": _DAY}, None),
        ({"start": _DAY, "planned_end": _DAY, "end": _DAY}, None),
        ({"start": _DAY, "end": _DAY, "durationDays": _NUMBER}, None),
    ],
)
def test_one_start_and_one_end_make_a_span(properties: dict[str, PropertySchema], expected: Span | None) -> None:
    assert span_of(properties) == expected
