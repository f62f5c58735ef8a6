import pytest

from services.retriever.planning.implausible import counts_once, lacks_rows
from shared.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Group,
    Match,
    NodePattern,
    Order,
    Plan,
    Slice,
    SortKey,
    Variable,
)
from shared.plan.result import PlanResult
from shared.plan.values import NodeRef


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
