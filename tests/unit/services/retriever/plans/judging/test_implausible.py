from typing import Any

import pytest

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    Column,
    Group,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    Property,
    Slice,
    SortKey,
    Variable,
)
from graph.plan.result import PlanResult
from graph.plan.values import NodeRef
from services.retriever.plans.judging.implausible import combines_with_itself, counts_once, lacks_rows


def _most(descending: bool = True, function: AggregateFunction = AggregateFunction.COUNT) -> Plan:
    return Plan(
        (
            Match((NodePattern("film", ("Film",)),), ()),
            Group((Column("film", Variable("film")),), (Aggregate("number", function, None, False),)),
            Order((SortKey(Variable("number"), descending),)),
            Slice(2),
        )
    )


def _result(*counts: int) -> PlanResult:
    return PlanResult(("film", "number"), tuple((NodeRef(str(count), "Dune", ("Film",)), count) for count in counts))


def test_fewer_rows_than_asked_for() -> None:
    assert lacks_rows(_most(), _result(3))
    assert not lacks_rows(_most(), _result(3, 2))


@pytest.mark.parametrize(
    ("plan", "counts", "expected"),
    [
        (_most(), (1, 1), True),
        (_most(), (2, 1), False),
        (_most(descending=False), (1, 1), False),
        (_most(function=AggregateFunction.SUM), (1, 1), False),
        (_most(), (), False),
    ],
)
def test_greatest_counts_of_one_are_implausible(plan: Plan, counts: tuple[int, ...], expected: bool) -> None:
    assert counts_once(plan, _result(*counts)) is expected


@pytest.mark.parametrize(("operator", "other", "expected"), [("/", "salary", True), ("*", "bonus", False)])
def test_a_value_is_not_combined_with_itself(operator: Any, other: str, expected: bool) -> None:
    value = Arithmetic(operator, Property("x", "salary"), Property("x", other))
    plan = Plan((Match((NodePattern("x"),)), Project((Column("value", value),))))
    assert combines_with_itself(plan) is expected
