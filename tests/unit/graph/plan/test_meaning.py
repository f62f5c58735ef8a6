"""Test what the schema of a graph shows of its meaning."""

from dataclasses import replace

from graph.plan.meaning import Address, described
from graph.plan.schema import GraphSchema, KindSchema, Meaning, PropertySchema, RelationshipSchema
from graph.plan.schema_json import schema_as_json, schema_from_json
from graph.plan.values import ValueType

_TEXT = PropertySchema(frozenset({ValueType.STRING}), ValueType.STRING)
_GRAPH = GraphSchema(
    {
        "Person": KindSchema(2, {"name": _TEXT, "sal": _TEXT}, "name"),
        "Firm": KindSchema(1, {"name": _TEXT, "sal": _TEXT}, "name"),
    },
    {
        "rpts_to": RelationshipSchema(1, frozenset({("Person", "Person")}), {"since": _TEXT}),
        "owns": RelationshipSchema(1, frozenset({("Firm", "Firm"), ("Person", "Firm")})),
        "runs": RelationshipSchema(1, frozenset({("Firm", "Firm")})),
    },
)


def test_without_meanings_a_schema_stays_as_it_is() -> None:
    assert described(_GRAPH, {}) is _GRAPH


def test_what_is_said_of_one_kind_comes_before_what_is_said_in_general() -> None:
    general, own = Meaning(names=("salary",), unit="euros"), Meaning(names=("wages",))

    found = described(_GRAPH, {("properties", "sal"): general, ("kinds", "Person", "properties", "sal"): own})

    assert found.kinds["Person"].properties["sal"].meaning == Meaning(names=("wages",), unit="euros")
    assert found.kinds["Firm"].properties["sal"].meaning == general
    assert found.names_of("sal") == ("wages", "salary")


def test_what_is_hidden_is_left_out_with_what_leads_there() -> None:
    hidden = Meaning(is_hidden=True)

    found = described(
        _GRAPH,
        {
            ("kinds", "Firm"): hidden,
            ("relationships", "rpts_to", "properties", "since"): hidden,
            ("kinds", "Person", "properties", "sal"): hidden,
        },
    )

    assert found.kinds.keys() == {"Person"}
    assert found.kinds["Person"].properties.keys() == {"name"}
    assert found.relationships == {"rpts_to": replace(_GRAPH.relationships["rpts_to"], properties={})}
    assert found.withholds("sal")
    assert described(_GRAPH, {("relationships", "owns"): hidden}).relationships.keys() == {"rpts_to", "runs"}


def test_meanings_are_written_as_json_and_read_again() -> None:
    meanings: dict[Address, Meaning] = {
        ("kinds", "Person"): Meaning(names=("employee",)),
        ("properties", "sal"): Meaning(unit="euros"),
    }
    found = described(_GRAPH, meanings)

    data = schema_as_json(found)

    assert data["kinds"]["Person"]["meaning"] == {"names": ["employee"]}
    assert "meaning" not in data["kinds"]["Firm"]
    assert "meanings" not in data
    assert schema_from_json(data).kinds == found.kinds


def test_a_relation_of_triples_and_its_property_share_their_meaning() -> None:
    triples = GraphSchema(
        {"": KindSchema(3, {"born": _TEXT}, None)},
        {"born": RelationshipSchema(2, frozenset()), "boss": RelationshipSchema(1, frozenset())},
    )

    found = described(triples, {("relationships", "born"): Meaning(names=("birth date",))})

    assert found.kinds[""].properties["born"].names == ("birth date",)
    assert found.relationships["born"].names == ("birth date",)
    assert not found.relationships["boss"].names
