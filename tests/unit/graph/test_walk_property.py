"""Compare the SQLite store with the reference on random small graphs."""

import asyncio
import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from graph.sqlite.store import SqliteGraphStore
from graph.store import Entity, PathWalk, WalkRule, split_step
from tests.fakes.graph import InMemoryGraph
from tests.unit.graph.building import Row, graph_file

_NODES = [f"n{number}" for number in range(5)]
_RELATIONS = ["likes", "knows"]

# Few nodes and relations, so that self-loops, parallel relations, cycles and shared ends are common.
_rows = st.lists(
    st.tuples(st.sampled_from(_NODES), st.sampled_from(_RELATIONS), st.sampled_from(_NODES)), min_size=1, max_size=14
)
_steps = st.sampled_from([*_RELATIONS, *(f"^{name}" for name in _RELATIONS), "unknown"])
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
            relation, inverse = split_step(step)
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


@settings(max_examples=60, deadline=None)
@given(rows=_rows, starts=_starts, rule=_rules, limit=st.sampled_from([1, 2, 1000]))
def test_walks_like_the_reference(
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


@settings(max_examples=50, deadline=None)
@given(rows=_rows, starts=_starts)
def test_finds_the_next_steps_like_the_reference(rows: list[Row], starts: list[tuple[Entity, tuple[str, ...]]]) -> None:
    found, expected = asyncio.run(_led_on(rows, starts))

    assert found == expected


async def _spread(rows: list[Row], most: int) -> tuple[list[Entity], list[Entity], dict[Entity, frozenset[str]]]:
    """Return the samples of a store and of the same store reopened, and each entity's characteristic set."""
    reference = InMemoryGraph(rows)
    entities = await reference.sample_entities(1000)
    steps_of = await reference.steps_after([(entity, ()) for entity in entities])
    with tempfile.TemporaryDirectory() as folder:
        file = graph_file(Path(folder), rows)
        found = []
        for _ in range(2):
            store = SqliteGraphStore(file)
            found.append(await store.sample_entities(most))
            await store.close()
    return found[0], found[1], dict(zip(entities, steps_of, strict=True))


@settings(max_examples=40, deadline=None)
@given(rows=_rows, most=st.integers(0, 8))
@example(rows=[*((f"fan {number}", "likes", "tea") for number in range(6)), ("Ann", "knows", "Bob")], most=4)
def test_samples_are_spread_evenly_over_characteristic_sets(rows: list[Row], most: int) -> None:
    found, again, steps_of = asyncio.run(_spread(rows, most))

    assert found == again
    assert len(set(found)) == len(found) == min(most, len(steps_of))
    there, taken = Counter(steps_of.values()), Counter(steps_of[entity] for entity in found)
    # A set contributes fewer entities only if it has no more, or by one because the last round was cut off.
    for steps in there:
        assert taken[steps] == there[steps] or taken[steps] >= max(taken.values(), default=0) - 1
