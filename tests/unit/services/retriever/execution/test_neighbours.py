"""The properties and the neighbours of an entity."""

import pytest
from pydantic import ValidationError

from contracts.graphs import NeighboursRequest, NeighboursResponse
from services.retriever.execution.neighbours import neighbours
from shared.errors import InvalidInputError, UnknownEntityError
from tests.fakes.graph import InMemoryGraph

GRAPH = InMemoryGraph(
    [
        ("alien", "directed_by", "scott"),
        ("alien", "genre", "horror"),
        ("blade", "directed_by", "scott"),
        ("heat", "directed_by", "mann"),
        ("old-heat", "genre", "horror"),
    ],
    names={"alien": "Alien", "scott": "Ridley Scott", "heat": "Heat", "old-heat": "Heat", "blade": "Blade Runner"},
)


def listed(found: NeighboursResponse) -> list[tuple[str, bool, str]]:
    return sorted((one.relation, one.is_incoming, one.node.id) for one in found.neighbours)


async def test_neighbours_in_both_directions() -> None:
    film = await neighbours(GRAPH, NeighboursRequest(entity="alien"))
    director = await neighbours(GRAPH, NeighboursRequest(id="scott"))

    assert (film.entity.id, film.entity.name, film.truncated) == ("alien", "Alien", False)
    assert listed(film) == [("directed_by", False, "scott"), ("genre", False, "horror")]
    assert listed(director) == [("directed_by", True, "alien"), ("directed_by", True, "blade")]


async def test_only_some_relations_and_some_neighbours() -> None:
    genres = await neighbours(GRAPH, NeighboursRequest(entity="Alien", relations=("genre",)))
    one = await neighbours(GRAPH, NeighboursRequest(entity="Ridley Scott", max_neighbours=1))

    assert listed(genres) == [("genre", False, "horror")]
    assert (len(one.neighbours), one.truncated) == (1, True)


async def test_others_with_the_same_name_are_listed() -> None:
    found = await neighbours(GRAPH, NeighboursRequest(entity="Heat"))
    assert {found.entity.id, *(other.id for other in found.namesakes)} == {"heat", "old-heat"}


async def test_what_the_graph_lacks_is_said_with_what_it_has() -> None:
    with pytest.raises(UnknownEntityError, match="did you mean 'Ridley Scott'"):
        await neighbours(GRAPH, NeighboursRequest(entity="Ridly Scott"))
    with pytest.raises(UnknownEntityError, match="no entity with the id 'x'"):
        await neighbours(GRAPH, NeighboursRequest(id="x"))
    with pytest.raises(InvalidInputError, match=r"^relations\.0: unknown relation 'genres'; did you mean 'genre'\?$"):
        await neighbours(GRAPH, NeighboursRequest(entity="Alien", relations=("genres",)))


@pytest.mark.parametrize("fields", [{}, {"entity": "Alien", "id": "alien"}])
def test_one_entity_is_identified_in_one_way(fields: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="either `entity`"):
        NeighboursRequest.model_validate(fields)
