"""Malformed plans are rejected with a message that says what is wrong and what to do."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.errors import InvalidInputError
from shared.graph.sqlite.store import SqliteGraphStore
from shared.plan.checks import check_plan, read_plan, write_plan
from shared.plan.schema import GraphSchema
from tests.support.property_graphs import GRAPHS, shop_graph, write_graph_file
from tests.support.random_plans import random_plans

Json = dict[str, Any]


@cache
def _schema(name: str = "shop") -> GraphSchema:
    with TemporaryDirectory() as folder:
        write_graph_file(GRAPHS[name](), Path(folder) / "graph.sqlite")
        return SqliteGraphStore(Path(folder) / "graph.sqlite")._plans.schema


def _match(*kinds: str, **more: Any) -> Json:
    nodes = [
        {"variable": name, "kinds": [kind] if kind else []} for name, kind in zip("abcdefghijk", kinds, strict=False)
    ]
    return {"op": "match", "nodes": nodes, **more}


def _link(source: str = "a", target: str = "b", *types: str, **more: Any) -> Json:
    return {"source": source, "target": target, "types": list(types), **more}


def _variable(name: str) -> Json:
    return {"op": "variable", "name": name}


def _constant(value: Any) -> Json:
    return {"op": "constant", "value": value}


def _property(key: str, variable: str = "a") -> Json:
    return {"op": "property", "variable": variable, "key": key}


def _call(function: str, *arguments: Json) -> Json:
    return {"op": "call", "function": function, "arguments": list(arguments)}


def _compare(operator: str, left: Json, right: Json, **more: Any) -> Json:
    return {"op": "comparison", "operator": operator, "left": left, "right": right, **more}


def _list(*items: Json) -> Json:
    return {"op": "list", "items": list(items)}


def _project(*values: Json) -> Json:
    return {"op": "project", "columns": [{"name": f"x{n}", "value": value} for n, value in enumerate(values)]}


def _group(function: str, **more: Any) -> Json:
    return {"op": "group", "keys": [], "aggregates": [{"name": "x", "function": function, **more}]}


def _filter(condition: Json) -> Json:
    return {"op": "filter", "condition": condition}


def _nested(depth: int) -> Json:
    return {"op": "not", "condition": _nested(depth - 1)} if depth else _constant(True)


PRODUCTS, ORDERS = (
    _match("Product"),
    _match("Order", "Product", relationships=[_link("a", "b", "CONTAINS", variable="r")]),
)

UNREADABLE = [
    ([], "plan: Input should be"),
    ({}, "steps: Field required"),
    ({"steps": []}, "steps: expected at least 1 item, found 0"),
    ({"steps": [{}]}, "steps.0: the field 'op' is missing"),
    ({"steps": [{"op": "delete"}]}, "steps.0: unknown op 'delete'; expected one of 'match', 'filter'"),
    ({"steps": [{"op": "match"}]}, "steps.0.match.nodes: Field required"),
    ({"steps": [_match()]}, "steps.0.match.nodes: expected at least 1 item, found 0"),
    ({"steps": [_match("Product", were=1)]}, "steps.0.match.were: Unexpected keyword argument"),
    ({"steps": [PRODUCTS], "limit": 1}, "limit: Unexpected keyword argument"),
    ({"steps": [PRODUCTS, {"op": "slice", "limit": -1}]}, "limit: Input should be greater than or equal to 0"),
    ({"steps": [PRODUCTS, {"op": "slice", "limit": 1, "offset": -1}]}, "offset: Input should be greater than or equal"),
    ({"steps": [PRODUCTS, {"op": "slice", "limit": "five"}]}, "limit: Input should be a valid integer"),
    ({"steps": [{"op": "match", "nodes": "a"}]}, "steps.0.match.nodes: expected an array"),
    ({"steps": [{"op": "match", "nodes": [{"variable": 7}]}]}, "nodes.0.variable: Input should be a valid string"),
    ({"steps": [_match("A", "B", relationships=[_link(direction="in")])]}, "Input should be 'out' or 'both'"),
    ({"steps": [_filter({"op": "and", "conditions": []})]}, "and.conditions: expected at least 1 item, found 0"),
    ({"steps": [_filter(_compare("~", _constant(1), _constant(1)))]}, "operator: Input should be '=', '!='"),
    ({"steps": [_project(_call("sqrt", _constant(1)))]}, "call.function: Input should be 'lower', 'upper'"),
    ({"steps": [_project()]}, "columns: expected at least 1 item, found 0"),
    ({"steps": [{"op": "order", "keys": []}]}, "keys: expected at least 1 item, found 0"),
    ({"steps": [{"op": "union", "plans": [{"steps": [PRODUCTS]}]}]}, "plans: expected at least 2 items, found 1"),
    (
        {"steps": [_project(_constant({"date": "1996-13-01"}))]},
        "value: cannot read '1996-13-01'; write a date such as 1996-08-01",
    ),
    (
        {"steps": [_project(_constant({"date": "yesterday"}))]},
        "cannot read 'yesterday'; write a date such as 1996-08-01",
    ),
    (
        {"steps": [_project(_constant({"datetime": "0001-01-01T00:00:00+14:00"}))]},
        "the datetime is outside of the years 1 to 9999 in UTC",
    ),
    ({"steps": [_project(_constant({"time": "12:00"}))]}, 'a value is a string, number, boolean, null, list, {"date"'),
    ({"steps": [_project(_constant([[1]]))]}, "a list cannot hold another list"),
]


@pytest.mark.parametrize(("data", "problem"), UNREADABLE)
def test_unreadable_plan_is_rejected_with_the_place_of_the_problem(data: object, problem: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        read_plan(data)
    assert str(caught.value).startswith("the plan is malformed: ")
    assert problem in str(caught.value)


UNIONS: dict[str, list[Any]] = {
    "other columns": [{"steps": [_project(_constant(1))]}, {"steps": [_project(_constant(1), _constant(2))]}],
    "nodes and values": [{"steps": [_project(_constant(1))]}, {"steps": [PRODUCTS, _project(_variable("a"))]}],
    "nothing": [{"steps": [_filter(_constant(True))]}] * 2,
    "bad part": [{"steps": [_project(_constant(1))]}, {"steps": [_project(_variable("z"))]}],
}
UNION = {name: {"op": "union", "plans": plans} for name, plans in UNIONS.items()}
MEANINGLESS: list[tuple[list[Json], str]] = [
    ([_match("Prodct")], "step 1 (match): unknown kind 'Prodct'; did you mean 'Product'?"),
    ([_match("Zebra")], "step 1 (match): unknown kind 'Zebra'"),
    ([{"op": "match", "nodes": [{"variable": "a", "kinds": [""]}]}], "step 1 (match): unknown kind ''"),
    ([_match("Order", "", relationships=[_link("a", "b", "CONTAIN")])], "type 'CONTAIN'; did you mean 'CONTAINS'?"),
    ([PRODUCTS, _project(_property("titel"))], "step 2 (project): unknown property 'titel'; did you mean 'title'?"),
    ([ORDERS, _project(_property("quantty", "r"))], "unknown property 'quantty'; did you mean 'quantity'?"),
    ([ORDERS, _project(_property("title", "r"))], "unknown property 'title'"),
    (
        [PRODUCTS, _filter({"op": "has_kind", "variable": "a", "kind": "Ordr"})],
        "step 2 (filter): unknown kind 'Ordr'; did you mean 'Order'?",
    ),
    (
        [_match("Product", "Order", relationships=[_link("a", "b", "CONTAINS")])],
        "no CONTAINS relationship goes from Product to Order; turn the direction round",
    ),
    (
        [_match("Customer", "Product", relationships=[_link("a", "b", "CONTAINS", direction="both")])],
        "no CONTAINS relationship goes from Customer to Product",
    ),
    ([PRODUCTS, _project(_variable("b"))], "step 2 (project): unknown variable 'b'"),
    ([PRODUCTS, _project(_property("title", "b"))], "unknown variable 'b'"),
    ([PRODUCTS, _project(_constant(1)), _project(_variable("a"))], "step 3 (project): unknown variable 'a'"),
    ([PRODUCTS, {"op": "slice", "limit": 1, "per": ["b"]}], "step 2 (slice): unknown variable 'b'"),
    (
        [PRODUCTS, {"op": "project", "columns": [{"name": "x", "value": _constant(1)}] * 2}],
        "two columns are named 'x'",
    ),
    ([PRODUCTS, UNION["other columns"]], "step 2: union must be the first step"),
    ([UNION["other columns"]], "step 1 (union): the plans of a union need the same columns"),
    ([UNION["nodes and values"]], "union of 'x0' cannot combine nodes, relationships, and values"),
    ([UNION["nothing"], PRODUCTS], "the plans of a union need columns; end them with project or group"),
    ([UNION["bad part"]], "step 1, step 1 (project): unknown variable 'z'"),
    ([PRODUCTS, _project(_call("lower"))], "lower needs 1 argument, found 0"),
    ([PRODUCTS, _project(_call("left", _constant("a")))], "left needs 2 arguments, found 1"),
    ([PRODUCTS, _project(_call("size", _constant("a"), _constant("b")))], "size needs 1 argument, found 2"),
    ([PRODUCTS, _project(_call("coalesce"))], "coalesce needs an argument"),
    ([PRODUCTS, _project(_call("abs", _call("coalesce")))], "coalesce needs an argument"),
    ([PRODUCTS, _filter(_compare("=", _call("first"), _constant(1)))], "first needs 1 argument, found 0"),
    ([PRODUCTS, _group("sum")], "step 2 (group): sum needs a value"),
    ([PRODUCTS, _group("count", distinct=True)], "count needs a value"),
    (
        [PRODUCTS, _group("min", value=_variable("a"))],
        "min does not apply to nodes and relationships; use one of their",
    ),
    ([ORDERS, _group("sum", value=_variable("r"))], "sum does not apply to nodes and relationships"),
    ([PRODUCTS, {"op": "group", "keys": [], "aggregates": []}, PRODUCTS], "group needs keys or aggregates"),
    ([ORDERS, _filter(_compare("<", _variable("a"), _variable("b")))], "< does not apply to nodes and relationships"),
    (
        [ORDERS, _filter(_compare("=", _variable("a"), _constant(1)))],
        "= cannot combine nodes, relationships, and values",
    ),
    ([ORDERS, _filter(_compare("=", _variable("a"), _variable("r")))], "= cannot combine nodes, relationships"),
    ([ORDERS, _filter(_compare("contains", _variable("a"), _constant("x")))], "contains does not apply to nodes"),
    (
        [ORDERS, _project({"op": "arithmetic", "operator": "+", "left": _variable("a"), "right": _constant(1)})],
        "+ does not apply to nodes and relationships",
    ),
    ([PRODUCTS, _project(_call("lower", _variable("a")))], "lower does not apply to nodes and relationships"),
    ([PRODUCTS, _project(_call("coalesce", _variable("a"), _constant(1)))], "coalesce cannot combine nodes"),
    (
        [PRODUCTS, _project(_list(_variable("a"), _constant(1)))],
        "a list cannot combine nodes, relationships, and values",
    ),
    ([PRODUCTS, _project(_constant([1, None]))], "a list cannot hold null or another list"),
    ([PRODUCTS, _project(_constant(2**63))], "the integer 9223372036854775808 needs more than 64 bits"),
    ([PRODUCTS, _project(_constant([-(2**63) - 1]))], "the integer -9223372036854775809 needs more than 64 bits"),
    ([PRODUCTS, _project(_constant(float("inf")))], "the float inf is not finite"),
    ([PRODUCTS, _project(_constant([float("nan")]))], "the float nan is not finite"),
    ([PRODUCTS, _project(_constant("\ud800"))], "the plan has text with an unpaired surrogate"),
    ([PRODUCTS, {"op": "slice", "limit": 1_000_001}], "limit and offset are at most 1,000,000"),
    ([PRODUCTS, {"op": "slice", "limit": 1, "offset": 1_000_001}], "limit and offset are at most 1,000,000"),
    ([PRODUCTS] * 51, "the plan is too large; use at most 50 steps and 2,000 parts"),
    ([_project(*[_constant(1)] * 1000)], "the plan is too large; use at most 50 steps and 2,000 parts"),
    ([_filter(_nested(25))], "the plan is nested too deeply; nest at most 25 parts"),
    ([_filter(_constant(True))], "the plan returns no columns; end it with project or group"),
    ([_match(*[""] * 11)], "the pattern is too large; use at most 8 relationships between as many nodes"),
    ([_match("", "", relationships=[_link()] * 9)], "the pattern is too large; use at most 8 relationships"),
    (
        [_match("", "", relationships=[_link(direction="both")] * 5)],
        "too many relationships of direction both; use at most 4",
    ),
    (
        [{"op": "match", "nodes": [{"variable": "a", "kinds": ["Product"] * 4}]}],
        "a node has too many kinds; use at most 3",
    ),
    ([_match("Order", relationships=[_link("a", "b")])], "'b' is not among the nodes"),
    ([_match("", "", relationships=[_link(variable="r")] * 2)], "two relationships have the same variable"),
    ([_match("", "", relationships=[_link(variable="a")])], "the variable 'a' exists already; choose a new name"),
    ([ORDERS, ORDERS], "step 2 (match): the variable 'r' exists already; choose a new name"),
    (
        [PRODUCTS, {"op": "unnest", "name": "a", "items": _constant([1])}],
        "the variable 'a' exists already; choose a new",
    ),
    ([_project(_constant(1)), {"op": "match", "nodes": [{"variable": "x0"}]}], "'x0' is not a node"),
    ([_project(_constant(None)), {"op": "match", "nodes": [{"variable": "x0"}]}], "'x0' is not a node"),
    ([_project(_constant(1)), _project(_property("title", "x0"))], "'x0' is not a node or relationship"),
    ([PRODUCTS, _project({"op": "relationship_type", "variable": "a"})], "'a' is not a relationship"),
    ([ORDERS, _filter({"op": "has_kind", "variable": "r", "kind": "Order"})], "'r' is not a node"),
    (
        [PRODUCTS, _filter(_compare("<", _property("title"), _constant("a"), ignore_case=True))],
        "ignore_case does not apply to '<'",
    ),
    ([PRODUCTS, {"op": "order", "keys": [{"value": _variable("z")}]}], "step 2 (order): unknown variable 'z'"),
    ([PRODUCTS, _filter({"op": "exists", "match": _match("Prodct")})], "step 2 (filter): unknown kind 'Prodct'"),
    ([_match("Product", where=_property("z", "b"))], "step 1 (match): unknown variable 'b'"),
]


@pytest.mark.parametrize(("steps", "problem"), MEANINGLESS)
def test_meaningless_plan_is_rejected_with_a_hint(steps: list[Json], problem: str) -> None:
    plan = read_plan({"steps": steps})
    with pytest.raises(InvalidInputError) as caught:
        check_plan(plan, _schema())
    assert problem in str(caught.value)


def test_too_many_concatenations_are_rejected() -> None:
    text = {"op": "arithmetic", "operator": "+", "left": _constant("a"), "right": _constant("b")}
    with pytest.raises(InvalidInputError, match="the plan has too many '\\+' operators; use at most 12"):
        check_plan(read_plan({"steps": [_project(*[text] * 13)]}), _schema())


VALID = [
    [ORDERS, _project(_call("coalesce", _variable("a"), _variable("b")))],
    [ORDERS, _filter(_compare("!=", _variable("a"), _variable("b")))],
    [PRODUCTS, _group("count")],
    [PRODUCTS, _group("collect", value=_variable("a"))],
    [_match("Product", "Order", relationships=[_link("a", "b", "CONTAINS", direction="both")])],
    [UNION["nodes and values"]["plans"][1]["steps"][0]],
    [PRODUCTS, PRODUCTS],
]


@pytest.mark.parametrize("steps", VALID)
def test_valid_plan_is_accepted(steps: list[Json]) -> None:
    check_plan(read_plan({"steps": steps}), _schema())


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_written_plan_can_be_read_again(data: st.DataObject) -> None:
    plan = data.draw(random_plans(shop_graph(), _schema()))
    assert read_plan(write_plan(plan)) == plan
