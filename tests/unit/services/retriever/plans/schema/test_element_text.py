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


def _status_text(count: int, distinct: float) -> str:
    status = PropertySchema(frozenset({ValueType.STRING}), ValueType.STRING, count, distinct, ("open", "on hold"))
    return element_texts(SchemaElements.of(GraphSchema({"Job": KindSchema(count, {"st": status})}, {})))[-1]


def test_values_that_are_repeated_show_what_a_property_holds() -> None:
    assert _status_text(200, 0.1) == "job st: open, on hold"
    assert _status_text(12, 0.33) == "job st: open, on hold"


def test_values_that_are_seldom_repeated_are_not_shown() -> None:
    assert _status_text(200, 0.33) == "job st: text"
    assert _status_text(4, 1.0) == "job st: text"
    assert _status_text(0, 1.0) == "job st: text"
