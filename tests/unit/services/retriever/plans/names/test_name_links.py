import itertools
import json
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from graph.sqlite.store import SqliteGraphStore
from ingestion.importer import import_files
from ingestion.sqlite_writer import GraphWriter
from language.english.english import english
from services.retriever.plans.names.name_links import NameLinks
from services.retriever.plans.names.stored_texts import build_value_index
from services.retriever.plans.names.value_index import ValueIndex
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.plans.schema.schema_elements import SchemaElements

_FACTS = [
    ("United States", "capital", "Washington, D.C."), ("Ivory Coast", "capital", "Yamoussoukro"),
    ("Italy", "capital", "Rome"), ("South Africa", "capital", "Pretoria"),
]  # fmt: skip
_WORDS = {"which", "what", "city", "cities", "capital", "the", "of", "are", "large", "pretoria", "about", "rome"}
_YEARS = (1999, 2004, 2019)
_ALIASES = [("Rome", "Arend"), ("United States", "USA"), ("United States", "US"), ("Ivory Coast", "Côte d'Ivoire")]


class _Links:
    def __init__(self, index: ValueIndex, links: NameLinks, elements: SchemaElements) -> None:
        self._index, self._links, self._elements = index, links, elements

    async def stored(self, question: str) -> dict[str, dict[str, object]]:
        """Return the stored names of a question's values, by the kinds whose names they are."""
        return {
            value.text: {self._elements.properties[number].owner: name for number, name in value.stored.items()}
            for value in await self._links.complete(english(question), self._index.values(english(question)))
            if value.stored
        }

    async def texts(self, question: str) -> list[str]:
        """Return the texts of a question's values."""
        return [
            value.text for value in await self._links.complete(english(question), self._index.values(english(question)))
        ]


@pytest.fixture
async def links(tmp_path: Path) -> AsyncIterator[_Links]:
    file = tmp_path / "graph.sqlite"
    with closing(GraphWriter(file)) as writer:
        for country, relation, city in _FACTS:
            writer.add_triple(country, relation, city)
            writer.add_kind(country, "Country")
            writer.add_kind(city, "City")
        for name, alias in _ALIASES:
            writer.add_alias(name, alias)
        writer.finish()
    store = SqliteGraphStore(file, 5.0)
    elements = SchemaElements.of(await store.schema())
    view = await GraphView.of(store)
    yield _Links(await build_value_index(view, elements), NameLinks(view, elements, _WORDS), elements)
    await store.close()


@pytest.mark.parametrize("mention", ["USA", "usa", "US"])
async def test_an_alias_stands_for_the_name(links: _Links, mention: str) -> None:
    assert await links.stored(f"Which cities of the {mention} are large?") == {mention: {"Country": "United States"}}


async def test_a_word_that_is_a_code_in_capitals_only_is_no_name(links: _Links) -> None:
    assert await links.stored("Tell us about cities") == {}


async def test_a_name_in_the_index_is_found_once(links: _Links) -> None:
    assert await links.stored("What is the capital of the United States?") == {
        "United States": {"Country": "United States"}
    }


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("yamousoukro", {"yamousoukro": {"City": "Yamoussoukro"}}),
        ("pretorio", {"pretorio": {"City": "Pretoria"}}),
        ("pretoriums", {}),
        ("itally", {"itally": {"Country": "Italy"}}),
        ("capitals", {}),
        ("arent", {}),
    ],
)
async def test_a_lower_case_word_that_is_no_word_may_be_a_misspelt_name(
    links: _Links, word: str, expected: dict[str, dict[str, object]]
) -> None:
    assert await links.stored(f"which {word} cities are large?") == expected


async def test_a_misspelt_name_is_found(links: _Links) -> None:
    assert await links.stored("What is the capital of Yamousoukro?") == {"Yamousoukro": {"City": "Yamoussoukro"}}


async def test_several_names_are_found_in_the_order_of_the_question(links: _Links) -> None:
    found = await links.stored("Is Côte d'Ivoire larger than the USA?")

    assert list(found.items()) == [
        ("Côte d'Ivoire", {"Country": "Ivory Coast"}),
        ("USA", {"Country": "United States"}),
    ]


@pytest.mark.parametrize(
    ("mention", "name"), [("Italian", "Italy"), ("italian", "Italy"), ("South African", "South Africa")]
)
async def test_an_adjective_stands_for_the_name_that_it_comes_from(links: _Links, mention: str, name: str) -> None:
    assert await links.stored(f"Which {mention} cities are large?") == {mention: {"Country": name}}


async def test_names_that_are_listed_are_no_name_together(links: _Links) -> None:
    assert "Rome and Pretoria" not in await links.texts("How far apart are Rome and Pretoria?")
    assert "Rome and Narnia" in await links.texts("How far apart are Rome and Narnia?")


async def test_a_name_that_is_a_number_has_the_type_of_its_property(tmp_path: Path) -> None:
    lines = [{"type": "node", "id": f"y{year}", "labels": ["Year"], "properties": {"value": year}} for year in _YEARS]
    lines += [
        {"type": "relationship", "label": "AFTER", "start": f"y{later}", "end": f"y{year}"}
        for year, later in itertools.pairwise(_YEARS)
    ]
    (tmp_path / "years.jsonl").write_text("\n".join(map(json.dumps, lines)))
    import_files([tmp_path / "years.jsonl"], tmp_path / "graph.sqlite")
    store = SqliteGraphStore(tmp_path / "graph.sqlite", 5.0)
    elements = SchemaElements.of(await store.schema())
    view = await GraphView.of(store)
    links = _Links(await build_value_index(view, elements), NameLinks(view, elements), elements)

    assert await links.stored("Which films came out in 1999?") == {"1999": {"Year": 1999}}
    await store.close()
