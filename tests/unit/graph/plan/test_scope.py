"""A scope knows the variables of each step and the types that an expression can have."""

import pytest

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    Call,
    Column,
    Comparison,
    Constant,
    Expression,
    Function,
    Group,
    ListOf,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    RelationshipType,
    Step,
    Union,
    Unnest,
    Variable,
)
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.scope import ANY, Scope
from graph.plan.values import ValueType


def _property(*types: str) -> PropertySchema:
    return PropertySchema(frozenset(map(ValueType, types)), None)


_SCHEMA = GraphSchema(
    {
        "Film": KindSchema(2, {"title": _property("string"), "year": _property("integer")}),
        "Song": KindSchema(2, {"year": _property("string")}),
    },
    {"IN": RelationshipSchema(2, frozenset(), {"since": _property("integer", "string")})},
)
_MATCH = Match((NodePattern("f", ("Film",)), NodePattern("x")), (RelationshipPattern("f", "x", ("IN",), variable="r"),))


@pytest.mark.parametrize(
    ("expression", "types"),
    [
        (Variable("f"), "node"),
        (Variable("r"), "relationship"),
        (Constant(1), "integer"),
        (Constant(True), "boolean"),
        (Constant(None), ""),
        (Property("f", "title"), "string"),
        (Property("f", "year"), "integer"),
        (Property("x", "year"), "integer string"),
        (Property("r", "since"), "integer string"),
        (Property("x", "nothing"), ""),
        (RelationshipType("r"), "string"),
        (Comparison("=", Constant(1), Constant(2)), "boolean"),
        (ListOf((Constant(1), Constant("a"))), "list"),
        (Call(Function.FIRST, (ListOf((Constant(1), Constant("a"))),)), "integer string"),
        (Call(Function.LAST, (ListOf((Variable("f"),)),)), "node"),
        (Call(Function.COALESCE, (Constant(1), Constant("a"))), "integer string"),
        (Call(Function.ABS, (Constant(1.5),)), "float"),
        (Call(Function.ABS, (Constant("a"),)), ""),
        (Call(Function.YEAR, (Constant("a"),)), "integer"),
        (Call(Function.TO_DATE, (Constant("a"),)), "date"),
        (Call(Function.TAKE, (Constant((1,)), Constant(1))), "list"),
        (Arithmetic("/", Constant(1), Constant(2)), "integer"),
        (Arithmetic("/", Constant(1), Constant(2.0)), "float"),
        (Arithmetic("+", Constant("a"), Constant("b")), "string"),
        (Arithmetic("-", Constant("a"), Constant("b")), ""),
    ],
)
def test_the_types_that_an_expression_can_have(expression: Expression, types: str) -> None:
    assert Scope(_SCHEMA).after(_MATCH).types(expression).names == set(types.split())


def test_without_a_schema_a_property_can_have_any_type() -> None:
    assert Scope(None).after(_MATCH).types(Property("f", "title")) == ANY


@pytest.mark.parametrize(
    ("steps", "variables"),
    [
        ((_MATCH,), {"f": "node", "x": "node", "r": "relationship"}),
        ((_MATCH, Project((Column("t", Property("f", "title")),))), {"t": "string"}),
        (
            (_MATCH, Group((Column("f", Variable("f")),), (Aggregate("n", AggregateFunction.COUNT),))),
            {"f": "node", "n": "integer"},
        ),
        (
            (_MATCH, Group((), (Aggregate("m", AggregateFunction.AVERAGE, Property("f", "year")),))),
            {"m": "float"},
        ),
        (
            (
                _MATCH,
                Group((), (Aggregate("all", AggregateFunction.COLLECT, Variable("f")),)),
                Unnest("one", Variable("all")),
            ),
            {"all": "list", "one": "node"},
        ),
        (
            (
                Union(
                    (
                        Plan((Project((Column("x", Constant(1)),)),)),
                        Plan((Project((Column("x", Constant("a")),)),)),
                    )
                ),
            ),
            {"x": "integer string"},
        ),
    ],
)
def test_the_variables_after_some_steps(steps: tuple[Step, ...], variables: dict[str, str]) -> None:
    found = Scope(_SCHEMA).after_all(Plan(steps)).variables
    assert {name: " ".join(sorted(types.names)) for name, types in found.items()} == variables


@pytest.mark.parametrize("kinds", [("Film", "Song"), ("Song", "Film")])
def test_a_property_of_a_node_with_several_kinds_has_the_types_of_all_of_them(kinds: tuple[str, ...]) -> None:
    scope = Scope(_SCHEMA).after(Match((NodePattern("n", kinds),)))
    assert scope.types(Property("n", "year")).names == {"integer", "string"}
    assert scope.types(Property("n", "title")).names == {"string"}
