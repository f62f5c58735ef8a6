"""A plan must not build or visit more items of lists than a store can hold, by the counts in the schema."""

import re

import pytest

from graph.cypher.reader import read_cypher
from graph.plan.checks import check_plan
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.size_estimates import TableEstimate
from graph.plan.values import ValueType
from shared.errors import InvalidInputError

_STRING = frozenset((ValueType.STRING,))
_NAMES = PropertySchema(_STRING, ValueType.STRING, 2_000)
SCHEMA = GraphSchema(
    {
        "Person": KindSchema(2_000, {"name": _NAMES, "city": PropertySchema(_STRING, ValueType.STRING, 2_000, 0.01)}),
        "Film": KindSchema(500, {"title": PropertySchema(_STRING, ValueType.STRING, 500)}),
    },
    {"ACTED_IN": RelationshipSchema(6_000, frozenset({("Person", "Film")}))},
)
_ALL = "MATCH (p:Person) WITH collect(p.name) AS xs "
_OF_FILMS = "MATCH (p:Person)-[:ACTED_IN]->(f:Film) WITH f, collect(p.name) AS xs "


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("MATCH (p:Person) RETURN p", 2_000),
        ("MATCH (p:Person), (f:Film) RETURN p, f", 1_000_000),
        ("MATCH (p:Person)-[:ACTED_IN]->(f:Film) RETURN p, f", 6_000),
        ("MATCH (p:Person {city: 'Oslo'})-[:ACTED_IN]->(f:Film) RETURN f", 300),
        ("MATCH (p:Person {name: 'Ada'}) RETURN p", 1),
        ("MATCH (p:Person)-[:ACTED_IN]->(f:Film)<-[:ACTED_IN]-(q:Person) RETURN q", 72_000),
        ("MATCH (p:Person) WITH p LIMIT 0 RETURN count(p) AS n", 1),
        (_ALL + "RETURN xs", 1),
        (_OF_FILMS + "RETURN f, xs", 500),
        ("MATCH (p:Person) RETURN p.city, collect(p) AS ps", 20),
        (_ALL + "UNWIND xs AS x RETURN x", 2_000),
        (_ALL + "UNWIND xs AS x WITH x LIMIT 7 RETURN x", 7),
    ],
)
def test_rows_are_estimated_from_the_counts(query: str, rows: int) -> None:
    assert TableEstimate(SCHEMA).after_all(read_cypher(query)).rows == pytest.approx(rows)


@pytest.mark.parametrize(
    "query",
    [
        _ALL + "RETURN [x IN xs WHERE x STARTS WITH 'A'] AS ys",
        _OF_FILMS + "RETURN f.title, [x IN xs | [y IN xs | x + y]] AS pairs",
        _OF_FILMS + "WHERE all(x IN xs WHERE none(y IN xs WHERE y STARTS WITH x)) RETURN f.title",
        _OF_FILMS + "RETURN collect({film: f.title, people: xs}) AS all",
        "MATCH (p:Person {city: 'Oslo'}) WITH collect(p) AS xs RETURN [x IN xs | [y IN xs | [z IN [1] | z]]] AS l",
        "MATCH (p:Person) WHERE p.name IN ['a', 'b'] OR any(x IN [1, 2, 3] WHERE x > 2) RETURN count(*)",
    ],
)
def test_ordinary_lists_are_allowed(query: str) -> None:
    check_plan(read_cypher(query), SCHEMA)


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        (_ALL + "RETURN [x IN xs | [y IN xs | y]] AS l", "would visit about 4,002,000 items for each row"),
        (_ALL + "RETURN [x IN xs | [y IN xs | [z IN xs | z]]] AS l", "items for each row, more than 1,000,000"),
        (
            _ALL + "WITH [x IN xs | xs] AS ys RETURN size(ys) AS n",
            "the lists in 'ys' would hold about 2,000 times 2,000",
        ),
        (_ALL + "WHERE any(x IN xs WHERE all(y IN xs WHERE x <> y)) RETURN size(xs)", "items for each row"),
        (_ALL + "MATCH (p:Person) RETURN collect(xs) AS l", "would hold about 2,000 times 2,000 items"),
        (
            _ALL + "MATCH (p:Person), (f:Film) RETURN sum(size([x IN xs WHERE x > 'a'])) AS n",
            "would visit about 2,000 items for each of about 1,000,000 rows",
        ),
        (
            "MATCH (p:Person) WITH p LIMIT 300 WITH collect(p) AS xs RETURN [x IN xs | [y IN xs | [z IN xs | z]]] AS l",
            "would visit about 27,090,300 items",
        ),
        (_ALL + "RETURN [x IN xs WHERE x IN xs] AS l", "would visit about 4,002,000 items"),
    ],
)
def test_lists_that_multiply_are_refused(query: str, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(problem)) as refused:
        check_plan(read_cypher(query), SCHEMA)
    assert refused.value.detail.startswith("steps.")
