from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType
from services.retriever.plans.schema.schema_elements import SchemaElements

_NAME = PropertySchema(frozenset({ValueType.STRING}), ValueType.STRING)
_NUMBER = PropertySchema(frozenset({ValueType.INTEGER}), ValueType.INTEGER)
_COUNTRY = KindSchema(2, {"name": _NAME, "population": _NUMBER}, "name")
_RELATIONSHIPS = {
    "population": RelationshipSchema(2, frozenset({("Country", "")})),
    "borders": RelationshipSchema(2, frozenset({("Country", "Country")})),
}


def test_values_that_are_also_nodes_are_listed_as_properties_only() -> None:
    schema = GraphSchema({"Country": _COUNTRY, "": KindSchema(2, {"name": _NAME}, "name")}, _RELATIONSHIPS)

    elements = SchemaElements.of(schema)

    assert elements.kinds == ("Country",)
    assert [one.type for one in elements.connections] == ["borders"]
    assert [one.key for one in elements.properties] == ["name", "population"]


def test_nodes_without_a_kind_are_listed_if_they_have_properties() -> None:
    schema = GraphSchema({"Country": _COUNTRY, "": KindSchema(2, {"size": _NUMBER})}, _RELATIONSHIPS)

    elements = SchemaElements.of(schema)

    assert elements.kinds == ("", "Country")
    assert [one.type for one in elements.connections] == ["borders", "population"]


def test_a_graph_without_kinds_keeps_its_nodes() -> None:
    schema = GraphSchema({"": KindSchema(4, {"name": _NAME}, "name")}, {"borders": RelationshipSchema(2, frozenset())})

    elements = SchemaElements.of(schema)

    assert elements.kinds == ("",)
    assert [one.type for one in elements.connections] == ["borders"]
