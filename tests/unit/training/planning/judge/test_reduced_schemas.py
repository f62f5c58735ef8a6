import random
from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="needs the train extra: make install-train")

from language.values import QuestionValue, ValueForm
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.property_graphs import film_graph
from tests.support.stored_graphs import StoredGraph
from training.planning.examples import Example, SchemaInput, prepare
from training.planning.judge.reduced_schemas import Kind, Name, Property, Relationship, needs_of, reduced, without

pytestmark = pytest.mark.train

_SCHEMA = StoredGraph(film_graph()).schema
_ELEMENTS = SchemaElements.of(_SCHEMA)
_NAME = _ELEMENTS.property_numbers[False, "Person", "name"]
_BO = QuestionValue(17, 19, ValueForm.TEXT, "Bo", "Bo", {_NAME: "Bo"})


def _example(question: str, actions: str, *values: QuestionValue) -> Example:
    return prepare(question, SchemaInput(_SCHEMA), values, read_actions(actions, _ELEMENTS))


def _first_film(question: str) -> Example:
    actions = (
        "KIND:Person IS VALUE:0 OUT:Person.ACTED_IN SORT PROPERTY:Film.year ASCENDING LIMIT ONE "
        "RETURN VARIABLE:1 PROPERTY:Film.title END"
    )
    return _example(question, actions, _BO)


def test_a_plan_needs_the_kinds_relationships_properties_and_names_that_it_uses() -> None:
    needs = needs_of(_first_film("Which film with Bo came first?"), random.Random(1))

    assert [one if not isinstance(one, Property) else one.key for one in needs] == [
        Kind("Person"), Name(0), "year", Relationship("ACTED_IN"),
    ]  # fmt: skip


def test_a_name_of_nodes_is_needed_if_the_question_asks_for_it() -> None:
    needs = needs_of(_first_film("What is the title of the first film with Bo?"), random.Random(1))

    assert {one.key for one in needs if isinstance(one, Property)} == {"year", "title"}


def test_a_schema_lacks_a_property_of_one_kind_or_of_all() -> None:
    rating = _SCHEMA.kinds["Film"].properties["rating"]
    kinds = {name: replace(one, properties={**one.properties, "rank": rating}) for name, one in _SCHEMA.kinds.items()}
    schema = replace(_SCHEMA, kinds=kinds)

    one, both = without(schema, Property("rank", "Film")), without(schema, Property("rank"))

    assert [name for name, kind in one.kinds.items() if "rank" in kind.properties] == ["Person"]
    assert not any("rank" in kind.properties for kind in both.kinds.values())
    named = without(schema, Property("title", "Film")).kinds["Film"]
    assert (named.name_property, "title" in named.properties) == (None, False)


def test_a_schema_without_a_kind_has_no_relationships_with_it() -> None:
    left = without(_SCHEMA, Kind("Film"))

    assert set(left.kinds) == {"Person"}
    assert not left.relationships


def test_an_unknown_name_is_no_value_of_the_question() -> None:
    example = _first_film("Which film with Bo came first?")
    seen = set()
    for seed in range(60):
        less = reduced(example, random.Random(seed))
        assert less is not None
        elements, values = less
        seen.add((len(elements.kinds), len(elements.connections), len(elements.properties), len(values)))
        assert elements != _ELEMENTS or not values
        for value in values:
            assert all(elements.properties[number].key == "name" for number in value.stored)

    assert len(seen) >= 5
