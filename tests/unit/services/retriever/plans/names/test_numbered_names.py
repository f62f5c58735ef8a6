import pytest

from language.english.english import english
from services.retriever.plans.names.numbered_names import missing_numbers
from tests.fakes.graph import InMemoryGraph

GATES = InMemoryGraph([(f"Gate {number}", "located_in", "Terminal B") for number in (11, 13)])


@pytest.mark.parametrize("asked", ["Gate 12", "gate 12"])
async def test_names_with_near_numbers_are_suggested(asked: str) -> None:
    [warning] = await missing_numbers(GATES, english(f"Where is {asked}?"))
    assert warning.text == f"The graph has no entity named {asked}; it has Gate 11 and Gate 13."


@pytest.mark.parametrize(
    "question", ["Where is Gate 11?", "Who left in 1999?", "Where is Gate 40?", "Where is gate B?"]
)
async def test_known_names_and_other_numbers_need_no_suggestion(question: str) -> None:
    assert await missing_numbers(GATES, english(question)) == []
