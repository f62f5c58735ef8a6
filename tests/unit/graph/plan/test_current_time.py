from datetime import date, datetime

from graph.plan.algebra import Call, Column, Constant, Function, Plan, Project
from graph.plan.current_time import with_current_time
from shared.request_context import request_time, request_time_of

_MOMENT = datetime(2024, 2, 29, 23, 59, 59)


def test_all_parts_of_a_request_see_the_same_time() -> None:
    with request_time_of(_MOMENT):
        assert request_time() == _MOMENT
        with request_time_of(datetime(2000, 1, 1)):
            assert request_time() == datetime(2000, 1, 1)
        assert request_time() == _MOMENT


def test_the_current_time_becomes_a_constant() -> None:
    later = Call(Function.TO_STRING, (Call(Function.TODAY, ()),))
    plan = Plan((Project((Column("now", Call(Function.NOW, ())), Column("later", later))),))
    expected = (
        Column("now", Constant(_MOMENT)),
        Column("later", Call(Function.TO_STRING, (Constant(date(2024, 2, 29)),))),
    )
    with request_time_of(_MOMENT):
        assert with_current_time(plan) == Plan((Project(expected),))
