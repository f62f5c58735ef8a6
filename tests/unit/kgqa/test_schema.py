import json
from dataclasses import replace
from datetime import date

from kgqa.schema import describe, schema_as_json
from shared.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from shared.plan.values import ValueType

_TEXT, _LIST = frozenset({ValueType.STRING}), frozenset({ValueType.LIST})
_SCHEMA = GraphSchema(
    {
        "Order": KindSchema(
            1830,
            {
                "when": PropertySchema(_TEXT, ValueType.DATE, 1830, 0.5, ("1996-08-01", "x" * 50)),
                "odd": PropertySchema(
                    frozenset({ValueType.FLOAT, ValueType.DATE}), None, 2, 1.0, (float("nan"), date(1996, 8, 1))
                ),
            },
            "when",
        ),
        "\x1b[31mred": KindSchema(1, {}),
    },
    {
        "IN": RelationshipSchema(
            7, frozenset({("Order", "Order"), ("Order", "[b]")}), {"roles": PropertySchema(_LIST, ValueType.LIST)}
        )
    },
    ("Order.vector (lists of 768 numbers)",),
)


def test_the_description_is_aligned_and_safe_to_print() -> None:
    assert list(describe(_SCHEMA)) == [
        "Order: 1,830 nodes, named by when",
        "  odd   date or float   2      nan, 1996-08-01",
        f"  when  string -> date  1,830  1996-08-01, {'x' * 29}…",
        "",
        "\\x1b[31mred: 1 node, without a property that names them",
        "",
        "relationships",
        "  (Order)-[IN {roles: list}]->(Order)  7",
        "  (Order)-[IN {roles: list}]->([b])",
        "",
        "left out",
        "  Order.vector (lists of 768 numbers)",
    ]


def test_an_empty_graph_is_described() -> None:
    assert list(describe(GraphSchema({}, {}))) == ["the graph contains no nodes"]


def test_the_json_is_sorted_and_valid() -> None:
    data = json.loads(json.dumps(schema_as_json(_SCHEMA), allow_nan=False))
    assert data["kinds"]["Order"]["properties"]["odd"]["stored"] == ["date", "float"]
    assert data["kinds"]["Order"]["properties"]["odd"]["samples"] == [None, {"date": "1996-08-01"}]
    assert data["relationships"]["IN"]["ends"] == [["Order", "Order"], ["Order", "[b]"]]
    assert data["omitted"] == ["Order.vector (lists of 768 numbers)"]


def test_the_json_does_not_name_hidden_properties() -> None:
    hidden = replace(_SCHEMA, hidden=frozenset({("Order", "ssn")}))
    assert schema_as_json(hidden) == schema_as_json(_SCHEMA)
    assert "hidden" not in schema_as_json(_SCHEMA)
