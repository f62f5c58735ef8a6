"""A condition requires the properties without which it is not true."""

import pytest

from graph.plan.algebra import (
    And,
    Arithmetic,
    Call,
    Comparison,
    Constant,
    Expression,
    Function,
    IsMissing,
    ListOf,
    Not,
    Or,
    Property,
)
from graph.plan.required_properties import required_properties

_X, _Y = Property("a", "x"), Property("b", "y")
_ONE = Constant(1)
_X_IS_1, _Y_IS_1 = Comparison("=", _X, _ONE), Comparison("=", _Y, _ONE)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (None, ""),
        (_X_IS_1, "x"),
        (Comparison("in", _X, Constant((1, 2))), "x"),
        (Comparison("<", _ONE, Arithmetic("+", _X, _Y)), "xy"),
        (Comparison("=", Call(Function.LOWER, (_X,)), _ONE), "x"),
        (Comparison("=", Call(Function.COALESCE, (_X, _ONE)), _ONE), ""),
        (Comparison("=", ListOf((_X,)), _ONE), ""),
        (And((_X_IS_1, _Y_IS_1)), "xy"),
        (Or((_X_IS_1, _Y_IS_1)), ""),
        (Or((_X_IS_1, And((_X_IS_1, _Y_IS_1)))), "x"),
        (IsMissing(_X), ""),
        (Not(IsMissing(_X)), "x"),
        (Not(_X_IS_1), "x"),
        (Not(Comparison("in", _X, Constant(()))), ""),
        (Not(Not(_X_IS_1)), ""),
        (_X, "x"),
    ],
)
def test_required_properties(condition: Expression | None, expected: str) -> None:
    assert {key for _, key in required_properties(condition)} == set(expected)
