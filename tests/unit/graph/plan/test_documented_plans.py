"""`docs/reference/query-plans.md` has enough to write a plan as JSON."""

import json
import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_args

import pytest

from graph.plan import algebra
from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Branch,
    Column,
    Function,
    NodePattern,
    RelationshipPattern,
    SortKey,
)
from graph.plan.checks import check_plan, read_plan, write_plan
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.traversal import walk
from graph.plan.values import ValueType

PAGE = (Path(__file__).parents[4] / "docs/reference/query-plans.md").read_text(encoding="utf-8")
EXAMPLES = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
_TABLES = PAGE.split("## Plans as JSON")[1].split("### Examples")[0]
_OPERATORS = [*get_args(get_args(algebra.Expression)[0]), *get_args(get_args(algebra.Step)[0])]
_BY_OP = {one.__dataclass_fields__["op"].default: one for one in _OPERATORS}
_OBJECTS = {
    "node": NodePattern,
    "relationship": RelationshipPattern,
    "column": Column,
    "aggregate": Aggregate,
    "sort key": SortKey,
    "branch": Branch,
}


def _property(type_: ValueType) -> PropertySchema:
    return PropertySchema(frozenset({type_}), type_)


_TEXT = _property(ValueType.STRING)
_COUNTRY = {
    "name": _TEXT,
    "continent": _TEXT,
    "population": _property(ValueType.INTEGER),
    "area": _property(ValueType.FLOAT),
    "founded": _property(ValueType.DATE),
}
_BORDERS = RelationshipSchema(1, frozenset({("Country", "Country")}), {"length": _property(ValueType.FLOAT)})
_CAPITAL = RelationshipSchema(1, frozenset({("Country", "City")}))
SCHEMA = GraphSchema(
    {"Country": KindSchema(1, _COUNTRY, "name"), "City": KindSchema(1, {"name": _TEXT}, "name")},
    {"borders": _BORDERS, "capital": _CAPITAL},
)


@pytest.mark.parametrize("place", range(len(EXAMPLES)))
def test_every_example_is_a_valid_plan(place: int) -> None:
    plan = read_plan(EXAMPLES[place])

    check_plan(plan, SCHEMA, strict=True)
    assert read_plan(write_plan(plan)) == plan


def test_the_examples_use_every_operator() -> None:
    used = {getattr(part, "op", None) for example in EXAMPLES for part in walk(read_plan(example))}

    assert used >= set(_BY_OP)


def test_the_tables_have_every_field_with_its_default() -> None:
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", _TABLES, re.MULTILINE)
    tables = {name: text for names, text in rows for name in re.findall(r"`(\w+)`", names) or [names]}

    for name, one in {**_BY_OP, **_OBJECTS}.items():
        documented = {match[1]: match[2] for match in re.finditer(r"`\[?(\w+)(?: = (.+?)\])?`", tables[name])}
        known = {field.name: _default(field.default) for field in fields(one) if field.name != "op"}
        assert {field: documented.get(field, "absent") for field in known} == known, name


def _default(value: Any) -> str | None:
    if value is MISSING:
        return None
    return "[]" if value == () else json.dumps(value)


@pytest.mark.parametrize("name", [*Function, *AggregateFunction])
def test_every_function_is_documented(name: str) -> None:
    assert f"`{name}`" in PAGE
