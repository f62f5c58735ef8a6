import pytest

from services.retriever.surroundings import steps_around
from shared.errors import DependencyError
from shared.graph.store import Entity
from tests.fakes.graph import InMemoryGraph, InterruptedGraph

GRAPH = InMemoryGraph([("France", "capital", "Paris"), ("France", "borders", "France")])


async def test_the_steps_that_lead_away_from_each_entity() -> None:
    entities = [Entity("France", "France"), Entity("Paris", "Paris"), Entity("Atlantis", "Atlantis")]

    around = await steps_around(GRAPH, entities, ["borders", "capital", "^capital", "mayor"])

    assert around == [{"borders", "capital"}, {"^capital"}, set()]


async def test_nothing_leads_away_without_entities_or_steps() -> None:
    assert await steps_around(GRAPH, [], ["capital"]) == []
    assert await steps_around(GRAPH, [Entity("France", "France")], []) == [frozenset()]


async def test_a_step_that_the_store_could_not_look_at_is_not_taken_for_absent() -> None:
    graph = InterruptedGraph([("France", "capital", "Paris")], ("capital",))
    with pytest.raises(DependencyError, match="in time"):
        await steps_around(graph, [Entity("France", "France")], ["capital"])
