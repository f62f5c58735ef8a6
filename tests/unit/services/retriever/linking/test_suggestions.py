"""Names that the graph lacks lead to those that it has."""

import pytest

from services.retriever.linking.suggestions import suggested_names, unknown_entity
from tests.fakes.graph import InMemoryGraph

GRAPH = InMemoryGraph(
    [(name, "located_in", "Earth") for name in ("Mexico", "Portugal", "Spain", "New York", "Lost Pier, The")]
)


@pytest.mark.parametrize(
    ("name", "suggested"),
    [
        ("Portugl", ["Portugal"]),
        ("Ciudad Mexico", ["Mexico"]),
        ("the city of New York", ["New York"]),
        ("Portugl Republic", ["Portugal"]),
        ("The Lost Pier", ["Lost Pier, The"]),
        ("Atlantis", []),
        ("", []),
    ],
)
async def test_suggestions(name: str, suggested: list[str]) -> None:
    assert await suggested_names(GRAPH, name) == suggested


async def test_without_a_suggestion_the_error_says_what_to_do() -> None:
    assert str(await unknown_entity(GRAPH, "Atlantis", "check the spelling")) == (
        "the graph has no entity called 'Atlantis'; check the spelling"
    )
    assert "did you mean 'Mexico'?" in str(await unknown_entity(GRAPH, "Ciudad Mexico", "check the spelling"))
