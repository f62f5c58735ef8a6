"""Rows are sorted by all columns wherever their order matters and no step has sorted them."""

import pytest

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Constant,
    Filter,
    Group,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    Slice,
    SortKey,
    Step,
    Union,
    Variable,
)
from graph.plan.ordering import with_explicit_order

_MATCH = Match((NodePattern("a"),))
_BY_A = Order((SortKey(Variable("a")),))
_DOWN = Order((SortKey(Variable("a"), descending=True),))
_ALL = Filter(Constant(True))
_SAME, _DISTINCT = (Project((Column("a", Variable("a")),), distinct) for distinct in (False, True))
_COLLECT = Group((), (Aggregate("n", AggregateFunction.COLLECT, Variable("a")),))
_COUNT = Group((), (Aggregate("n", AggregateFunction.COUNT),))
_BY_N = Order((SortKey(Variable("n")),))
_FIRST = Slice(1)
_CUT = Plan((_MATCH, _FIRST))


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ((_MATCH,), (_MATCH, _BY_A)),
        ((_MATCH, _DOWN), (_MATCH, _DOWN)),
        ((_MATCH, _DOWN, _ALL, _SAME), (_MATCH, _DOWN, _ALL, _SAME)),
        ((_MATCH, _DOWN, _DISTINCT), (_MATCH, _DOWN, _DISTINCT, _BY_A)),
        ((_MATCH, _DOWN, _MATCH), (_MATCH, _DOWN, _MATCH, _BY_A)),
        ((_MATCH, _FIRST), (_MATCH, _BY_A, _FIRST)),
        ((_MATCH, _DOWN, _FIRST, _FIRST), (_MATCH, _DOWN, _FIRST, _FIRST)),
        ((_MATCH, _COLLECT), (_MATCH, _BY_A, _COLLECT, _BY_N)),
        ((_MATCH, _DOWN, _COLLECT), (_MATCH, _DOWN, _COLLECT, _BY_N)),
        ((_MATCH, _COUNT), (_MATCH, _COUNT, _BY_N)),
        (
            (Union((_CUT, Plan((_MATCH,)))),),
            (Union((Plan((_MATCH, _BY_A, _FIRST)), Plan((_MATCH,)))), _BY_A),
        ),
    ],
)
def test_a_sort_is_added_only_where_the_order_matters(steps: tuple[Step, ...], expected: tuple[Step, ...]) -> None:
    assert with_explicit_order(Plan(steps)) == Plan(expected)
