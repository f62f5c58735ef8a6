"""The embedded store walks as the reference does, on any small graph."""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.graph.sqlite import SqliteGraphStore
from shared.graph.store import Entity, PathWalk, WalkRule, step_relation
from tests.fakes.graph import InMemoryGraph
from tests.unit.graph.building import Row, graph_file

_NODES = [f"n{number}" for number in range(5)]
_RELATIONS = ["likes", "knows"]

# Few nodes and relations, so that self-loops, parallel relations, cycles and shared ends are common.
_rows = st.lists(
    st.tuples(st.sampled_from(_NODES), st.sampled_from(_RELATIONS), st.sampled_from(_NODES)), min_size=1, max_size=14
)
_steps = st.sampled_from([*_RELATIONS, *(f"^{name}" for name in _RELATIONS), "unheard of"])
_paths = st.lists(_steps, max_size=4).map(tuple)
_starts = st.lists(st.tuples(st.sampled_from([*_NODES, "nobody"]).map(lambda n: Entity(n, n)), _paths), max_size=4)
_rules = st.builds(WalkRule, mode=st.sampled_from(["trail", "walk"]), exclude_topic=st.booleans())


async def _walked(
    rows: list[Row], starts: list[tuple[Entity, tuple[str, ...]]], rule: WalkRule, limit: int
) -> tuple[list[PathWalk], list[PathWalk]]:
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteGraphStore(graph_file(Path(folder), rows))
        try:
            return await store.walk(starts, rule, limit), await InMemoryGraph(rows).walk(starts, rule, limit)
        finally:
            await store.close()


def _assert_valid(walk: PathWalk, rows: list[Row], rule: WalkRule) -> None:
    for reached in walk.reached:
        facts = reached.reasoning_path
        here = walk.topic.name
        for step, fact in zip(walk.relation_path, facts, strict=True):
            relation, inverse = step_relation(step)
            assert (fact.subject, fact.relation, fact.object) in rows
            assert fact.relation == relation
            start, end = (fact.object, fact.subject) if inverse else (fact.subject, fact.object)
            assert start == here
            here = end
        assert here == reached.entity.name
        if rule.mode == "trail":
            assert len(set(facts)) == len(facts)
        if rule.exclude_topic:
            assert reached.entity != walk.topic


@settings(max_examples=150, deadline=None)
@given(rows=_rows, starts=_starts, rule=_rules, limit=st.sampled_from([1, 2, 1000]))
def test_walks_as_the_reference_does(
    rows: list[Row], starts: list[tuple[Entity, tuple[str, ...]]], rule: WalkRule, limit: int
) -> None:
    found, expected = asyncio.run(_walked(rows, starts, rule, limit))

    assert found == expected
    for walk in found:
        _assert_valid(walk, rows, rule)


async def _led_on(
    rows: list[Row], starts: list[tuple[Entity, tuple[str, ...]]]
) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteGraphStore(graph_file(Path(folder), rows))
        try:
            return await store.steps_after(starts), await InMemoryGraph(rows).steps_after(starts)
        finally:
            await store.close()


@settings(max_examples=100, deadline=None)
@given(rows=_rows, starts=_starts)
def test_knows_the_steps_that_lead_on_as_the_reference_does(
    rows: list[Row], starts: list[tuple[Entity, tuple[str, ...]]]
) -> None:
    found, expected = asyncio.run(_led_on(rows, starts))

    assert found == expected
