"""Compiled plans give on SQLite what the reference evaluator gives."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    Call,
    Column,
    Comparison,
    Constant,
    Expression,
    Function,
    Group,
    ListOf,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Variable,
)
from graph.plan.checks import check_plan
from graph.plan.result import PlanResult
from graph.sqlite.store import SqliteGraphStore
from shared.errors import InvalidInputError, PlanLimitError
from tests.support.plan_results import comparable
from tests.support.property_graphs import GRAPHS, write_graph_file
from tests.support.random_plans import random_plans
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship, Result, evaluate
from tests.support.stored_graphs import StoredGraph

_FEW_ROWS = 3_000
_CONTAINS = RelationshipPattern("o", "p", ("CONTAINS",), variable="r")
_ORDERS = Match((NodePattern("o", ("Order",)), NodePattern("p", ("Product",))), (_CONTAINS,))


class _Store:
    """Hold a graph in memory and on SQLite."""

    def __init__(self, graph: PropertyGraph) -> None:
        self.graph = graph
        self._stored = StoredGraph(graph)
        self.connection, self.plans = self._stored.connection, self._stored.plans

    def run(self, *steps: Any, max_rows: int = 100_000) -> PlanResult:
        return self._stored.run(Plan(steps), max_rows)

    def both(self, *steps: Any) -> tuple[PlanResult, Result]:
        return self.run(*steps), evaluate(Plan(steps), self.graph)


@cache
def _store(name: str) -> _Store:
    return _Store(GRAPHS[name]())


def _column(value: Expression) -> Project:
    return Project((Column("x", value),))


@pytest.mark.parametrize("name", GRAPHS)
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_random_plans_return_what_the_evaluator_returns(name: str, data: st.DataObject) -> None:
    store = _store(name)
    plan = data.draw(random_plans(store.graph, store.plans.schema))
    try:
        check_plan(plan, store.plans.schema)
        expected = evaluate(plan, store.graph)
    except (InvalidInputError, OverflowError):
        return
    if len(expected.rows) > _FEW_ROWS:
        return
    try:
        found = store.plans.run(store.connection, plan, _FEW_ROWS)
    except PlanLimitError:
        return  # the order of additions decides whether a sum overflows on the way
    assert found.columns == expected.columns
    assert comparable(found.rows) == comparable(expected.rows)


_NODES_AND_LISTS: list[Expression] = [
    Call(Function.COALESCE, (Variable("o"), Variable("p"))),
    Call(Function.COALESCE, (Constant(None), Variable("r"))),
    Call(Function.COALESCE, (Call(Function.FIRST, (ListOf((Variable("p"),)),)), Variable("o"))),
    ListOf((Variable("r"),)),
    ListOf((ListOf((Variable("o"),)), ListOf((Constant(1),)))),
    Call(Function.FIRST, (ListOf((Variable("r"),)),)),
]


@pytest.mark.parametrize("value", _NODES_AND_LISTS)
@pytest.mark.parametrize("distinct", [False, True])
def test_nodes_and_relationships_survive_lists_and_coalesce(value: Expression, distinct: bool) -> None:
    found, expected = _store("shop").both(_ORDERS, Project((Column("x", value),), distinct))
    assert comparable(found.rows) == comparable(expected.rows)


def test_relationships_are_collected() -> None:
    collect = Group((), (Aggregate("x", AggregateFunction.COLLECT, Variable("r")),))
    found, expected = _store("shop").both(_ORDERS, collect)
    assert comparable(found.rows) == comparable(expected.rows)


@pytest.mark.parametrize("operator", ["=", "<", "<=", ">", ">="])
def test_a_comparison_with_a_constant_uses_the_index_of_values(operator: Any) -> None:
    store = _store("shop")
    where = Comparison(operator, Property("p", "stock", as_stored=True), Constant(5))
    result = store.run(Match((NodePattern("p"),), where=where))
    explained = store.connection.execute(f"EXPLAIN QUERY PLAN {result.query}", dict(result.parameters))
    assert "nodes_by_value" in str(explained.fetchall())


def test_more_rows_than_allowed_are_an_error() -> None:
    assert len(_store("films").run(Match((NodePattern("f", ("Film",)),)), max_rows=20).rows) == 20
    with pytest.raises(PlanLimitError, match="returns more than 19 rows; add a condition or a limit"):
        _store("films").run(Match((NodePattern("f", ("Film",)),)), max_rows=19)


_TOO_LARGE: list[tuple[Expression, str]] = [
    (Arithmetic("+", Constant(2**63 - 1), Constant(1)), "a number, text, or list in the plan's result is too large"),
    (Arithmetic("*", Constant(1e308), Constant(10)), "a number, text, or list in the plan's result is too large"),
    (Call(Function.ABS, (Constant(-(2**63)),)), "a number, text, or list in the plan's result is too large"),
    (Call(Function.TO_INTEGER, (Constant(1e300),)), "a number, text, or list in the plan's result is too large"),
    (ListOf((Constant(1),) * 1500), "a list or a call of coalesce in the plan is too long"),
]


@pytest.mark.parametrize(("value", "message"), _TOO_LARGE)
def test_a_result_that_is_too_large_is_an_error(value: Expression, message: str) -> None:
    with pytest.raises(PlanLimitError, match=message):
        _store("shop").run(_ORDERS, _column(value))


@pytest.mark.parametrize(("value", "message"), [(2**62, "for 64 bits"), (1e308, "for a float")])
def test_a_sum_that_is_too_large_is_an_error(value: float, message: str) -> None:
    total = Group((), (Aggregate("x", AggregateFunction.SUM, Constant(value)),))
    with pytest.raises(PlanLimitError, match=message):
        _store("shop").run(_ORDERS, total)


@pytest.mark.parametrize("ids", [(), ("3",), ("3", "unknown", "it's"), tuple(map(str, range(300_000)))])
def test_a_pattern_can_list_any_number_of_node_ids(ids: tuple[str, ...]) -> None:
    rows = _store("shop").run(Match((NodePattern("p", ("Product",), ids),))).rows
    assert {node.id for (node,) in rows} == set(ids) & set(map(str, range(15)))


@pytest.mark.parametrize(
    "odd", ["日本", "a`b", "it's", 'say "x"', "a]b", "\\u0060", "x'); DROP TABLE triples;--", "😀"]
)
def test_any_text_can_be_a_kind_a_type_a_key_and_a_value(odd: str) -> None:
    nodes = (Node(0, frozenset({odd}), {odd: odd}), Node(1, frozenset({"B"}), {odd: "other"}))
    store = _Store(PropertyGraph(nodes, (Relationship(0, odd, 0, 1, {odd: odd}),)))
    where = Comparison("=", Property("r", odd), Property("a", odd))
    match = Match((NodePattern("a", (odd,)), NodePattern("b")), (RelationshipPattern("a", "b", (odd,), variable="r"),))
    only = Match((NodePattern("a"),), where=Comparison("=", Property("a", odd), Constant(odd)))
    found = store.run(match, only, Project((Column(odd, Property("a", odd)), Column("t", where))))
    assert (found.columns, found.rows) == ((odd, "t"), ((odd, True),))


def test_an_empty_graph_has_no_rows_but_a_count() -> None:
    store = _Store(PropertyGraph(()))
    match = Match((NodePattern("a"),))
    assert store.run(match).rows == ()
    assert store.run(match, Group((), (Aggregate("n", AggregateFunction.COUNT),))).rows == ((0,),)


@pytest.mark.parametrize(("direction", "rows"), [("out", 2), ("both", 4)])
def test_each_of_two_parallel_relationships_matches(direction: Any, rows: int) -> None:
    links = (Relationship(0, "R", 0, 1), Relationship(1, "R", 0, 1))
    store = _Store(PropertyGraph((Node(0), Node(1)), links))
    link = RelationshipPattern("a", "b", ("R",), direction)
    assert len(store.run(Match((NodePattern("a"), NodePattern("b")), (link,))).rows) == rows
    again = RelationshipPattern("a", "b", ("R",))
    assert len(store.run(Match((NodePattern("a"), NodePattern("b")), (again, again))).rows) == 2


async def test_the_store_compares_strings_with_numbers_by_their_content(tmp_path: Path) -> None:
    write_graph_file(GRAPHS["shop"](), tmp_path / "shop.sqlite")
    store = SqliteGraphStore(tmp_path / "shop.sqlite")
    try:
        result = await store.run(
            Plan(
                (
                    Match(
                        (NodePattern("p", ("Product",)),), where=Comparison("<", Property("p", "price"), Constant(5))
                    ),
                    _column(Property("p", "price")),
                )
            )
        )
        as_stored = await store.run(
            Plan((Match((NodePattern("p", ("Product",)),)), _column(Property("p", "price", as_stored=True))))
        )
    finally:
        await store.close()
    prices = [float(text) for (text,) in as_stored.rows]
    assert sorted(price for (price,) in result.rows) == sorted(price for price in prices if price < 5)
