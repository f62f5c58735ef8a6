"""Operations whose meaning in Cypher depends on types are exact, or refused with the reason."""

import pytest

from graph.cypher.reader import read_cypher
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import (
    Arithmetic,
    Call,
    Comparison,
    Constant,
    Expression,
    Function,
    ListOf,
    Match,
    Project,
    Property,
    Unnest,
    Variable,
)

_AGE = Property("m", "age", as_stored=True)


def _read(expression: str) -> Expression:
    match, project = read_cypher(f"MATCH (m) RETURN {expression} AS x").steps
    assert isinstance(match, Match)
    assert isinstance(project, Project)
    [column] = project.columns
    return column.value


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("'a' + 1", Arithmetic("+", Constant("a"), Call(Function.TO_STRING, (Constant(1),)))),
        ("1 + 'a'", Arithmetic("+", Call(Function.TO_STRING, (Constant(1),)), Constant("a"))),
        ("m.age + 'a'", Arithmetic("+", _AGE, Constant("a"))),
        ("m.age + 1", Arithmetic("+", _AGE, Constant(1))),
        ("m.age IN [1, 2]", Comparison("in", _AGE, Constant((1, 2)))),
        ("m.age IN [1, null]", Comparison("in", _AGE, ListOf((Constant(1), Constant(None))))),
        ("1 IN [m.age]", Comparison("in", Constant(1), ListOf((_AGE,)))),
        ("[m, m]", ListOf((Variable("m"), Variable("m")))),
    ],
)
def test_operands_decide(text: str, expression: Expression) -> None:
    assert _read(text) == expression


def test_a_value_is_unwound_like_a_list_with_one_item() -> None:
    assert read_cypher("UNWIND 5 AS x RETURN x").steps[0] == Unnest("x", ListOf((Constant(5),)))
    assert read_cypher("UNWIND [5] AS x RETURN x").steps[0] == Unnest("x", Constant((5,)))
    assert read_cypher("MATCH (m) UNWIND m.age AS x RETURN x").steps[1] == Unnest("x", _AGE)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[1] + [2]", "concatenation of lists"),
        ("[1] + m.age", "concatenation of lists"),
        ("'a' + 1.5", "conversion of floats to strings"),
        ("'a' + true", "concatenation of a string with anything but strings and integers"),
        ("toString(1.5)", "conversion of floats to strings"),
        ("toString(m.age * 1.5)", "conversion of floats to strings"),
        ("toString(avg(m.age))", "conversion of floats to strings"),
        ("'a' + avg(m.age)", "conversion of floats to strings"),
        ("round(m.age, 2)", r"function round\(\) with 2 arguments"),
        ("trim(m.age, 'x')", r"function trim\(\) with 2 arguments"),
        ("EXISTS { (m)-->(n) WHERE n.x = 'a' + 1.5 }", "conversion of floats to strings"),
    ],
)
def test_what_has_no_equivalent_is_refused(text: str, problem: str) -> None:
    with pytest.raises(UnsupportedCypherError, match=problem):
        _read(text)


def test_the_types_of_variables_are_known_after_with() -> None:
    with pytest.raises(UnsupportedCypherError, match="concatenation of lists"):
        read_cypher("MATCH (m) WITH collect(m.age) AS ages RETURN ages + 1")
    with pytest.raises(UnsupportedCypherError, match="concatenation of lists"):
        read_cypher("MATCH (m) RETURN 1 AS x UNION RETURN [1] + 2 AS x")
