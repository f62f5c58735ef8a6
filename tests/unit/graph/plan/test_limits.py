import pytest

from graph.plan.algebra import Column, Constant, ListOf, Match, NodePattern, Plan, Project, Union, Variable
from graph.plan.checks import check_plan
from graph.plan.limits import MAX_DEPTH, check_size
from graph.plan.schema import GraphSchema
from shared.errors import InvalidInputError
from shared.text import shown

_EMPTY = GraphSchema({}, {})
_ONE = Plan((Project((Column("x", Constant((1, 2))),)),))


def _nested(unions: int) -> Plan:
    plan = _ONE
    for _ in range(unions):
        plan = Plan((Union((_ONE, plan)),))
    return plan


def _copies(sizes: tuple[int, ...]) -> Plan:
    copies = (Project((Column("x", ListOf((Variable("x"),) * size)),)) for size in sizes)
    return Plan((*_ONE.steps, *copies))


def test_a_plan_may_be_nested_too_deeply_for_recursion() -> None:
    check_size(_nested(MAX_DEPTH // 2 - 2))
    with pytest.raises(InvalidInputError, match="nested too deeply"):
        check_size(_nested(5_000))


def test_lists_of_lists_must_not_multiply() -> None:
    check_plan(_copies((10, 10, 10)), _EMPTY)
    with pytest.raises(InvalidInputError, match="repeats lists within lists too often"):
        check_plan(_copies((10, 10, 11)), _EMPTY)


def test_lists_of_values_do_not_multiply() -> None:
    lists = (Column(f"x{n}", ListOf((Constant(1),) * 50)) for n in range(10))
    check_plan(Plan((Match((NodePattern("n"),)), Project(tuple(lists)))), _EMPTY)


def test_long_texts_are_shortened() -> None:
    assert shown("short") == "'short'"
    assert len(shown("long" * 1000)) < 100
