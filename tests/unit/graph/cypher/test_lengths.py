"""Relationships of variable length become patterns of each length."""

import pytest

from graph.cypher.reader import read_cypher
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import (
    Column,
    Comparison,
    CountMatches,
    Match,
    NodePattern,
    Plan,
    Project,
    RelationshipPattern,
    Union,
    Variable,
)
from graph.plan.traversal import walk

_ENDS = (NodePattern("a"), NodePattern("b"))
_RETURN = Project((Column("x", Variable("b")),))
_BOTH = Project((Column("a", Variable("a")), Column("b", Variable("b"))))


def _link(source: str, target: str) -> RelationshipPattern:
    return RelationshipPattern(source, target, ("R",))


_ONE = Match(_ENDS, (_link("a", "b"),))
_TWO = Match((*_ENDS, NodePattern("_node1")), (_link("a", "_node1"), _link("_node1", "b")))
_NONE = Match(_ENDS, (), Comparison("=", Variable("a"), Variable("b")))


@pytest.mark.parametrize(
    ("hops", "matches"),
    [("*1..2", [_ONE, _TWO]), ("*..2", [_ONE, _TWO]), ("*0..1", [_NONE, _ONE])],
)
def test_each_length_is_a_plan_of_a_concatenation(hops: str, matches: list[Match]) -> None:
    plans = tuple(Plan((match, _BOTH)) for match in matches)
    expected = Plan((Union(plans, distinct=False), _RETURN))

    assert read_cypher(f"MATCH (a)-[:R{hops}]->(b) RETURN b AS x") == expected


def test_one_length_is_one_pattern() -> None:
    assert read_cypher("MATCH (a)-[:R*2]->(b) RETURN b AS x") == Plan((_TWO, _RETURN))
    assert read_cypher("MATCH (a)-[:R*2..2]->(b) RETURN b AS x") == Plan((_TWO, _RETURN))


def test_earlier_clauses_are_part_of_each_plan() -> None:
    [union, _] = read_cypher("MATCH (a:A) MATCH (a)-[:R*1..2]->(b) RETURN b AS x").steps

    assert isinstance(union, Union)
    assert all(plan.steps[0] == Match((NodePattern("a", ("A",)),)) for plan in union.plans)


def test_lengths_combine() -> None:
    plan = read_cypher("RETURN COUNT { (a)-[:R*1..2]->(b)-[:R*0..2]->(c) } AS n")

    assert sum(isinstance(part, CountMatches) for part in walk(plan)) == 6


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(a)-[:R*]->(b)", "without an upper bound"),
        ("(a)-[:R*2..]->(b)", "without an upper bound"),
        ("(a)-[r:R*1..2]->(b)", "with a name or properties"),
        ("(a)-[:R*1..2 {x: 1}]->(b)", "with a name or properties"),
        ("(a)-[:R*3..1]->(b)", "more than 6 lengths"),
        ("(a)-[:R*1..7]->(b)", "more than 6 lengths"),
        ("(a)-[:R*1..3]->(b)-[:R*1..3]->(c)", "more than 6 combinations"),
        ("(a)-[:R*1..6]-()" + "-[:R*1..6]-()" * 40, "more than 6 combinations"),
        ("(a)-[:R*9]->(b)", "the pattern is too large"),
        ("(a)-[:R*4..9]->(b)", "the pattern is too large"),
        ("(a)-[:R*999999999999999]->(b)", "the pattern is too large"),
        ("(a)-[:R*5]->(b)-[:R*5]->(c)", "the pattern is too large"),
        ("(a)-[:R*5]-(b)", "too many relationships of direction both"),
    ],
)
def test_what_has_no_plan_is_refused(pattern: str, problem: str) -> None:
    with pytest.raises(UnsupportedCypherError, match=problem):
        read_cypher(f"MATCH {pattern} RETURN b")


def test_an_optional_pattern_has_one_length() -> None:
    with pytest.raises(UnsupportedCypherError, match="OPTIONAL MATCH of relationships of variable length"):
        read_cypher("MATCH (a) OPTIONAL MATCH (a)-[:R*1..2]->(b) RETURN b")
