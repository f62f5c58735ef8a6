import json
from dataclasses import replace
from datetime import date

from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.schema_json import schema_as_json
from graph.plan.values import ValueType
from kgqa.schema import describe

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


def test_the_description_of_many_kinds_and_keys_is_short() -> None:
    keys = {f"k{n:04d}": PropertySchema(_TEXT, ValueType.STRING, n) for n in range(1, 1001)}
    kinds = {f"K{n:04d}": KindSchema(n, keys if n == 1000 else {}) for n in range(1, 1001)}
    types = {f"R{n:04d}": RelationshipSchema(n, frozenset({("K0001", "K0002")}), keys) for n in range(1, 1001)}
    lines = list(describe(GraphSchema(kinds, types, tuple(f"K.v{n}" for n in range(1000)))))

    assert len(lines) < 500
    assert max(map(len, lines)) < 300
    assert "K1000: 1,000 nodes, without a property that names them" in lines
    assert "K0001: 1 node, without a property that names them" not in lines
    assert [line for line in lines if "more" in line] == [
        "  ... and 950 more properties; --json shows all",
        "... and 900 more kinds; --json shows all",
        "  ... and 900 more relationship types; --json shows all",
        "  ... and 900 more properties; --json shows all",
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
