"""A name that differs by a whole word is another thing; one that lacks a legal form or a type word is the same."""

import pytest

from language.english.english import english
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.word_surprisal import WordSurprisal
from tests.fakes.graph import InMemoryGraph

_GRAPH = InMemoryGraph(
    [
        ("Meridian Energy", "based_in", "Oslo"),
        ("Borealis Shipping Ltd", "based_in", "Bergen"),
        ("Nordwind GmbH", "based_in", "Kiel"),
        ("Flight QX1", "leaves_from", "Porto"),
        ("QX2", "leaves_from", "Faro"),
    ]
)
_WORDS = ["based", "leave", "where", "does", "from", "flight", "is"]


async def _linked(question: str) -> set[str]:
    linker = EntityLinker(_GRAPH, WordSurprisal(_WORDS))
    return {topic.entity.name for topic in await linker.link(english(question))}


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Where is Meridian Energy based?", "Meridian Energy"),
        ("Where is Meridian Energy S.A. based?", "Meridian Energy"),
        ("Where is Borealis Shipping based?", "Borealis Shipping Ltd"),
        ("Where is Nordwind based?", "Nordwind GmbH"),
        ("Where does QX1 leave from?", "Flight QX1"),
        ("Where does flight QX2 leave from?", "QX2"),
        ("Where does Flight QX2 leave from?", "QX2"),
    ],
)
async def test_a_name_without_its_legal_form_or_type_word_is_the_same(question: str, name: str) -> None:
    assert await _linked(question) == {name}


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("Where is Meridian Capital based?", "Meridian Energy"),
        ("Where is Borealis Holding based?", "Borealis Shipping Ltd"),
        ("Where is Nordwind S.A. based?", "Nordwind GmbH"),
        ("Where is Northern Energy based?", "Meridian Energy"),
        ("Where does flight QX3 leave from?", "QX2"),
    ],
)
async def test_a_name_that_differs_by_a_word_is_another_one(question: str, other: str) -> None:
    assert other not in await _linked(question)
