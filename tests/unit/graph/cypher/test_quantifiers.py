"""Quantifiers over lists are conditions without a loop where possible, and comprehensions are loops."""

from typing import Any

import pytest

from graph.cypher.reader import read_cypher
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import (
    And,
    Call,
    CollectMatches,
    Comparison,
    Comprehension,
    Constant,
    CountMatches,
    Expression,
    Function,
    ListOf,
    Match,
    NodePattern,
    Not,
    Or,
    Project,
    Property,
    Quantifier,
    RelationshipPattern,
    Variable,
)

_TAGS, _AGE, _RANK = (Property("p", key, as_stored=True) for key in ("tags", "age", "rank"))


def _read(expression: str) -> Expression:
    project = read_cypher(f"MATCH (p) RETURN {expression} AS x").steps[-1]
    assert isinstance(project, Project)
    return project.columns[0].value


def _in(value: Expression) -> Comparison:
    return Comparison("in", value, _TAGS)


def _above(value: Expression) -> Comparison:
    return Comparison(">", value, Constant(1))


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("any(x IN p.tags WHERE x = 'a')", _in(Constant("a"))),
        ("any(x IN p.tags WHERE p.age = x)", _in(_AGE)),
        ("any(x IN p.tags WHERE x IN ['a', 'b'])", Or((_in(Constant("a")), _in(Constant("b"))))),
        ("none(x IN p.tags WHERE x = 'a')", Not(_in(Constant("a")))),
        ("all(x IN p.tags WHERE x <> 'a')", Not(_in(Constant("a")))),
        ("any(x IN [p.age, p.rank] WHERE x > 1)", Or((_above(_AGE), _above(_RANK)))),
        ("all(x IN [p.age, p.rank] WHERE x > 1)", And((_above(_AGE), _above(_RANK)))),
        ("none(x IN [p.age] WHERE x > 1)", Not(Or((_above(_AGE),)))),
        ("any(x IN [] WHERE x > 1)", Constant(False)),
        ("all(x IN [] WHERE x > 1)", Constant(True)),
        ("any(p IN [p.age] WHERE p > 1)", Or((_above(_AGE),))),
    ],
)
def test_quantifiers(text: str, expression: Expression) -> None:
    assert _read(text) == expression


def _loop(quantifier: Any, condition: Expression, items: Expression = _TAGS) -> Quantifier:
    return Quantifier(quantifier, "_item1", items, condition)


_ITEM, _ONE = Variable("_item1"), Constant(1)


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("any(x IN p.tags WHERE x > 1)", _loop("any", Comparison(">", _ITEM, _ONE))),
        ("any(x IN p.tags WHERE x <> 1)", _loop("any", Comparison("!=", _ITEM, _ONE))),
        ("all(x IN p.tags WHERE x = 1)", _loop("all", Comparison("=", _ITEM, _ONE))),
        ("none(x IN p.tags WHERE x = x)", _loop("none", Comparison("=", _ITEM, _ITEM))),
        ("single(x IN [1] WHERE x = 1)", _loop("single", Comparison("=", _ITEM, _ONE), Constant((1,)))),
        (
            "any(x IN p.tags WHERE all(y IN x WHERE y = x))",
            _loop("any", Quantifier("all", "_item2", _ITEM, Comparison("=", Variable("_item2"), _ITEM))),
        ),
        ("any(p IN p.tags WHERE p > 1)", _loop("any", Comparison(">", _ITEM, _ONE))),
    ],
)
def test_other_quantifiers_are_loops(text: str, expression: Expression) -> None:
    assert _read(text) == expression


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("[x IN p.tags]", Comprehension("_item1", _TAGS)),
        ("[x IN p.tags WHERE x > 1]", Comprehension("_item1", _TAGS, Comparison(">", _ITEM, _ONE))),
        ("[x IN p.tags | x]", Comprehension("_item1", _TAGS, None, _ITEM)),
        ("[_item1 IN p.tags | _item1]", Comprehension("__item1", _TAGS, None, Variable("__item1"))),
        ("[x IN p.tags | x.year]", Comprehension("_item1", _TAGS, None, Call(Function.YEAR, (_ITEM,)))),
        ("[x IN p.tags][0]", Call(Function.FIRST, (Comprehension("_item1", _TAGS),))),
        ("[(x IN p.tags)]", ListOf((Comparison("in", Variable("x"), _TAGS),))),
    ],
)
def test_comprehensions(text: str, expression: Expression) -> None:
    assert _read(text) == expression


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("filter(x IN p.tags WHERE x = 1)", r"function filter\(\) with WHERE"),
        ("any(1 IN p.tags WHERE true)", r"function any\(\) with WHERE"),
        ("[p.age WHERE p.age > 1]", "a list with WHERE"),
        ("[(p)-[*1..2]->(q) | q.age]", "a list with \\| must begin with"),
    ],
)
def test_what_is_no_loop_over_a_list_is_refused(text: str, problem: str) -> None:
    with pytest.raises(UnsupportedCypherError, match=problem):
        _read(text)


def test_a_pattern_comprehension_collects_values() -> None:
    match = Match((NodePattern("p"), NodePattern("q")), (RelationshipPattern("p", "q", ("R",)),))

    assert _read("[(p)-[:R]->(q) | q.age]") == CollectMatches(match, Property("q", "age", as_stored=True))


def test_the_size_of_a_pattern_comprehension_counts_matches() -> None:
    condition = _above(Property("q", "age", as_stored=True))
    match = Match((NodePattern("p"), NodePattern("q")), (RelationshipPattern("p", "q", ("R",)),), condition)

    assert _read("size([(p)-[:R]->(q) WHERE q.age > 1 | q.name])") == CountMatches(match)
