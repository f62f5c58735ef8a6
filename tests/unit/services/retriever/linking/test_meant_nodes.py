import pytest

from graph.store import Entity, NameMatch
from language.english.english import english
from language.meant import Meant
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.meant_nodes import meant_matches, with_meant_nodes
from services.retriever.linking.word_surprisal import WordSurprisal
from shared.errors import InvalidInputError, UnknownEntityError
from tests.fakes.graph import InMemoryGraph

_GRAPH = InMemoryGraph([("Paris", "located_in", "France"), ("Rome", "located_in", "Italy")])
_FRANCE = Meant("France", "France")


async def test_a_question_keeps_the_meant_node_with_its_name_in_the_graph() -> None:
    asked = await with_meant_nodes(_GRAPH, english("What is in france?"), {"france": "France"})

    assert asked.meant == {"france": _FRANCE}
    assert asked.reworded("Is france large?").meant_by("FRANCE") == _FRANCE
    assert asked != english("What is in france?")


async def test_a_name_that_the_question_lacks_is_an_error() -> None:
    with pytest.raises(InvalidInputError, match="the question has no words 'Ital'"):
        await with_meant_nodes(_GRAPH, english("What is in Italy?"), {"Ital": "Italy"})


async def test_an_id_that_the_graph_lacks_is_an_error() -> None:
    with pytest.raises(UnknownEntityError, match="'e9'"):
        await with_meant_nodes(_GRAPH, english("What is in Italy?"), {"Italy": "e9"})


def test_only_the_meant_node_matches_its_name() -> None:
    asked = english("Where is It?").meaning({"It": Meant("f2", "It")})
    matches = [NameMatch(Entity(id_, "It"), "It", False, 0, 3) for id_ in ("f1", "f2")]

    assert meant_matches(asked, "it", matches) == matches[1:]
    assert [one.entity.id for one in meant_matches(asked, "it", matches[:1])] == ["f2"]
    assert meant_matches(asked, "Her", matches) == matches


def test_a_longer_name_hides_a_shorter_one_within_it() -> None:
    asked = english("Is Ann Lee taller than Ann?").meaning({"Ann": Meant("1", "Ann"), "Ann Lee": Meant("2", "Ann Lee")})

    assert sorted((start, one.id) for start, _, one in asked.meant_spans) == [(3, "2"), (23, "1")]


async def test_a_linked_topic_is_the_meant_node() -> None:
    linker = EntityLinker(_GRAPH, WordSurprisal(["located", "in"]))
    asked = english("What is located in the country?").meaning({"country": _FRANCE})

    assert [topic.entity.id for topic in await linker.link(asked)] == ["France"]
    assert [topic.entity.id for topic in await linker.resolve(asked, "country")] == ["France"]
