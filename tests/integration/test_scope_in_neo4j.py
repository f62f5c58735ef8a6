"""A scope hides in a Neo4j database what it hides in a graph file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.store import WalkRule
from services.retriever.scopes.scoped_store import ScopedStore
from shared.errors import ForbiddenError, InvalidInputError, PlanLimitError
from shared.scope_conditions import read_condition
from tests import neo4j_server
from tests.support.both_stores import BothStores, both_stores
from tests.support.plan_results import comparable
from tests.support.property_graphs import film_graph
from tests.support.random_plans import random_plans
from tests.support.reference_evaluator import PropertyGraph, evaluate

pytestmark = neo4j_server.needs_neo4j

_YEAR = 1985


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BothStores]:
    neo4j_server.require_empty()
    file: Path = tmp_path_factory.mktemp("graph") / "graph.sqlite"
    with both_stores(film_graph(), file, neo4j_server.settings()) as loaded:
        yield loaded


@pytest.fixture(scope="module")
def scoped(stores: BothStores) -> tuple[ScopedStore, ScopedStore]:
    condition = read_condition(f"Film.year = {_YEAR}")
    return ScopedStore(stores.sqlite, [condition]), ScopedStore(stores.neo4j, [condition])


def _visible(graph: PropertyGraph) -> PropertyGraph:
    nodes = tuple(node for node in graph.nodes if "Film" not in node.kinds or node.properties["year"] == _YEAR)
    kept = {node.id for node in nodes}
    return PropertyGraph(nodes, tuple(one for one in graph.relationships if {one.source, one.target} <= kept))


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_plans_see_the_visible_part_alone(
    stores: BothStores, scoped: tuple[ScopedStore, ScopedStore], data: st.DataObject
) -> None:
    plan = data.draw(random_plans(stores.copy.graph, stores.runner.run(stores.sqlite.schema())))
    try:
        expected = evaluate(plan, _visible(stores.copy.graph))
        in_file = stores.runner.run(scoped[0].run(plan, 3_000))
    except (InvalidInputError, OverflowError, PlanLimitError):
        return
    in_database = stores.runner.run(scoped[1].run(plan, 3_000))
    assert comparable(in_file.rows) == comparable(expected.rows)
    assert comparable(in_database.rows, stores.copy.node_ids) == comparable(expected.rows)


def test_names_walks_and_the_schema_are_those_of_the_file(
    stores: BothStores, scoped: tuple[ScopedStore, ScopedStore]
) -> None:
    run = stores.runner.run
    names = [f"Film {n}" for n in range(20)] + [f"Person {n}" for n in range(25)]
    found = [run(store.entities_named(names)) for store in scoped]
    listed = [[[(one.name, one.degree) for one in matches] for matches in each] for each in found]
    assert listed[0] == listed[1]
    assert sum(map(len, listed[0])) == len(_visible(stores.copy.graph).nodes)
    for path in (("ACTED_IN",), ("ACTED_IN", "^ACTED_IN"), ("^DIRECTED",)):
        reached = []
        for store, each in zip(scoped, found, strict=True):
            starts = [(one.entity, path) for matches in each for one in matches]
            walks = run(store.walk(starts, WalkRule()))
            ends = [sorted(end.entity.name for end in walk.reached) for walk in walks]
            steps = run(store.steps_after([(entity, ()) for entity, _ in starts]))
            reached.append((ends, steps))
        assert reached[0] == reached[1]
    kinds = [{name: kind.count for name, kind in run(store.schema()).kinds.items() if name} for store in scoped]
    types = [
        {name: (one.count, one.ends) for name, one in run(store.schema()).relationships.items()} for store in scoped
    ]
    assert kinds[0] == kinds[1]
    assert types[0] == types[1]


def test_a_scope_that_does_not_fit_shows_nothing(stores: BothStores) -> None:
    for text in ("Film.tenant = 1", "Movie.year = 1985", 'Film.year = "x"'):
        with pytest.raises(ForbiddenError):
            stores.runner.run(ScopedStore(stores.neo4j, [read_condition(text)]).entities_named(["Film 1"]))
