import pytest

from language.english.english import english
from language.mentions import Mention
from services.retriever.linking.place_adjectives import with_places
from services.retriever.linking.selection import LinkedTopic
from tests.fakes.graph import InMemoryGraph


@pytest.mark.parametrize(
    ("question", "expected"), [("What is the French capital?", "France"), ("Who speaks French?", "French")]
)
async def test_the_place_replaces_its_language_where_it_is_meant(question: str, expected: str) -> None:
    store = InMemoryGraph([("France", "official_language", "French"), ("France", "capital", "Paris")])
    start = question.index("French")
    [[match, *_]] = await store.entities_named(["French"])
    topic = LinkedTopic(match.entity, Mention(start, start + 6, "french", 1), 1.0)
    assert [one.entity.name for one in await with_places(store, english(question), [topic])] == [expected]


async def test_the_name_stays_if_the_graph_lacks_the_place() -> None:
    store = InMemoryGraph([("Swiss Roll", "kind_of", "cake"), ("Danish", "kind_of", "pastry")])
    [[match, *_]] = await store.entities_named(["Danish"])
    topic = LinkedTopic(match.entity, Mention(0, 6, "danish", 1), 1.0)
    assert await with_places(store, english("Danish recipes?"), [topic]) == [topic]
