"""Plans return maps, collect them, and read their fields; everything else is rejected with its place."""

from typing import Any

import pytest

from graph.plan.checks import check_plan, read_plan
from graph.plan.schema import GraphSchema, KindSchema
from shared.errors import InvalidInputError
from tests.support.plan_json import ascending, call, compare, constant, group, keep, limit, match, order, project

Json = dict[str, Any]

_SCHEMA = GraphSchema({"City": KindSchema(1, {}, None)}, {})
_MAP = {"op": "map", "fields": [{"name": "a", "value": constant(1)}]}
_M = {"op": "variable", "name": "m"}
_START = [match("c:City"), project(m=_MAP)]


def _check(*steps: Json) -> None:
    check_plan(read_plan({"steps": [*_START, *steps]}), _SCHEMA, strict=True)


@pytest.mark.parametrize(
    "step",
    [
        project(x={"op": "field", "map": _M, "key": "a"}),
        project(x={"op": "field", "map": _M, "key": "b"}),
        project(x={"op": "is_missing", "value": _M}),
        group(x=("collect", _M), n=("count", _M)),
        project(x={"op": "map", "fields": [{"name": "m", "value": _M}]}),
        limit(2),
    ],
)
def test_maps_are_returned_collected_and_read(step: Json) -> None:
    _check(step)


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        (keep(compare("=", _M, _M)), r"steps\.2\.condition: = does not apply to maps"),
        (keep(compare("in", _M, {"op": "list", "items": [_M]})), "in does not apply to maps"),
        (project(x=call("lower", _M)), r"steps\.2\.columns\.0\.value: lower does not apply to maps"),
        (project("m", distinct=True), r"steps\.2: distinct does not apply to maps"),
        (group("m"), r"steps\.2: group does not apply to maps"),
        (group(x=("max", _M)), r"steps\.2\.aggregates\.0: max does not apply to maps"),
        (group(x=("collect", _M, True)), "collect does not apply to maps"),
        (order(ascending(_M)), r"steps\.2: order does not apply to maps"),
        (limit(2, per=("m",)), r"steps\.2: per does not apply to maps"),
        (
            project(x={"op": "field", "map": constant(1), "key": "a"}),
            "the field 'a' is read of something that is no map",
        ),
        (project(x={"op": "map", "fields": [*_MAP["fields"], *_MAP["fields"]]}), "two fields are named 'a'"),
    ],
)
def test_other_uses_are_rejected(step: Json, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        _check(step)


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        (
            {"op": "quantifier", "quantifier": "any", "name": "m", "items": constant([1]), "condition": constant(True)},
            "the variable 'm' exists already",
        ),
        (
            {"op": "comprehension", "name": "x", "items": constant([1]), "value": {"op": "variable", "name": "y"}},
            r"columns\.0\.value\.value: unknown variable 'y'; the variables here are 'm', 'x'",
        ),
        (
            {"op": "comprehension", "name": "x", "items": constant(1)},
            "comprehension needs a list, found a number",
        ),
    ],
)
def test_loops_have_variables_of_their_own(expression: Json, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        _check(project(x=expression))


def test_loops_are_not_nested_deeply() -> None:
    nested: Json = constant([1])
    for depth in range(4):
        nested = {"op": "comprehension", "name": f"x{depth}", "items": nested}

    with pytest.raises(InvalidInputError, match="nests loops over lists too deeply; nest at most 3"):
        _check(project(x=nested))
