"""Names that an owner gives to elements link the words of questions to them; without any, nothing changes."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from graph.plan.meaning import Address, described
from graph.plan.schema import GraphSchema, KindSchema, Meaning, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType
from language.english.english import english
from services.retriever.plans.predictor.encoding import Link, encode_question, encode_schema
from services.retriever.plans.schema.element_text import element_texts
from services.retriever.plans.schema.quantities import dimensions_of, unit_of
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.support.stored_graphs import StoredGraph
from tests.support.tenants import tenant_graph

_NUMBER = PropertySchema(frozenset({ValueType.INTEGER}), ValueType.INTEGER, 2)
_TEXT = PropertySchema(frozenset({ValueType.STRING}), ValueType.STRING, 2)
_GRAPH = GraphSchema(
    {"Zk": KindSchema(2, {"name": _TEXT, "amt": _NUMBER}, "name")},
    {"rpts_to": RelationshipSchema(1, frozenset({("Zk", "Zk")}))},
)
_SAID: dict[Address, Meaning] = {
    ("kinds", "Zk"): Meaning(names=("employee", "colleague")),
    ("relationships", "rpts_to"): Meaning(names=("boss", "chief"), inverse_names=("underling",)),
    ("properties", "amt"): Meaning(names=("pay",), unit="kg"),
}


def test_without_names_the_encoding_of_a_graph_is_what_it_was_before_there_were_any() -> None:
    elements = SchemaElements.of(StoredGraph(tenant_graph()).schema)
    encoded = encode_schema(elements)
    stems = [[sorted(one) for one in own] for own in encoded.stems]

    content = repr((element_texts(elements), stems, encoded.types.tolist(), encoded.links.tolist()))

    # The digest of the last encoding before names. It changes if the words of a schema are encoded in another way.
    assert hashlib.sha256(content.encode()).hexdigest()[:16] == "cc341cda0567848b"


def test_descriptions_and_examples_leave_the_encoding_as_it_is() -> None:
    said = {address: Meaning(description="What it is.", examples=("x",)) for address in _SAID}
    bare, told = (SchemaElements.of(one) for one in (_GRAPH, described(_GRAPH, said)))

    assert element_texts(told) == element_texts(bare)
    assert told.own_stems == bare.own_stems
    assert np.array_equal(encode_schema(told).links, encode_schema(bare).links)


def test_the_first_name_takes_the_place_of_the_stored_one_in_the_text() -> None:
    texts = element_texts(SchemaElements.of(described(_GRAPH, _SAID)))

    assert texts == ["zk, employee, colleague", "zk boss zk", "zk pay: number", "zk name: text"]


@pytest.mark.parametrize(
    ("word", "element"),
    [("colleague", 0), ("boss", 1), ("chief", 1), ("underling", 1), ("pay", 2)],
)
def test_each_further_name_links_words_as_the_stored_one_does(word: str, element: int) -> None:
    question = english(f"the {word} there")
    offsets = [(0, 3), (4, 4 + len(word))]
    schemas = (encode_schema(SchemaElements.of(one)) for one in (_GRAPH, described(_GRAPH, _SAID)))

    before, after = (encode_question(question, offsets, [], one).links[1, 2 + element] for one in schemas)

    assert (before, after) == (Link.NONE, Link.WORD_NAMES_ELEMENT)


def test_a_unit_and_a_name_say_what_a_property_measures() -> None:
    bare = _GRAPH.kinds["Zk"].properties["amt"]
    told = described(_GRAPH, _SAID).kinds["Zk"].properties["amt"]
    priced = replace(bare, meaning=Meaning(names=("price",)))

    assert unit_of("amt", bare) is None
    assert unit_of("amt", told) == unit_of("load_kg", bare) is not None
    assert dimensions_of("amt", priced) == dimensions_of("price", bare) != frozenset()
