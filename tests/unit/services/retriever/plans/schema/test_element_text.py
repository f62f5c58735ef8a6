from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType
from services.retriever.plans.schema.element_text import element_texts
from services.retriever.plans.schema.schema_elements import SchemaElements

_NAME = PropertySchema(frozenset({ValueType.STRING}), ValueType.STRING)
_DATE = PropertySchema(frozenset({ValueType.DATE}), ValueType.DATE)
_RELATIONSHIPS = {"acct_mgr": RelationshipSchema(2, frozenset({("Client", "Employee")}))}


def _kind_texts(is_inferred: bool) -> list[str]:
    client = KindSchema(2, {"name": _NAME, "since": _DATE}, "name", ("customer",), is_inferred)
    employee = KindSchema(2, {"name": _NAME}, "name", (), is_inferred)
    elements = SchemaElements.of(GraphSchema({"Client": client, "Employee": employee}, _RELATIONSHIPS))
    return element_texts(elements)[:2]


def test_a_given_kind_is_described_by_its_nouns() -> None:
    assert _kind_texts(is_inferred=False) == ["client, customer", "employee"]


def test_an_inferred_kind_is_described_by_its_connections_as_well() -> None:
    assert _kind_texts(is_inferred=True) == [
        "client, customer: account manager, since",
        "employee: client account manager",
    ]
