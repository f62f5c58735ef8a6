"""A case has the value of the first branch whose condition is true."""

from pathlib import Path
from typing import Any

import pytest

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    Branch,
    Case,
    Column,
    Comparison,
    Constant,
    Expression,
    Group,
    HasKind,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    Step,
    Variable,
)
from graph.plan.checks import check_plan, read_plan, write_plan
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema
from graph.plan.scope import Scope
from graph.plan.values import MAX_INTEGER, ValueType
from graph.sqlite.store import SqliteGraphStore
from services.retriever.execution.read_properties import read_properties
from services.retriever.execution.readable import readable_expression
from shared.errors import InvalidInputError
from tests.support.property_graphs import write_graph_file
from tests.support.reference_evaluator import Node, PropertyGraph, evaluate

_AGE, _NAME = Property("p", "age"), Property("p", "name")
_SCHEMA = GraphSchema(
    {
        "Person": KindSchema(
            3,
            {
                "age": PropertySchema(frozenset({ValueType.INTEGER}), ValueType.INTEGER),
                "name": PropertySchema(frozenset({ValueType.STRING}), ValueType.STRING),
            },
            "name",
        )
    },
    {},
)
_PEOPLE: tuple[dict[str, Any], ...] = ({"name": "Ann", "age": 50}, {"name": "Bob", "age": 20}, {"name": "Cem"})
_GRAPH = PropertyGraph(tuple(Node(place, frozenset({"Person"}), one) for place, one in enumerate(_PEOPLE)))
_MATCH = Match((NodePattern("p", ("Person",)),))
_IS_OLD = Comparison(">", _AGE, Constant(40))


def _case(*branches: tuple[Expression, Expression], otherwise: Expression | None = None) -> Case:
    return Case(tuple(Branch(condition, value) for condition, value in branches), otherwise)


async def _rows(folder: Path, *steps: Step) -> list[tuple[Any, ...]]:
    """Return the rows that a graph file and the reference evaluator share."""
    if not (folder / "graph.sqlite").exists():
        write_graph_file(_GRAPH, folder / "graph.sqlite")
    plan = Plan((_MATCH, *steps))
    rows = list((await SqliteGraphStore(folder / "graph.sqlite").run(plan, 100)).rows)
    assert rows == evaluate(plan, _GRAPH).rows
    return rows


async def test_the_first_true_condition_decides(tmp_path: Path) -> None:
    value = _case((_IS_OLD, Constant("old")), (HasKind("p", "Person"), Constant(1)), otherwise=Constant(2))
    columns = (Column("name", _NAME), Column("x", value))

    assert await _rows(tmp_path, Project(columns)) == [("Ann", "old"), ("Bob", 1), ("Cem", 1)]


async def test_without_a_true_condition_the_value_is_missing(tmp_path: Path) -> None:
    columns = (Column("name", _NAME), Column("x", _case((_IS_OLD, Constant(1)))))

    assert await _rows(tmp_path, Project(columns)) == [("Ann", 1), ("Bob", None), ("Cem", None)]


async def test_only_the_chosen_value_is_computed(tmp_path: Path) -> None:
    too_large = Arithmetic("*", Constant(MAX_INTEGER), _AGE)
    value = _case((Comparison("<", _AGE, Constant(0)), too_large), otherwise=_AGE)

    assert await _rows(tmp_path, Project((Column("x", value),))) == [(20,), (50,), (None,)]


async def test_a_node_may_be_chosen(tmp_path: Path) -> None:
    old = _case((_IS_OLD, Variable("p")), otherwise=Constant(None))
    count = Aggregate("n", AggregateFunction.COUNT, old)

    assert await _rows(tmp_path, Group((), (count,))) == [(1,)]
    assert await _rows(tmp_path, Project((Column("q", old),)), Project((Column("x", Property("q", "name")),))) == [
        ("Ann",),
        (None,),
        (None,),
    ]


def test_a_case_has_the_types_of_all_values() -> None:
    scope = Scope(_SCHEMA).after(_MATCH)
    value = _case((_IS_OLD, _NAME), (_IS_OLD, Constant(None)), otherwise=_AGE)

    assert scope.types(value).names == {ValueType.STRING, ValueType.INTEGER}


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (_case((_AGE, Constant(1))), "value.branches.0: case needs a boolean, found a number"),
        (_case((_IS_OLD, Variable("p")), otherwise=Constant(1)), "case cannot combine nodes, relationships, and val"),
        (_case((_IS_OLD, Variable("q"))), "branches.0.value: unknown variable 'q'"),
    ],
)
def test_a_case_without_sense_is_rejected(value: Case, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        check_plan(Plan((_MATCH, Project((Column("x", value),)))), _SCHEMA, strict=True)


def test_a_case_without_branches_is_malformed() -> None:
    column = {"name": "x", "value": {"op": "case", "branches": []}}
    with pytest.raises(InvalidInputError, match="branches: expected at least 1 item"):
        read_plan({"steps": [{"op": "project", "columns": [column]}]})


def test_a_case_is_written_as_json_and_for_people() -> None:
    value = _case((_IS_OLD, Constant("old")), otherwise=Constant("young"))
    plan = Plan((_MATCH, Project((Column("x", value),))))

    assert read_plan(write_plan(plan)) == plan
    assert readable_expression(value) == '"old" if (p.age > 40), else "young"'


def test_a_row_follows_from_the_value_of_a_branch_only_if_its_condition_holds() -> None:
    size = Property("p", "size")
    found = read_properties([Project((Column("x", _case((_IS_OLD, _NAME), otherwise=size)),))])

    assert [(one.read, one.condition) for one in found] == [(_AGE, None), (_NAME, _IS_OLD), (size, None)]
