"""Test that the plan of a relation path reaches the same entities as a walk along it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.store import Entity, WalkRule
from services.retriever.execution.readable import readable
from services.retriever.paths.path_plans import path_plan, path_text
from tests.fakes.graph import InMemoryGraph

ENDS = ["Ann", "Bob", "Cid", "Dan"]
RULES = [WalkRule("trail", True), WalkRule("trail", False), WalkRule("walk", True), WalkRule("walk", False)]
ENTITIES, RELATIONS = st.sampled_from(ENDS), st.sampled_from(["likes", "knows"])
STEPS = st.sampled_from(["likes", "knows", "^likes", "^knows"])


@given(
    st.lists(st.tuples(ENTITIES, RELATIONS, ENTITIES), min_size=1, max_size=12),
    st.lists(STEPS, min_size=1, max_size=3),
    st.sampled_from(RULES),
    st.data(),
)
async def test_a_plan_reaches_what_a_walk_reaches(
    triples: list[tuple[str, str, str]], path: list[str], rule: WalkRule, data: st.DataObject
) -> None:
    # Both relations exist, because a plan with an unknown relation is an error.
    graph = InMemoryGraph([*triples, ("Eve", "likes", "Eve"), ("Eve", "knows", "Eve")])
    topic = data.draw(st.sampled_from([triple[0] for triple in triples]))
    [walk] = await graph.walk([(Entity(topic, topic), tuple(path))], rule)

    result = await graph.run(path_plan(Entity(topic, topic), tuple(path), rule))

    assert {node.id for (node,) in result.rows} == {end.entity.id for end in walk.reached}
    assert len(result.rows) == len(walk.reached)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            WalkRule("trail", True),
            "match topic (by id) -by-> hop1, answer -by-> hop1 where topic ≠ answer → distinct answer",
        ),
        (WalkRule("walk", False), "match topic (by id) -by-> hop1 → match answer -by-> hop1 → distinct answer"),
    ],
)
def test_a_plan_follows_the_path(rule: WalkRule, expected: str) -> None:
    assert readable(path_plan(Entity("1", "Heat"), ("by", "^by"), rule)) == expected


def test_the_text_names_the_topic_entity() -> None:
    assert path_text(Entity("1", "Ankara"), ("^capital", "currency")) == "Ankara <-capital- () -currency-> answer"
