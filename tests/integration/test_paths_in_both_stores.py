"""Both stores find the same shortest paths, in the same order, and only through visible nodes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graph.neo4j.plan_query import compile_plan
from graph.plan.algebra import Comparison, Constant, Match, NodePattern, Plan, Property, ShortestPaths
from services.retriever.scopes.scoped_store import ScopedStore
from shared.scope_conditions import read_condition
from tests import neo4j_server
from tests.support.both_stores import BothStores, both_stores
from tests.support.plan_results import comparable
from tests.support.property_graphs import GRAPHS
from tests.support.reference_evaluator import evaluate

pytestmark = neo4j_server.needs_neo4j

_PAIRS = Match((NodePattern("a"), NodePattern("b")), where=Comparison("<", Property("a", "year"), Constant(1981)))
_YEAR = Comparison("!=", Property("node", "year"), Constant(1985))


@pytest.fixture(scope="module", params=["films", "messy"])
def stores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BothStores]:
    neo4j_server.require_empty()
    file: Path = tmp_path_factory.mktemp("graph") / "graph.sqlite"
    with both_stores(GRAPHS[request.param](), file, neo4j_server.settings()) as loaded:
        yield loaded


@pytest.mark.parametrize("stores", ["films"], indirect=True)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"types": ("ACTED_IN",), "limit": 10, "max_length": 6},
        {"kinds": ("Person",)},
        {"kinds": ("Person", "Film"), "max_length": 2},
        {"where": _YEAR, "limit": 1},
    ],
)
def test_all_pairs_have_the_same_paths(stores: BothStores, options: dict[str, Any]) -> None:
    plan = Plan((_PAIRS, ShortestPaths("a", "b", **options)))
    expected = comparable(evaluate(plan, stores.copy.graph).rows)

    assert stores.rows(stores.sqlite, plan) == expected
    assert stores.rows(stores.neo4j, plan) == expected


@pytest.mark.parametrize("stores", ["messy"], indirect=True)
def test_parallel_relationships_and_circles_are_the_same(stores: BothStores) -> None:
    every = Match((NodePattern("a", ("A",)), NodePattern("b", ("B",))))
    plan = Plan((every, ShortestPaths("a", "b", limit=10)))
    expected = comparable(evaluate(plan, stores.copy.graph).rows)

    assert any(row[2] != ("number", 1) for row in expected)
    assert stores.rows(stores.sqlite, plan) == expected
    assert stores.rows(stores.neo4j, plan) == expected


@pytest.mark.parametrize("stores", ["films"], indirect=True)
def test_a_scope_hides_the_same_paths(stores: BothStores) -> None:
    of_year = Comparison("=", Property("a", "year"), Constant(1985))
    visible = Match((NodePattern("a", ("Film",)), NodePattern("b", ("Person",))), where=of_year)
    plan = Plan((visible, ShortestPaths("a", "b")))
    condition = read_condition("Film.year = 1985")
    scoped = [ScopedStore(one, [condition]) for one in (stores.sqlite, stores.neo4j)]
    in_file, in_database = (stores.runner.run(one.run(plan, 3_000)).rows for one in scoped)

    assert 0 < len(in_file) < len(stores.rows(stores.sqlite, plan))
    assert comparable(in_database, stores.copy.node_ids) == comparable(in_file)


@pytest.mark.parametrize("stores", ["films"], indirect=True)
def test_the_database_searches_from_both_ends_within_a_bound(stores: BothStores) -> None:
    step = ShortestPaths("a", "b", where=_YEAR)
    query = compile_plan(Plan((_PAIRS, step)), stores.runner.run(stores.neo4j.schema()))
    plan = stores.driver.execute_query(f"EXPLAIN {query.text}", query.parameters).summary.plan
    assert plan is not None
    operators = list(_operators(plan))

    assert any(name.startswith("StatefulShortestPath(Into") for name in operators), operators
    assert not any("VarLength" in name for name in operators)


def _operators(plan: dict[str, Any]) -> Iterator[str]:
    yield plan["operatorType"]
    for child in plan.get("children", ()):
        yield from _operators(child)
