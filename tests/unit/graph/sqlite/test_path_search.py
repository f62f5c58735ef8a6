"""A graph file finds the shortest paths that networkx finds, and no search outlives its deadline."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.plan.algebra import (
    Column,
    Comparison,
    Constant,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    ShortestPaths,
    Variable,
)
from graph.sqlite.connection import GraphConnection, connect
from graph.sqlite.deadline import DeadlinePassedError
from graph.sqlite.path_search import PathSearch
from graph.sqlite.store import SqliteGraphStore
from graph.sqlite.values import Stored
from graph.store import GraphStore
from shared.errors import PlanLimitError
from tests.support.plan_results import comparable
from tests.support.property_graphs import write_graph_file
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship, evaluate

_EVERY_PAIR = Match((NodePattern("a"), NodePattern("b")))


@st.composite
def _graphs(draw: st.DrawFn) -> PropertyGraph:
    """Draw a graph whose relationships may be parallel, lead from a node to itself, or form hubs."""
    number = draw(st.integers(2, 9))
    nodes = tuple(
        Node(place, draw(st.sampled_from((frozenset("A"), frozenset("B"), frozenset("AB")))), {"size": place % 3})
        for place in range(number)
    )
    ends = st.tuples(st.sampled_from("RS"), st.integers(0, number - 1), st.integers(0, number - 1))
    links = draw(st.lists(ends, min_size=1, max_size=24))
    return PropertyGraph(nodes, tuple(Relationship(place, *link, {}) for place, link in enumerate(links)))


@st.composite
def _steps(draw: st.DrawFn, graph: PropertyGraph) -> ShortestPaths:
    types = sorted({one.type for one in graph.relationships})
    kinds = sorted({kind for node in graph.nodes for kind in node.kinds})
    where = Comparison(draw(st.sampled_from(("=", "<", ">"))), Property("node", "size"), Constant(1))
    return ShortestPaths(
        "a",
        "b",
        types=tuple(draw(st.lists(st.sampled_from(types), unique=True))),
        kinds=tuple(draw(st.lists(st.sampled_from(kinds), unique=True, max_size=1))),
        where=draw(st.sampled_from((None, None, where))),
        max_length=draw(st.integers(1, 6)),
        limit=draw(st.integers(1, 4)),
    )


async def _rows(store: GraphStore, plan: Plan) -> list[tuple[Any, ...]]:
    return comparable((await store.run(plan, 10_000)).rows)


async def _rows_in_file(graph: PropertyGraph, plan: Plan) -> list[tuple[Any, ...]]:
    with TemporaryDirectory() as folder:
        write_graph_file(graph, file := Path(folder) / "graph.sqlite")
        store = SqliteGraphStore(file, 60.0)
        try:
            return await _rows(store, plan)
        finally:
            await store.close()


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_the_paths_between_all_nodes_are_those_of_networkx(data: st.DataObject) -> None:
    graph = data.draw(_graphs())
    plan = Plan((_EVERY_PAIR, data.draw(_steps(graph))))

    assert asyncio.run(_rows_in_file(graph, plan)) == comparable(evaluate(plan, graph).rows)


def _ladder(rungs: int, width: int) -> PropertyGraph:
    """Build a graph in which each of `width` nodes of a rung leads to all of the next rung."""
    nodes = tuple(Node(place, frozenset("A"), {"name": f"n{place}"}) for place in range(rungs * width))
    links = [
        (rung * width + first, (rung + 1) * width + second)
        for rung in range(rungs - 1)
        for first in range(width)
        for second in range(width)
    ]
    return PropertyGraph(nodes, tuple(Relationship(place, "R", *link, {}) for place, link in enumerate(links)))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    file = tmp_path_factory.mktemp("graph") / "ladder.sqlite"
    write_graph_file(_ladder(5, 40), file)
    yield file


def _between(first: str, second: str, **options: Any) -> Plan:
    ends = tuple(
        Match((NodePattern(name),), where=Comparison("=", Property(name, "name"), Constant(value)))
        for name, value in (("a", first), ("b", second))
    )
    return Plan((*ends, ShortestPaths("a", "b", **options)))


async def test_of_very_many_paths_the_first_ones_are_found(file: Path) -> None:
    store = SqliteGraphStore(file, 60.0)
    found = await store.run(_between("n0", "n199", limit=2))
    await store.close()

    # 64,000 paths lead through nodes with equally many relationships, so that their order in the graph decides.
    names = [[node.name for node in row[3]] for row in found.rows]
    assert names == [["n0", "n40", "n80", "n120", "n199"], ["n0", "n40", "n80", "n121", "n199"]]
    assert [row[5] for row in found.rows] == [(80, 80, 80)] * 2


async def test_a_path_longer_than_allowed_is_none(file: Path) -> None:
    store = SqliteGraphStore(file, 60.0)
    found = await store.run(_between("n0", "n199", max_length=3))
    await store.close()

    assert found.rows == ()


async def test_a_search_ends_at_the_deadline_of_its_query(file: Path) -> None:
    store = SqliteGraphStore(file, 0.0)
    with pytest.raises(PlanLimitError, match="longer than 0 s"):
        await store.run(_between("n0", "n199"))
    await store.close()


def test_each_batch_of_a_search_looks_at_the_deadline(file: Path) -> None:
    connection = connect(file)
    [asked] = connection.execute("SELECT group_concat(id) FROM entities WHERE name IN ('n0', 'n199')").fetchone()
    source, target = map(int, asked.split(","))
    # Without a row, SQLite itself runs too few instructions to look at the deadline.
    search = PathSearch("SELECT 1 WHERE :nodes IS NULL", None, "SELECT 1", {}, 4, 3)
    connection.start_deadline(-1.0)

    with pytest.raises(DeadlinePassedError):
        search.paths(connection, source, target)
    connection.close()


async def test_a_search_ends_when_nobody_waits_for_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, started, ended = SqliteGraphStore(file, 3_600.0), threading.Event(), threading.Event()

    def search_for_ever(self: PathSearch, connection: GraphConnection, source: int, target: int) -> Stored:
        started.set()
        try:
            while True:
                connection.deadline.check()
        finally:
            ended.set()

    monkeypatch.setattr(PathSearch, "paths", search_for_ever)
    waiting = asyncio.create_task(store.run(_between("n0", "n199")))
    await asyncio.to_thread(started.wait)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await asyncio.to_thread(ended.wait)
    monkeypatch.undo()

    # The connection serves others again.
    assert len((await store.run(_between("n0", "n80"))).rows) == 3
    await store.close()


async def test_paths_are_a_table_like_any_other(file: Path) -> None:
    store = SqliteGraphStore(file, 60.0)
    step = ShortestPaths("a", "b", node="x", rank="k", nodes="ns", relationships="rs", degrees="ds")
    plan = _between("n0", "n80")
    found = await store.run(Plan((*plan.steps[:2], step, Project((Column("k", Variable("k")),)))))
    await store.close()

    assert found.rows == ((1,), (2,), (3,))
