"""Malformed plans are rejected with a message that says what is wrong and what to do."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.plan.checks import check_plan, read_plan, write_plan
from graph.plan.schema import GraphSchema
from graph.sqlite.store import SqliteGraphStore
from shared.errors import InvalidInputError
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
    ([], "plan: expected a JSON object, found an array"),
    ({}, "steps: Field required"),
    ({"steps": []}, "steps: expected at least 1 item, found 0"),
    ({"steps": [{}]}, "steps.0: the field 'op' is missing"),
    ({"steps": [{"op": "delete"}]}, "steps.0: unknown op 'delete'; expected one of 'match', 'filter'"),
    ({"steps": [{"op": "match"}]}, "steps.0.nodes: Field required"),
    ({"steps": [_match()]}, "steps.0.nodes: expected at least 1 item, found 0"),
    ({"steps": [_match("Product", were=1)]}, "steps.0.were: unknown field"),
    ({"steps": [PRODUCTS], "limit": 1}, "limit: unknown field"),
    ({"steps": [PRODUCTS, {"op": "slice", "limit": -1}]}, "limit: Input should be greater than or equal to 0"),
    ({"steps": [PRODUCTS, {"op": "slice", "limit": 1, "offset": -1}]}, "offset: Input should be greater than or equal"),
    ({"steps": [PRODUCTS, {"op": "slice", "limit": "five"}]}, "limit: Input should be a valid integer"),
    ({"steps": [{"op": "match", "nodes": "a"}]}, "steps.0.nodes: expected an array"),
    ({"steps": [{"op": "match", "nodes": [{"variable": ""}]}]}, "nodes.0.variable: String should have at least 1"),
    ({"steps": [_match("", "", relationships=[_link(variable="")])]}, "variable: String should have at least 1"),
    (
        {"steps": [{"op": "project", "columns": [{"name": "", "value": _constant(1)}]}]},
        "columns.0.name: String should have at least 1",
    ),
    ({"steps": [{"op": "match", "nodes": [{"variable": 7}]}]}, "nodes.0.variable: Input should be a valid string"),
    ({"steps": [_match("A", "B", relationships=[_link(direction="in")])]}, "Input should be 'out' or 'both'"),
    ({"steps": [_filter({"op": "and", "conditions": []})]}, "condition.conditions: expected at least 1 item, found 0"),
    ({"steps": [_filter(_compare("~", _constant(1), _constant(1)))]}, "operator: Input should be '=', '!='"),
    ({"steps": [_project(_call("sqrt", _constant(1)))]}, "value.function: Input should be 'lower', 'upper'"),
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
    ([_match("Prodct")], "unknown kind 'Prodct'; did you mean 'Product'?"),
    ([_match("Zebra")], "unknown kind 'Zebra'"),
    ([{"op": "match", "nodes": [{"variable": "a", "kinds": [""]}]}], "unknown kind ''"),
    ([_match("Order", "", relationships=[_link("a", "b", "CONTAIN")])], "type 'CONTAIN'; did you mean 'CONTAINS'?"),
    ([PRODUCTS, _project(_property("titel"))], "unknown property 'titel'; did you mean 'title'?"),
    ([ORDERS, _project(_property("quantty", "r"))], "unknown property 'quantty'; did you mean 'quantity'?"),
    ([ORDERS, _project(_property("title", "r"))], "unknown property 'title'"),
    ([PRODUCTS, _project(_property("titel") | {"as_stored": True})], "unknown property 'titel'; did you mean 'title'?"),
    (
        [PRODUCTS, _filter({"op": "has_kind", "variable": "a", "kind": "Ordr"})],
        "unknown kind 'Ordr'; did you mean 'Order'?",
    ),
    ([PRODUCTS, _project(_variable("b"))], "unknown variable 'b'; the variables here are 'a'"),
    ([ORDERS, _project(_variable("z"))], "unknown variable 'z'; the variables here are 'a', 'b', 'r'"),
    ([_project(_variable("z"))], "unknown variable 'z'; there are no variables here"),
    ([PRODUCTS, _project(_property("title", "b"))], "unknown variable 'b'"),
    ([PRODUCTS, _project(_constant(1)), _project(_variable("a"))], "unknown variable 'a'"),
    ([PRODUCTS, {"op": "slice", "limit": 1, "per": ["b"]}], "unknown variable 'b'"),
    (
        [PRODUCTS, {"op": "project", "columns": [{"name": "x", "value": _constant(1)}] * 2}],
        "two columns are named 'x'",
    ),
    ([PRODUCTS, UNION["other columns"]], "union must be the first step"),
    ([UNION["other columns"]], "the plans of a union need the same columns"),
    ([UNION["nodes and values"]], "union of 'x0' cannot combine nodes, relationships, and values"),
    ([UNION["nothing"], PRODUCTS], "the plans of a union need columns; end them with project or group"),
    ([UNION["bad part"]], "unknown variable 'z'"),
    ([PRODUCTS, _project(_call("lower"))], "lower needs 1 argument, found 0"),
    ([PRODUCTS, _project(_call("left", _constant("a")))], "left needs 2 arguments, found 1"),
    ([PRODUCTS, _project(_call("size", _constant("a"), _constant("b")))], "size needs 1 argument, found 2"),
    ([PRODUCTS, _project(_call("coalesce"))], "coalesce needs an argument"),
    ([PRODUCTS, _project(_call("abs", _call("coalesce")))], "coalesce needs an argument"),
    ([PRODUCTS, _filter(_compare("=", _call("first"), _constant(1)))], "first needs 1 argument, found 0"),
    ([PRODUCTS, _group("sum")], "sum needs a value"),
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
    ([ORDERS, ORDERS], "the variable 'r' exists already; choose a new name"),
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
    ([PRODUCTS, {"op": "order", "keys": [{"value": _variable("z")}]}], "unknown variable 'z'"),
    ([PRODUCTS, _filter({"op": "exists", "match": _match("Prodct")})], "unknown kind 'Prodct'"),
    ([_match("Product", where=_property("z", "b"))], "unknown variable 'b'"),
]


@pytest.mark.parametrize(
    ("steps", "place"),
    [
        ([_match("Prodct")], "steps.0.nodes.0.kinds.0"),
        ([_match("Order", "Product", relationships=[_link("a", "b", "CONTAIN")])], "steps.0.relationships.0.types.0"),
        ([PRODUCTS, _filter(_compare("=", _constant(1), _variable("z")))], "steps.1.condition.right"),
        ([PRODUCTS, _project(_constant(1), _call("abs", _variable("z")))], "steps.1.columns.1.value.arguments.0"),
        ([PRODUCTS, _filter({"op": "exists", "match": _match("Prodct")})], "steps.1.condition.match.nodes.0.kinds.0"),
        ([PRODUCTS, {"op": "slice", "limit": 1, "per": ["a", "b"]}], "steps.1.per.1"),
        ([PRODUCTS, {"op": "order", "keys": [{"value": _variable("z")}]}], "steps.1.keys.0.value"),
        ([UNION["bad part"]], "steps.0.plans.1.steps.0.columns.0.value"),
    ],
)
def test_an_error_names_the_place_in_the_json(steps: list[Json], place: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        check_plan(read_plan({"steps": steps}), _schema())
    assert str(caught.value).startswith(f"{place}: ")


@pytest.mark.parametrize(("steps", "problem"), MEANINGLESS)
def test_meaningless_plan_is_rejected_with_a_hint(steps: list[Json], problem: str) -> None:
    plan = read_plan({"steps": steps})
    with pytest.raises(InvalidInputError) as caught:
        check_plan(plan, _schema(), strict=True)
    assert problem in str(caught.value)


def _arithmetic(operator: str, left: Json, right: Json) -> Json:
    return {"op": "arithmetic", "operator": operator, "left": left, "right": right}


def _not(condition: Json) -> Json:
    return {"op": "not", "condition": condition}


DAY = _constant({"date": "1996-08-01"})
TITLE, PRICE, STOCK, ACTIVE = map(_property, ("title", "price", "stock", "active"))
BAD_TYPES: list[tuple[Json, str]] = [
    (
        _filter(_compare("<", TITLE, _constant(True))),
        "condition: < compares a string with a boolean; use values of the",
    ),
    (_filter(_compare("=", STOCK, _constant("7"))), "condition: = compares a number with a string"),
    (_filter(_compare("<", PRICE, _constant("7"))), "condition: < compares a number with a string"),
    (_filter(_compare("=", PRICE | {"as_stored": True}, _constant(7))), "condition: = compares a string with a number"),
    (_filter(_not(_compare("!=", ACTIVE, _constant(1)))), "condition.condition: != compares a boolean with a number"),
    (
        _filter(_compare(">", DAY, _constant("1996"))),
        """a date with a string; write a date as {"date": "1996-08-01"}""",
    ),
    (
        _filter(_compare(">", DAY, _constant({"datetime": "1996-08-01T00:00:00"}))),
        "a date with a datetime; convert the datetime with to_date",
    ),
    (_filter(_compare("in", TITLE, _constant([1, 2]))), "in looks for a string in a list with a number"),
    (_filter(_compare("in", TITLE, _constant("Product"))), "the right side of in needs a list, found a string"),
    (_filter(_compare("contains", STOCK, _constant("7"))), "contains needs a string, found a number"),
    (_filter(_compare("!=", TITLE, _constant(None))), "'!=' with null is never true; use is_missing"),
    (_filter(TITLE), "filter needs a boolean, found a string"),
    (_filter({"op": "or", "conditions": [ACTIVE, STOCK]}), "condition: or needs a boolean, found a number"),
    (
        _project(_arithmetic("+", DAY, TITLE)),
        "columns.0.value: + needs two numbers, or two strings, found a date and a string",
    ),
    (_project(_arithmetic("-", TITLE, TITLE)), "columns.0.value: - needs two numbers, found a string and a string"),
    (_project(_call("year", TITLE)), "columns.0.value: year needs a date or a datetime, found a string"),
    (_project(_call("abs", _call("size", _constant(7)))), "columns.0.value.arguments.0: size needs a string or a list"),
    (_group("sum", value=TITLE), "aggregates.0: sum needs a number, found a string; use count or collect"),
    (_group("average", value=ACTIVE), "aggregates.0: average needs a number, found a boolean"),
    ({"op": "unnest", "name": "x", "items": TITLE}, "items: unnest needs a list, found a string"),
    (_match("Product", where=STOCK), "where: where needs a boolean, found a number"),
    (
        _filter(_compare(">", TITLE, _constant(10))),
        "> compares a string with a number; convert it with to_float, or set the type of the property in "
        "KGQA_PROPERTY_TYPES",
    ),
    (_filter(_compare("=", STOCK, _constant("7"))), "a number with a string; use values of the same type"),
    (_project(_property("city")), "columns.0.value: no Product has the property 'city'; Customer may have it"),
]


@pytest.mark.parametrize(("step", "problem"), BAD_TYPES)
def test_operations_that_never_give_a_result_are_rejected(step: Json, problem: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        check_plan(read_plan({"steps": [PRODUCTS, step]}), _schema(), strict=True)
    assert str(caught.value).startswith("steps.1.")
    assert problem in str(caught.value)


def test_a_column_has_the_type_of_the_content_that_it_holds() -> None:
    cheap = _filter(_compare("<", _variable("x0"), _constant(20)))

    check_plan(read_plan({"steps": [PRODUCTS, _project(PRICE), cheap]}), _schema(), strict=True)
    with pytest.raises(InvalidInputError, match=r"steps\.2\.condition: < compares a string with a number"):
        check_plan(
            read_plan({"steps": [PRODUCTS, _project(PRICE | {"as_stored": True}), cheap]}), _schema(), strict=True
        )


@pytest.mark.parametrize("right", [1, 0.5, "a", {"date": "2020-01-01"}])
def test_a_property_with_several_types_may_be_compared_with_each(right: Any) -> None:
    condition = _compare("<", _property("value"), _constant(right))

    check_plan(read_plan({"steps": [_match(""), _filter(condition)]}), _schema("messy"), strict=True)


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
