"""A step that finds paths is checked before it runs, and says what is wrong, and where."""

from dataclasses import replace
from typing import Any

import pytest

from graph.neo4j.plan_query import compile_plan
from graph.plan.algebra import Comparison, Constant, Exists, Match, NodePattern, Plan, Property, ShortestPaths
from graph.plan.checks import check_plan, read_plan, write_plan
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType
from services.retriever.execution.readable import readable
from shared.errors import InvalidInputError

_NAME = PropertySchema(frozenset({ValueType.STRING}), ValueType.STRING)
_SCHEMA = GraphSchema(
    {"Person": KindSchema(3, {"name": _NAME}, "name")},
    {"knows": RelationshipSchema(2, frozenset({("Person", "Person")}))},
)
_ENDS = Match((NodePattern("a"), NodePattern("b")))
_STEP = ShortestPaths("a", "b")
_NAMED = Comparison("=", Property("node", "name"), Constant("Ann"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"source": "x"}, "steps.1.source: unknown variable 'x'"),
        ({"target": "a"}, "steps.1.target: the ends of a path are the same variable"),
        ({"types": ("know",)}, "steps.1.types.0: unknown relationship type 'know'; did you mean 'knows'?"),
        ({"kinds": ("Persn",)}, "steps.1.kinds.0: unknown kind 'Persn'; did you mean 'Person'?"),
        ({"max_length": 7}, "steps.1.max_length: max_length is 7; choose a number from 1 to 6"),
        ({"max_length": 0}, "steps.1.max_length: max_length is 0; choose a number from 1 to 6"),
        ({"limit": 11}, "steps.1.limit: limit is 11; choose a number from 1 to 10"),
        ({"nodes": "a"}, "steps.1.nodes: the variable 'a' exists already"),
        ({"degrees": "rank"}, "steps.1.degrees: the variable 'rank' exists already"),
        ({"node": "b"}, "steps.1.node: the variable 'b' exists already"),
        ({"where": Comparison("=", Property("a", "name"), Constant("Ann"))}, "steps.1.where.left: unknown variable"),
        ({"where": Exists(Match((NodePattern("node"),)))}, "steps.1.where: the condition of a path reads properties"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInputError) as error:
        check_plan(Plan((_ENDS, replace(_STEP, **changes))), _SCHEMA)

    assert said in str(error.value)


def test_the_paths_of_a_row_need_other_names_in_a_second_step() -> None:
    again = replace(_STEP, rank="k", nodes="ns", relationships="rs", degrees="ds")
    check_plan(Plan((_ENDS, _STEP, again)), _SCHEMA)

    with pytest.raises(InvalidInputError, match="exists already"):
        check_plan(Plan((_ENDS, _STEP, _STEP)), _SCHEMA)


def test_a_plan_with_paths_is_written_and_read_as_json() -> None:
    plan = Plan((_ENDS, replace(_STEP, types=("knows",), where=_NAMED)))

    assert read_plan(write_plan(plan)) == plan


def test_a_plan_with_paths_is_written_on_one_line() -> None:
    step = replace(_STEP, types=("knows",), kinds=("Person",), where=_NAMED, max_length=2)

    assert readable(Plan((_ENDS, step))) == (
        'match a, b → 3 shortest paths a -knows*1..2- b through Person where node.name = "Ann"'
    )


def test_cypher_has_a_bound_and_holds_values_as_parameters() -> None:
    step = replace(_STEP, types=("knows",), where=Comparison("=", Property("node", "name"), Constant("x'); DROP")))
    query = compile_plan(Plan((_ENDS, step)), _SCHEMA)

    assert "ALL SHORTEST (`a`) (()-[:`knows`]-(`node`)" in query.text
    assert "){1,4} (`b`)" in query.text
    assert "DROP" not in query.text
    assert "x'); DROP" in query.parameters.values()
