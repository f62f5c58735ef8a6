"""Parts of strings and lists are the same on a graph file as in the reference."""

from pathlib import Path
from typing import Any

import pytest

from graph.plan.algebra import Call, Column, Constant, Expression, Function, Plan, Project
from graph.plan.checks import check_plan
from graph.plan.schema import GraphSchema
from graph.plan.scope import Scope
from graph.plan.values import MAX_INTEGER, Value, ValueType
from graph.sqlite.store import SqliteGraphStore
from shared.errors import InvalidInputError
from tests.support.property_graphs import write_graph_file
from tests.support.reference_evaluator import Node, PropertyGraph, evaluate

_GRAPH = PropertyGraph((Node(0, frozenset({"A"}), {"name": "x"}),))


def _plan(function: str, *arguments: Value | Expression) -> Plan:
    parts = tuple(one if hasattr(one, "op") else Constant(one) for one in arguments)
    return Plan((Project((Column("x", Call(Function(function), parts)),)),))


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        ("drop", ("héllo", 1), "éllo"),
        ("drop", ("abc", 9), ""),
        ("drop", ("abc", -2), "abc"),
        ("drop", ("abc", MAX_INTEGER), ""),
        ("drop", (5, 1), None),
        ("drop", ("abc", 1.0), None),
        ("replace", ("aaa", "aa", "b"), "ba"),
        ("replace", ("aXbX", "X", ""), "ab"),
        ("replace", (7, "7", "8"), None),
        ("split", ("a,b,,c", ","), ("a", "b", "", "c")),
        ("split", ("", ","), ("",)),
        ("split", ((1,), ","), None),
        ("item", ((1, 2, 3), 1), 2),
        ("item", ((1, 2, 3), -3), 1),
        ("item", ((1, 2, 3), -4), None),
        ("item", ((), 0), None),
        ("item", ("abc", 0), None),
    ],
)
async def test_results(tmp_path: Path, function: str, arguments: tuple[Value, ...], expected: Any) -> None:
    write_graph_file(_GRAPH, tmp_path / "graph.sqlite")
    plan = _plan(function, *arguments)

    assert evaluate(plan, _GRAPH).rows == [(expected,)]
    assert list((await SqliteGraphStore(tmp_path / "graph.sqlite").run(plan)).rows) == [(expected,)]


def test_types() -> None:
    split = Call(Function.SPLIT, (Constant("a"), Constant("b")))
    scope = Scope(None)

    assert scope.types(split).names == {ValueType.LIST}
    assert scope.types(Call(Function.ITEM, (split, Constant(0)))).names == {ValueType.STRING}


@pytest.mark.parametrize(
    ("plan", "problem"),
    [
        (_plan("split", "a", ""), "split looks for a constant string that is not empty"),
        (_plan("split", "a", Call(Function.LOWER, (Constant("a"),))), "split looks for a constant string"),
        (_plan("replace", "a", 1, "b"), "replace looks for a constant string"),
        (_plan("replace", "a", "a", None), "replace inserts a constant string"),
        (_plan("replace", "a", "a"), "replace needs 3 arguments, found 2"),
        (_plan("drop", "a"), "drop needs 2 arguments, found 1"),
        (_plan("item", "a", 1), "item needs a list, found a string"),
        (_plan("replace", "a", "a", "b" * 1_001), "calls of replace that lengthen a text too much"),
    ],
)
def test_a_call_without_sense_is_rejected(plan: Plan, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        check_plan(plan, GraphSchema({}, {}), strict=True)
