"""`POST /plan` answers every bad plan with a problem that says what is wrong, where, and what to do."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from services.retriever.app import create_app
from services.retriever.settings import RetrieverSettings
from tests.support.command_line import WORLD
from tests.support.property_graphs import shop_graph, write_graph_file

Json = dict[str, Any]
PRODUCTS: Json = {"op": "match", "nodes": [{"variable": "a", "kinds": ["Product"]}]}
ANYTHING: Json = {"op": "match", "nodes": [{"variable": name} for name in "abcdefghi"]}
COUNT: Json = {"op": "group", "keys": [], "aggregates": [{"name": "n", "function": "count"}]}


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    home = tmp_path_factory.mktemp("home")
    (home / "graphs").mkdir()
    write_graph_file(shop_graph(), home / "graphs" / "shop.sqlite")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("KGQA_HOME", str(home))
        app = create_app(RetrieverSettings(graph="shop", model=WORLD / "retriever"))
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield client


def _plan(*steps: Json, **more: Any) -> str:
    return json.dumps({"plan": {"steps": list(steps)}, **more})


def _match(*kinds: str, **link: Any) -> Json:
    nodes = [{"variable": name, "kinds": [kind]} for name, kind in zip("ab", kinds, strict=False)]
    return {"op": "match", "nodes": nodes, "relationships": [{"source": "a", "target": "b", **link}] if link else []}


def _project(*values: Json) -> Json:
    return {"op": "project", "columns": [{"name": f"x{place}", "value": value} for place, value in enumerate(values)]}


def _constant(value: Any) -> Json:
    return {"op": "constant", "value": value}


def _title(**more: Any) -> Json:
    return {"op": "property", "variable": "a", "key": "title", **more}


def _variable(name: str) -> Json:
    return {"op": "variable", "name": name}


def _filter(operator: str, left: Json, right: Json) -> Json:
    return {"op": "filter", "condition": {"op": "comparison", "operator": operator, "left": left, "right": right}}


def _number(literal: str) -> str:
    return _plan(_project(_constant("NUMBER"))).replace('"NUMBER"', literal)


def _nots(depth: int) -> str:
    return _plan({"op": "filter", "condition": "X"}).replace(
        '"X"', '{"op":"not","condition":' * depth + '{"op":"constant","value":true}' + "}" * depth
    )


def _unions(depth: int) -> Json:
    one = {"steps": [_project(_constant(1))]}
    plan: Json = one
    for _ in range(depth):
        plan = {"steps": [{"op": "union", "plans": [one, plan]}]}
    return plan


def _copies(times: int) -> list[Json]:
    collect = {"name": "x0", "function": "collect", "value": _title()}
    repeated = [_project({"op": "list", "items": [_variable("x0")] * 20})] * times
    return [PRODUCTS, {"op": "group", "keys": [], "aggregates": [collect]}, *repeated]


UNREADABLE = {
    "no body": ("", "body: Field required"),
    "not JSON": ("{", "body: invalid JSON at character 1"),
    "no object": ("[]", "body: expected a JSON object"),
    "null": ('{"plan": null}', "plan: expected a JSON object, found null"),
    "text": ('{"plan": "match"}', "plan: expected a JSON object, found a string"),
    "unknown field": (_plan(PRODUCTS, limit=3), "limit: unknown field; /docs lists the valid ones"),
    "steps in an object": ('{"plan": {"steps": {"0": {}}}}', "plan.steps: expected an array"),
    "no steps": (_plan(), "plan.steps: expected at least 1 item, found 0"),
    "no op": (_plan({}), "plan.steps.0: the field 'op' is missing"),
    "unknown op": (_plan(PRODUCTS, {"op": "count"}), "plan.steps.1: unknown op 'count'; expected one of 'match', "),
    "op in a list": (_plan({"op": ["match"]}), "plan.steps.0: unknown op"),
    "aggregate without group": (_plan(PRODUCTS, _project({"op": "count"})), "value: unknown op 'count'"),
    "unknown field of a step": (_plan(PRODUCTS | {"were": 1}), "plan.steps.0.were: unknown field"),
    "unknown direction": (_plan(_match("Order", "Product", direction="in")), "direction: Input should be 'out' or"),
    "half a character": (
        _plan(PRODUCTS, _filter("=", _title(), _constant("\ud800"))),
        "plan.steps.1.condition.right.value: has an unpaired surrogate",
    ),
    "half a character as direction": (_plan(_match("Order", "Product", direction="\ud800")), "direction: has an"),
    "half a character as field": (_plan(PRODUCTS | {"\ud800": 1}), "plan.steps.0.\\ud800: the name of this field has"),
    "infinite float": (_number("1e400"), "plan.steps.0.columns.0.value.value: must be a finite number"),
    "not a number": (_number("NaN"), "plan.steps.0.columns.0.value.value: must be a finite number"),
    "negative limit": (
        _plan(PRODUCTS, {"op": "slice", "limit": -1}),
        "plan.steps.1.limit: Input should be greater than",
    ),
    "true as limit": (
        _plan(PRODUCTS, {"op": "slice", "limit": True}),
        "plan.steps.1.limit: Input should be a valid integer",
    ),
    "text as limit": (
        _plan(PRODUCTS, {"op": "slice", "limit": "5"}),
        "plan.steps.1.limit: Input should be a valid integer",
    ),
    "text as flag": (_plan(PRODUCTS | {"optional": "yes"}), "plan.steps.0.optional: Input should be a valid boolean"),
    "number as kind": (_plan(PRODUCTS | {"nodes": [{"variable": "a", "kinds": [7]}]}), "kinds.0: Input should be a"),
    "bad date": (_plan(_project(_constant({"date": "10000-01-01"}))), "cannot read '10000-01-01'; write a date such"),
    "object as value": (_plan(_project(_constant({"a": {}}))), "value: a value is a string, number, boolean"),
    "rows as text": (_plan(PRODUCTS, max_rows="10"), "max_rows: Input should be a valid integer"),
    "too many rows": (_plan(PRODUCTS, max_rows=1_000_000), "max_rows: Input should be less than or equal to 10000"),
    "very deep conditions": (_nots(500), "the values are nested too deeply"),
}
MEANINGLESS = {
    "deep conditions": (_nots(100), "the plan is nested too deeply; nest at most 25 parts"),
    "deep unions": (json.dumps({"plan": _unions(150)}), "the plan is nested too deeply; nest at most 25 parts"),
    "many steps": (_plan(PRODUCTS, *[{"op": "slice", "limit": 5}] * 60), "too large; use at most 50 steps"),
    "unknown kind": (_plan(_match("Prodct")), "unknown kind 'Prodct'; did you mean 'Product'?"),
    "long kind": (_plan(_match("K" * 50_000)), "unknown kind 'KKK"),
    "kind with a null character": (_plan(_match("Product\0")), "unknown kind 'Product\\x00'; did you mean 'Product'?"),
    "unknown type": (_plan(_match("Order", "Product", types=["HAS"])), "unknown relationship type 'HAS'"),
    "unknown property": (_plan(PRODUCTS, _project(_title(key="titel"))), "'titel'; did you mean 'title'?"),
    "attribute of Python": (_plan(PRODUCTS, _project(_title(key="__class__"))), "unknown property '__class__'"),
    "unknown variable": (_plan(PRODUCTS, _project(_variable("b"))), "unknown variable 'b'"),
    "list from itself": (_plan(PRODUCTS, {"op": "unnest", "name": "b", "items": _variable("b")}), "variable 'b'"),
    "long integer": (_number("9" * 400), "the integer 9999"),
    "misspelled property, as stored": (_plan(PRODUCTS, _project(_title(key="titel", as_stored=True))), "mean 'title'?"),
    "text below a boolean": (
        _plan(PRODUCTS, _filter("<", _title(), _constant(True))),
        "steps.1.condition: < compares a string with a boolean; use values of the same type",
    ),
    "sum of names": (
        _plan(PRODUCTS, COUNT | {"aggregates": [{"name": "n", "function": "sum", "value": _title()}]}),
        "steps.1.aggregates.0: sum needs a number, found a string; use count or collect",
    ),
    "sum of nodes": (
        _plan(PRODUCTS, COUNT | {"aggregates": [{"name": "n", "function": "sum", "value": _variable("a")}]}),
        "sum does not apply to nodes and relationships; use one of their properties",
    ),
    "union of other columns": (
        _plan({"op": "union", "plans": [{"steps": [PRODUCTS]}, {"steps": [_project(_constant(1))]}]}),
        "the plans of a union need the same columns",
    ),
    "lists of lists of lists": (_plan(*_copies(8)), "the plan repeats lists within lists too often"),
}
TOO_LARGE = {
    "all rows": (_plan(ANYTHING), "the plan returns more than 1,000 rows; add a condition or a limit"),
    "all pairs": (_plan(PRODUCTS, max_rows=3), "the plan returns more than 3 rows; add a condition or a limit"),
    "endless": (_plan(ANYTHING, COUNT), "the plan takes longer than 2 s; start from fewer nodes, or add a condition"),
    "overflow": (
        _plan(_project({"op": "arithmetic", "operator": "*", "left": _constant(2**62), "right": _constant(4)})),
        "a number, text, or list in the plan's result is too large",
    ),
}
REJECTED = {**UNREADABLE, **MEANINGLESS, **TOO_LARGE}


@pytest.mark.parametrize("name", REJECTED)
def test_a_bad_plan_is_rejected_with_the_reason(http: TestClient, name: str) -> None:
    body, words = REJECTED[name]

    reply = http.post("/plan", content=body, headers={"Content-Type": "application/json"})

    assert reply.status_code == 422
    assert reply.headers["Content-Type"] == "application/problem+json"
    problem = reply.json()
    kind = "plan-limit" if name in TOO_LARGE else "invalid-input"
    assert (problem["type"], problem["instance"]) == (f"urn:kgqa:error:{kind}", "/plan")
    assert words in problem["detail"]
    assert "Traceback" not in reply.text
    assert len(problem["detail"]) < 600
    assert http.get("/healthz").status_code == 200


def test_a_pattern_against_the_direction_is_empty_with_a_warning(http: TestClient) -> None:
    body = _plan(_match("Product", "Order", types=["CONTAINS"]), COUNT)

    reply = http.post("/plan", content=body, headers={"Content-Type": "application/json"})

    assert (reply.status_code, reply.json()["rows"]) == (200, [[0]])
    text = "steps.0.relationships.0: no CONTAINS relationship goes from Product to Order; exchange source and target"
    assert reply.json()["warnings"] == [{"kind": "impossible_pattern", "text": f"{text}; the pattern matches nothing"}]


@pytest.mark.parametrize("milliseconds", [1, 100])
def test_a_plan_that_passes_the_deadline_of_the_request_is_late(http: TestClient, milliseconds: int) -> None:
    headers = {"Content-Type": "application/json", "X-Timeout-Ms": str(milliseconds)}

    reply = http.post("/plan", content=_plan(ANYTHING, COUNT), headers=headers)

    assert (reply.status_code, reply.json()["type"]) == (408, "urn:kgqa:error:deadline-exceeded")


@pytest.mark.parametrize("body", [_number("9" * 5000), "[" * 30_000, _nots(1200), '{"plan": "\xff"}'.encode("latin-1")])
def test_a_body_that_cannot_be_read_is_rejected(http: TestClient, body: str | bytes) -> None:
    reply = http.post("/plan", content=body, headers={"Content-Type": "application/json"})

    assert reply.status_code in {400, 422}
    assert "cannot be read" in reply.json()["detail"] or "invalid JSON" in reply.json()["detail"]


ODD = {
    "null characters": _plan(PRODUCTS, _filter("=", _title(), _constant("a\0b"))),
    "a variable in quotes": _plan({"op": "match", "nodes": [{"variable": "a`) DETACH DELETE n //\0"}]}),
    "a limit without a sort": _plan(PRODUCTS, {"op": "slice", "limit": 2}),
    "a long list": _plan(PRODUCTS, _filter("in", _title(key="stock"), _constant(list(range(10_000))))),
    "many conditions": _plan(
        PRODUCTS,
        {
            "op": "filter",
            "condition": {"op": "or", "conditions": [_filter("=", _title(), _title())["condition"]] * 400},
        },
    ),
    "many columns": _plan(PRODUCTS, _project(*[_constant(1)] * 500)),
    "unions": json.dumps({"plan": _unions(8)}),
    "a text as long as it can be": _plan(
        PRODUCTS, _project({"op": "call", "function": "left", "arguments": [_title(), _constant(2**63 - 1)]})
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_plan_is_answered(http: TestClient, name: str) -> None:
    reply = http.post("/plan", content=ODD[name], headers={"Content-Type": "application/json"})

    assert reply.status_code == 200, reply.text
