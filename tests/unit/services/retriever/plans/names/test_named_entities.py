from language.english.english import english
from services.retriever.plans.names.named_entities import named_entities
from tests.fakes.graph import InMemoryGraph

_GRAPH = InMemoryGraph(
    [
        ("Springfield, Illinois", "located_in", "Illinois"),
        ("Springfield, Illinois", "mayor", "Ann"),
        ("Springfield, Ohio", "located_in", "Ohio"),
        ("Paris", "located_in", "France"),
        *((f"Airport {number}", "serves", "Paris") for number in range(9)),
        ("Paris, Texas", "located_in", "Texas"),
    ],
    aliases=[
        ("Springfield, Illinois", "Springfield"),
        ("Springfield, Ohio", "Springfield"),
        ("Paris, Texas", "Paris"),
    ],
)


async def test_a_name_with_several_meanings_is_said() -> None:
    topics, [warning] = await named_entities(_GRAPH, english("Where is it?"), ["Springfield"])

    assert [topic.entity for topic in topics] == ["Springfield, Illinois", "Springfield, Ohio"]
    assert {topic.mention for topic in topics} == {"Springfield"}
    assert topics[0].score > topics[1].score
    assert warning.kind == "ambiguous_name"
    assert "Springfield, Ohio" in warning.text


async def test_a_meaning_that_few_facts_mention_is_left_out() -> None:
    topics, warnings = await named_entities(_GRAPH, english("Where is it?"), ["Paris", "Ohio"])

    assert [topic.entity for topic in topics] == ["Paris", "Ohio"]
    assert warnings == []


async def test_unknown_names_have_no_entities() -> None:
    assert await named_entities(_GRAPH, english("Where is it?"), ["Atlantis"]) == ([], [])
    assert await named_entities(_GRAPH, english("Where is it?"), []) == ([], [])
