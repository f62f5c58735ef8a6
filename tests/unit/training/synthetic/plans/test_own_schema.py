import pytest

from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType
from training.synthetic.plans.own_properties import property_words
from training.synthetic.plans.own_relations import relation_words
from training.synthetic.plans.own_schema import worded


@pytest.mark.parametrize(
    ("type_", "verb"),
    [
        ("DIRECTED", "directed"),
        ("GOVERNS", "governs"),
        ("WORKS_FOR", "works for"),
        ("LOCATED_IN", "is located in"),
        ("locatedIn", "is located in"),
        ("MEMBER_OF", "is members of"),
        ("IN_REGION", "is in"),
    ],
)
def test_a_verb_names_the_relationship(type_: str, verb: str) -> None:
    forms = {one.finite(many=False) for one in relation_words(type_, "Thing", "Place", ()).forward}
    assert verb in forms


@pytest.mark.parametrize(("type_", "role"), [("HAS_COLOUR", "colour"), ("supervisor", "supervisor")])
def test_a_noun_names_the_target(type_: str, role: str) -> None:
    assert role in {one.singular for one in relation_words(type_, "Thing", "Place", ()).target_nouns}


def test_relationships_of_known_domains_have_the_words_of_their_domain() -> None:
    found = relation_words("ACTED_IN", "Person", "Movie", ())
    assert {"acted in", "starred in"} <= {one.finite(many=True) for one in found.forward}
    assert "actor" in {one.singular for one in found.source_nouns}


def test_descriptions_come_first() -> None:
    found = relation_words("rpts_to", "Worker", "Worker", ["reports to", "boss"])
    assert found.forward[0].inverted("Ann", many=False) == "does Ann report to"
    assert found.target_nouns[0].singular == "boss"


def test_known_properties_have_adjectives_and_own_words() -> None:
    found = property_words("Product", "unitPrice", ValueType.FLOAT, [1.5], ())
    assert found.nouns[0].singular == "unit price"
    assert "most expensive" in found.adjectives[0]


def test_years_are_recognised_by_name_and_values() -> None:
    assert property_words("Person", "born", ValueType.INTEGER, [1950, 1961], ()).is_year
    assert not property_words("Person", "born", ValueType.INTEGER, [3, 12], ()).is_year


def test_dates_are_spoken_of_by_their_events() -> None:
    found = property_words("Parcel", "handed_over", ValueType.DATE, [], ())
    assert "handed" in found.nouns[0].singular
    found = property_words("Parcel", "shippedDate", ValueType.DATE, [], ())
    assert found.events[0].finite(many=False) == "was shipped"


def test_numbers_stored_as_text_become_numbers() -> None:
    price = PropertySchema(frozenset({ValueType.STRING}), ValueType.FLOAT, 5, 1.0, ("9.50", "NULL", "12"))
    schema = GraphSchema({"Product": KindSchema(5, {"price": price})}, {"NEXT": RelationshipSchema(1, frozenset())})
    assert worded(schema, {}, {}).values["Product", "price"] == [9.5, 12.0]


def test_texts_that_no_question_can_state_are_left_out() -> None:
    name = PropertySchema(
        frozenset({ValueType.STRING}), ValueType.STRING, 5, 1.0, ("two  spaces", "x" * 90, "(?)", "Fine")
    )
    schema = GraphSchema({"Product": KindSchema(5, {"name": name}, "name")}, {})
    assert worded(schema, {}, {}).values["Product", "name"] == ["Fine"]
