"""Compiled plans are parameterised Cypher with type tests where the schema leaves types open."""

import re
from typing import Any

import pytest

from graph.neo4j.cypher_text import quote
from graph.neo4j.plan_query import compile_plan
from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    Call,
    Column,
    Comparison,
    Comprehension,
    Constant,
    Exists,
    Expression,
    Filter,
    Function,
    Group,
    IsMissing,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Slice,
    SortKey,
    Union,
    Unnest,
    Variable,
)
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType

_TEXT = PropertySchema(frozenset((ValueType.STRING,)), ValueType.STRING)
_YEAR = PropertySchema(frozenset((ValueType.INTEGER,)), ValueType.INTEGER)
_SCHEMA = GraphSchema(
    {"Film": KindSchema(2, {"title": _TEXT, "year": _YEAR})}, {"SEQUEL": RelationshipSchema(1, frozenset())}
)
_FILMS = Match((NodePattern("f", ("Film",)),))
_TITLE, _RELEASED = Property("f", "title"), Property("f", "year")
_BY_ID = "coalesce(`f`.kgqa_place, toInteger(split(elementId(`f`), ':')[2]))"
_SORTED = (f"RETURN `f` ORDER BY {_BY_ID}",)


def _lines(*steps: Any, schema: GraphSchema | None = _SCHEMA) -> list[str]:
    return compile_plan(Plan(steps), schema).text.split("\n")


def _condition(value: Expression, schema: GraphSchema | None = _SCHEMA) -> str:
    pattern, line, *_ = _lines(_FILMS, Filter(value), schema=schema)
    if computed := re.fullmatch(r"WITH \*, (.*) AS (b[0-9]+) WHERE \2", line):
        return computed[1]
    return pattern.removeprefix("MATCH (`f`:`Film`) WHERE ")


@pytest.mark.parametrize(
    "value",
    [
        Arithmetic("*", _RELEASED, _RELEASED),
        Call(Function.TO_INTEGER, (_TITLE,)),
        Call(Function.ABS, (_RELEASED,)),
    ],
)
def test_a_condition_that_may_overflow_is_computed_after_the_conditions_before_it(value: Expression) -> None:
    lines = _lines(_FILMS, Filter(Comparison("=", _TITLE, Constant("a"))), Filter(IsMissing(value)))
    assert lines[0] == "MATCH (`f`:`Film`) WHERE (`f`.`title` = $p0)"
    assert re.fullmatch(r"WITH \*, .+ AS (b[0-9]+) WHERE \1", lines[1])


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ((_FILMS,), ["MATCH (`f`:`Film`)", *_SORTED]),
        (
            (Match((NodePattern("f", ids=("4:x:1",)),)),),
            ["MATCH (`f`) WHERE elementId(`f`) IN $p0", *_SORTED],
        ),
        (
            (_FILMS, Match((NodePattern("f"),), (RelationshipPattern("f", "f", ("A", "B"), "both"),), optional=True)),
            ["MATCH (`f`:`Film`)", "OPTIONAL MATCH (`f`)-[:`A`|`B`]-(`f`)", *_SORTED],
        ),
        (
            (_FILMS, Order((SortKey(_RELEASED, descending=True),)), Slice(3, 1)),
            [
                "MATCH (`f`:`Film`)",
                f"RETURN `f` ORDER BY `f`.`year` IS NULL, `f`.`year` DESC, {_BY_ID} SKIP $p0 LIMIT $p1",
            ],
        ),
        (
            (_FILMS, Group((), (Aggregate("n", AggregateFunction.COUNT),))),
            ["MATCH (`f`:`Film`)", "RETURN count(*) AS `n` ORDER BY `n`"],
        ),
        (
            (_FILMS, Project((Column("t", _TITLE),), distinct=True)),
            ["MATCH (`f`:`Film`)", "RETURN DISTINCT `f`.`title` AS `t` ORDER BY `t`"],
        ),
        (
            (_FILMS, Order((SortKey(_TITLE, missing_first=True),)), Slice(3), Project((Column("t", _TITLE),))),
            [
                "MATCH (`f`:`Film`)",
                f"WITH *, `f`.`title` IS NULL AS s1, `f`.`title` AS s2, {_BY_ID} AS s3 "
                "ORDER BY s1 DESC, s2, s3 LIMIT $p0",
                "RETURN `f`.`title` AS `t` ORDER BY s1 DESC, s2, s3",
            ],
        ),
        (
            (_FILMS, Filter(IsMissing(_TITLE)), Project((Column("f", _TITLE),))),
            [
                "MATCH (`f`:`Film`) WHERE (`f`.`title` IS NULL)",
                "WITH `f`.`title` AS `f`",
                "RETURN `f` ORDER BY `f`",
            ],
        ),
        (
            (Unnest("x", Constant((1, 2))),),
            ["UNWIND $p0 AS `x`", "RETURN `x` ORDER BY `x`"],
        ),
        (
            (Union((Plan((_FILMS,)), Plan((_FILMS,)))),),
            [
                "CALL () {",
                "MATCH (`f`:`Film`)",
                "RETURN `f`",
                "UNION",
                "MATCH (`f`:`Film`)",
                "RETURN `f`",
                "}",
                *_SORTED,
            ],
        ),
    ],
)
def test_steps_become_few_clauses(steps: tuple[Any, ...], expected: list[str]) -> None:
    assert _lines(*steps) == expected


@pytest.mark.parametrize(
    ("value", "parameter"),
    [
        ("'; DROP", "'; DROP"),
        ("` $p1 \\u0027", "` $p1 \\u0027"),
        (7, 7),
        (0.5, 0.5),
        (True, True),
        (None, None),
        (("a", 1), ["a", 1]),
    ],
)
def test_every_constant_is_a_parameter(value: Any, parameter: Any) -> None:
    query = compile_plan(Plan((_FILMS, Filter(Comparison("=", _TITLE, Constant(value))))), _SCHEMA, max_rows=10)
    assert query.text.split("\n")[0] == "MATCH (`f`:`Film`) WHERE (`f`.`title` = $p0)"
    assert query.text.endswith("LIMIT $p1")
    assert query.parameters == {"p0": parameter, "p1": 10}


@pytest.mark.parametrize(
    ("name", "quoted"),
    [
        ("Film", "`Film`"),
        ("two words", "`two words`"),
        ("a`b", "`a``b`"),
        ("a``) DELETE (", "`a````) DELETE (`"),
        ("a\\b", "`a\\u005Cb`"),
        ("a\\u0060b", "`a\\u005Cu0060b`"),
        ("日本", "`日本`"),
        ("'\"", "`'\"`"),
    ],
)
def test_names_are_quoted(name: str, quoted: str) -> None:
    assert quote(name) == quoted
    link = RelationshipPattern(name, name, (name,), variable=name + "r")
    text = compile_plan(Plan((Match((NodePattern(name, (name,)),), (link,)),)), _SCHEMA).text
    assert text.startswith(f"MATCH ({quoted}:{quoted})-[{quote(name + 'r')}:{quoted}]->({quoted})\n")


@pytest.mark.parametrize(
    ("value", "certain", "test"),
    [
        (_TITLE, "null", "IS :: BOOLEAN NOT NULL"),
        (
            Comparison("=", Call(Function.LOWER, (_TITLE,)), _TITLE),
            "(toLower(`f`.`title`) = `f`.`title`)",
            "IS :: STRING",
        ),
        (
            Comparison("=", Call(Function.ABS, (_RELEASED,)), _RELEASED),
            "(abs(`f`.`year`) = `f`.`year`)",
            "IS :: INTEGER NOT NULL",
        ),
        (
            Comparison("<", Arithmetic("-", _RELEASED, _RELEASED), _RELEASED),
            "((`f`.`year` - `f`.`year`) < `f`.`year`)",
            "IS :: FLOAT NOT NULL",
        ),
        (Comparison("=", Call(Function.YEAR, (_TITLE,)), _RELEASED), "(null = `f`.`year`)", "IS :: DATE NOT NULL"),
        (Comparison("<", _TITLE, _TITLE), "(`f`.`title` < `f`.`title`)", "IS :: LIST<ANY> NOT NULL"),
        (
            Comparison("=", _TITLE, _TITLE, ignore_case=True),
            "(toLower(`f`.`title`) = toLower(`f`.`title`))",
            "IS :: STRING",
        ),
        (
            Exists(Match((NodePattern("f"),), where=Comparison("=", Call(Function.SIZE, (_TITLE,)), _RELEASED))),
            "EXISTS { MATCH (`f`) WHERE (size(`f`.`title`) = `f`.`year`) }",
            "IS :: STRING NOT NULL",
        ),
    ],
)
def test_types_are_tested_only_without_a_schema(value: Expression, certain: str, test: str) -> None:
    assert _condition(value) == certain
    assert test in _condition(value, schema=None)


def test_names_of_helpers_hide_no_variable() -> None:
    guard = Comparison("=", Call(Function.ABS, (Property("v1", "x"),)), Constant(1))
    line = _lines(Match((NodePattern("v1"), NodePattern("v3"))), Filter(guard), schema=None)[1]
    assert set(re.findall(r"\[(\w+) IN", line)) == {"v2", "v4"}


_ALL_TITLES = Group((), (Aggregate("xs", AggregateFunction.COLLECT, _TITLE),))


def _over_titles(name: str, value: Expression | None = None) -> Comprehension:
    return Comprehension(name, Variable("xs"), value=value)


def test_loops_within_each_other_visit_a_limited_number_of_items() -> None:
    column = Column("ys", _over_titles("x", _over_titles("y")))
    query = compile_plan(Plan((_FILMS, _ALL_TITLES, Project((column,)))), _SCHEMA)

    sizes = r"toFloat\(size\((v\d)\)\) \* toFloat\(size\((v\d)\)\) > \$maxVisited"
    limit = sizes + r" THEN range\(1, 1, \$zeroStep\) ELSE \2 END"
    assert re.search(limit, query.text)
    assert query.parameters["maxVisited"] == 10_000_000


def test_a_single_loop_has_no_limit() -> None:
    query = compile_plan(Plan((_FILMS, _ALL_TITLES, Project((Column("ys", _over_titles("x")),)))), _SCHEMA)

    assert "[`x` IN `xs`]" in query.text
    assert "maxVisited" not in query.parameters
