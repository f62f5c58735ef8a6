"""Plans that read only the first rows of a match use an index, and return the same rows."""

import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from sqlite3 import connect

import pytest

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Comparison,
    Constant,
    Expression,
    Filter,
    Group,
    IsMissing,
    Match,
    NodePattern,
    Not,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Slice,
    SortKey,
    Step,
    Variable,
)
from graph.sqlite.store import SqliteGraphStore
from tests.support.plan_results import comparable
from tests.support.property_graphs import GRAPHS, write_graph_file
from tests.support.reference_evaluator import evaluate

_FILM, _YEAR, _RATING = NodePattern("f", ("Film",)), Property("f", "year"), Property("f", "rating")
_FILMS = Match((_FILM,))
_CAST = Match((NodePattern("p", ("Person",)), _FILM), (RelationshipPattern("p", "f", ("ACTED_IN",)),))
_COLLEAGUES = Match(
    (NodePattern("p"), _FILM, NodePattern("q")),
    (RelationshipPattern("p", "f", ("ACTED_IN",)), RelationshipPattern("q", "f", ("ACTED_IN",))),
)
_RECENT = Comparison(">", _YEAR, Constant(1985))


def _first(value: Expression, limit: int, offset: int = 0, **order: bool) -> tuple[Step, ...]:
    return Order((SortKey(value, **order),)), Slice(limit, offset)


def _total(function: AggregateFunction, value: Expression) -> Group:
    return Group((), (Aggregate("x", function, value),))


_CUT: list[tuple[Step, ...]] = [
    (_FILMS, *_first(_YEAR, 5)),
    (_FILMS, *_first(_YEAR, 5, 3, descending=True)),
    (_FILMS, *_first(_RATING, 100)),
    (_FILMS, *_first(_YEAR, 4, descending=True, missing_first=True)),
    (_CAST, *_first(_YEAR, 7)),
    (_CAST, *_first(Property("p", "born"), 7, descending=True)),
    (_COLLEAGUES, *_first(_YEAR, 7)),
    (Match((NodePattern("n"),)), *_first(Property("n", "year"), 5)),
    (Match((NodePattern("n"),)), *_first(Property("n", "year"), 30)),
    (_FILMS, Filter(_RECENT), *_first(_YEAR, 3)),
    (_FILMS, Filter(Not(_RECENT)), *_first(_RATING, 3)),
    (Match((NodePattern("f"),), where=Not(IsMissing(_YEAR))), *_first(_YEAR, 3, missing_first=True)),
    (_FILMS, Project((Column("g", Variable("f")), Column("y", _YEAR))), *_first(Variable("y"), 5)),
    (_FILMS, Project((Column("g", Variable("f")),)), *_first(Property("g", "year"), 5)),
    (_FILMS, Order((SortKey(_YEAR),)), Project((Column("t", Property("f", "title")),)), Slice(5)),
    (_FILMS, _total(AggregateFunction.MIN, _YEAR)),
    (_CAST, _total(AggregateFunction.MAX, _RATING)),
    (_FILMS, *_first(_YEAR, 2), _CAST, _total(AggregateFunction.COUNT, Variable("p"))),
]
_NOT_CUT: list[tuple[Step, ...]] = [
    (_FILMS, *_first(_YEAR, 0)),
    (Match((NodePattern("n"),)), *_first(Property("n", "year"), 5, missing_first=True)),
    (_FILMS, Filter(Comparison("=", _YEAR, Constant(1985))), *_first(_YEAR, 3)),
    (_FILMS, Filter(_RECENT), *_first(_RATING, 3)),
    (_FILMS, Filter(Comparison("contains", Property("f", "title"), Constant("1"))), *_first(_YEAR, 3)),
    (_FILMS, Project((Column("y", _YEAR),), distinct=True), *_first(Variable("y"), 5)),
    (_FILMS, Order((SortKey(_YEAR),)), Slice(1, per=("f",))),
    (_FILMS, _total(AggregateFunction.AVERAGE, _YEAR)),
    (Match((_FILM, NodePattern("p", ("Person",)))), *_first(_YEAR, 5)),
    (Match((_FILM, NodePattern("x")), (RelationshipPattern("f", "x", direction="both"),)), *_first(_YEAR, 5)),
]


async def _run(steps: Sequence[Step], file: Path) -> tuple[str, list[tuple[int, int, int, str]]]:
    """Check the rows against the evaluator, and return the query and how SQLite runs it."""
    graph = GRAPHS["films"]()
    write_graph_file(graph, file)
    store = SqliteGraphStore(file)
    try:
        found = await store.run(Plan(tuple(steps)))
    finally:
        await store.close()
    assert comparable(found.rows) == comparable(evaluate(Plan(tuple(steps)), graph).rows)
    with closing(connect(file)) as connection:
        explained = connection.execute(f"EXPLAIN QUERY PLAN {found.query}", dict(found.parameters)).fetchall()
    return found.query, explained


@pytest.mark.parametrize("steps", _CUT)
async def test_the_index_says_where_the_rows_are_cut_off(tmp_path: Path, steps: tuple[Step, ...]) -> None:
    query, explained = await _run(steps, tmp_path / "graph.sqlite")
    [table] = re.findall(r"(t\d+) AS MATERIALIZED \(SELECT \S+ AS last", query)
    [cut] = [row for row, _, _, detail in explained if detail == f"MATERIALIZE {table}"]
    first, *others = [detail for _, parent, _, detail in explained if parent == cut]
    assert "nodes_by_value" in first and "ORDER BY" not in str(others)


@pytest.mark.parametrize("steps", _NOT_CUT)
async def test_other_rows_are_not_cut_off(tmp_path: Path, steps: tuple[Step, ...]) -> None:
    query, _ = await _run(steps, tmp_path / "graph.sqlite")
    assert "AS last" not in query


@pytest.mark.parametrize("function", [AggregateFunction.COUNT, AggregateFunction.SUM, AggregateFunction.AVERAGE])
async def test_an_aggregation_of_a_property_reads_its_index(tmp_path: Path, function: AggregateFunction) -> None:
    plan = (Match((NodePattern("n"),)), _total(function, Property("n", "year")))
    _, explained = await _run(plan, tmp_path / "graph.sqlite")
    assert "nodes_by_value" in str(explained) and "entities" not in str(explained)
