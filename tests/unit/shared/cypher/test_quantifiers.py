"""Quantifiers over lists are conditions without a loop, or refused with the reason."""

import pytest

from shared.cypher.reader import read_cypher
from shared.cypher.unsupported import UnsupportedCypherError
from shared.plan.algebra import (
    And,
    Comparison,
    Constant,
    CountMatches,
    Expression,
    Match,
    NodePattern,
    Not,
    Or,
    Project,
    Property,
    RelationshipPattern,
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


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("any(x IN p.tags WHERE x > 1)", r"any\(\) with other conditions than equality"),
        ("any(x IN p.tags WHERE x <> 1)", r"any\(\) with other conditions than equality"),
        ("all(x IN p.tags WHERE x = 1)", r"all\(\) with other conditions than equality"),
        ("any(x IN p.tags WHERE x = x)", r"any\(\) with other conditions than equality"),
        ("single(x IN p.tags WHERE x = 1)", "quantifier expressions are not supported"),
        ("any(x IN [p.age] WHERE x.y = 1)", "a quantifier over properties of expressions"),
        ("size([x IN p.tags | x])", "comprehension expressions are not supported"),
    ],
)
def test_other_quantifiers_are_refused(text: str, problem: str) -> None:
    with pytest.raises(UnsupportedCypherError, match=problem):
        _read(text)


def test_the_size_of_a_pattern_comprehension_counts_matches() -> None:
    condition = _above(Property("q", "age", as_stored=True))
    match = Match((NodePattern("p"), NodePattern("q")), (RelationshipPattern("p", "q", ("R",)),), condition)

    assert _read("size([(p)-[:R]->(q) WHERE q.age > 1 | q.name])") == CountMatches(match)
