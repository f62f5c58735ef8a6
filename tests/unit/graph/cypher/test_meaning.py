"""Plans that are read from Cypher return the rows that Neo4j returns for the query."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graph.cypher.reader import read_cypher
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import Column, Constant, Project
from graph.sqlite.store import SqliteGraphStore
from shared.errors import InvalidInputError
from tests.support.property_graphs import write_graph_file
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship, evaluate

_PEOPLE = (
    ({"Pilot"}, {"name": "Una", "age": 61, "rank": 1}),
    ({"Pilot", "Cook"}, {"name": "Ben", "age": 38, "rank": 2}),
    ({"Cook"}, {"name": "Cleo", "age": 27}),
    ({"Guest"}, {"name": "Dag", "age": 44, "rank": 3}),
)
_GRAPH = PropertyGraph(
    tuple(Node(place, frozenset(kinds), properties) for place, (kinds, properties) in enumerate(_PEOPLE)),
    (Relationship(0, "KNOWS", 0, 1), Relationship(1, "KNOWS", 1, 2), Relationship(2, "KNOWS", 3, 0)),
)


class _Graph:
    def __init__(self, file: Path) -> None:
        write_graph_file(_GRAPH, file)
        self._store = SqliteGraphStore(file)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query, which a graph file and the reference evaluator share."""
        plan = read_cypher(query)
        rows = list(asyncio.run(self._store.run(plan, 1_000)).rows)
        assert rows == evaluate(plan, _GRAPH).rows
        return rows


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Graph]:
    yield _Graph(tmp_path_factory.mktemp("graph") / "people.sqlite")


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (":Pilot&Cook", ["Ben"]),
        (":Pilot:Cook", ["Ben"]),
        (":Pilot|Cook", ["Ben", "Cleo", "Una"]),
        (":Pilot&Cook|Guest", ["Ben", "Dag"]),
        (":Guest|Pilot&Cook", ["Ben", "Dag"]),
        (":(Guest|Pilot)&Cook", ["Ben"]),
        (":Pilot&!Cook", ["Una"]),
        (":!(Pilot|Cook)", ["Dag"]),
        (":!Pilot&!Guest", ["Cleo"]),
    ],
)
def test_labels_mean_the_same_in_patterns_and_conditions(graph: _Graph, labels: str, names: list[str]) -> None:
    rows = [(name,) for name in names]
    assert sorted(graph.rows(f"MATCH (n{labels}) RETURN n.name")) == rows
    assert sorted(graph.rows(f"MATCH (n) WHERE n{labels} RETURN n.name")) == rows
    others = graph.rows(f"MATCH (n) WHERE NOT n{labels} RETURN n.name")
    assert len(rows) + len(others) == len(_PEOPLE)


@pytest.mark.parametrize("labels", [":Pilot:Cook&Guest", ":Pilot|Cook:Guest", ":!Pilot:Cook"])
def test_colons_do_not_mix_with_other_operators(labels: str) -> None:
    with pytest.raises(InvalidInputError, match="labels with ':' between them"):
        read_cypher(f"MATCH (n{labels}) RETURN n")


def test_the_label_of_any_node_with_labels_is_named() -> None:
    with pytest.raises(UnsupportedCypherError, match="the label % is not supported"):
        read_cypher("MATCH (n:%) RETURN n")


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("MATCH (p) WITH p AS q ORDER BY q.age RETURN q.name", ["Cleo", "Ben", "Dag", "Una"]),
        ("MATCH (p) WITH p AS q ORDER BY p.age RETURN q.name", ["Cleo", "Ben", "Dag", "Una"]),
        ("MATCH (a)-->(b) WITH b AS a ORDER BY a.age LIMIT 1 RETURN a.name", ["Cleo"]),
        ("MATCH (a)-->(b) WITH b AS a, a AS b ORDER BY b.age LIMIT 1 RETURN b.name", ["Ben"]),
        ("MATCH (a)-->(b) WITH b AS a, a.age AS age ORDER BY age, a.name LIMIT 1 RETURN a.name", ["Cleo"]),
        ("MATCH (a)-->(b) RETURN DISTINCT b.name AS a, a.name AS b ORDER BY a LIMIT 1", ["Ben"]),
        ("MATCH (p) RETURN DISTINCT p.name AS p ORDER BY p.name DESC LIMIT 1", ["Una"]),
        ("MATCH (p) WITH DISTINCT p AS q ORDER BY p.age LIMIT 1 RETURN q.name", ["Cleo"]),
        ("MATCH (p) WITH p AS q, count(*) AS n ORDER BY q.age LIMIT 1 RETURN q.name", ["Cleo"]),
        ("MATCH (p) WITH p AS q, count(*) AS n ORDER BY p.age LIMIT 1 RETURN q.name", ["Cleo"]),
        ("MATCH (p) WITH p AS q, count(*) AS n ORDER BY count(*), q.age LIMIT 1 RETURN q.name", ["Cleo"]),
        ("MATCH (a)-->(b) WITH b AS a ORDER BY COUNT {(a)-->()} DESC, a.name RETURN a.name", ["Ben", "Una", "Cleo"]),
        ("MATCH (a)-->(b) WITH a AS b ORDER BY COUNT {(b)-->()} - b.age RETURN b.name", ["Una", "Dag", "Ben"]),
        ("MATCH (p) WITH p.name AS n WHERE p.age < 40 RETURN n", ["Ben", "Cleo"]),
        ("MATCH (p) WITH p AS q WHERE p.age < 40 AND q:Pilot RETURN q.name", ["Ben"]),
        ("MATCH (a)-->(b) WITH b AS a, a AS b WHERE a.age < 30 RETURN b.name", ["Ben"]),
        ("MATCH (p) WITH p.name AS n ORDER BY n LIMIT 2 WHERE p.age < 30 RETURN n", ["Cleo"]),
        ("MATCH (p) WITH p.name AS n, count(*) AS c WHERE p.name < 'C' AND count(*) = 1 RETURN n", ["Ben"]),
        ("MATCH (p) WITH p AS q, p.age + count(*) AS n WHERE n > 50 RETURN q.name", ["Una"]),
        ("MATCH (p) RETURN p.name AS n, p.rank AS r ORDER BY r DESC LIMIT 2", ["Cleo", "Dag"]),
        ("MATCH (p) RETURN p.name, p.rank ORDER BY p.rank LIMIT 2", ["Una", "Ben"]),
    ],
)
def test_order_by_and_where_see_old_and_new_names(graph: _Graph, query: str, rows: list[str]) -> None:
    found = [row[0] for row in graph.rows(query)]
    assert (found if "ORDER" in query else sorted(found)) == rows


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (a)-->(b) WITH b AS a, a.age + count(*) AS n RETURN n",
        "MATCH (a) RETURN a.age + count(*) AS n",
        "MATCH (a)-->(b) RETURN b.name AS n, count(*) + COUNT {(a)-->()} AS m",
    ],
)
def test_a_value_beside_an_aggregate_must_be_a_column(query: str) -> None:
    with pytest.raises(UnsupportedCypherError, match="an expression with both aggregates and values"):
        read_cypher(query)


def test_a_pattern_with_a_renamed_variable_is_refused_after_an_aggregate() -> None:
    with pytest.raises(UnsupportedCypherError, match="a pattern with a renamed variable"):
        read_cypher("MATCH (p) WITH p AS q, count(*) AS n ORDER BY COUNT {(p)-->()} RETURN q")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("8 / 2 * 3", 12),
        ("p.age / 2 * 3", 57),
        ("rank / age * 100", 0),
        ("rank * 1.0 / age * 100", 5.26315789474),
        ("age % 7 * 2", 6),
        ("2 + rank * 3 - 1", 7),
        ("2 - 3 + 1", 0),
        ("age * rank", 76),
        ("-rank * 3", -6),
        ("true XOR false", True),
        ("true XOR true XOR true", True),
        ("(null = 1) XOR true", None),
    ],
)
def test_operators_associate_to_the_left_and_have_precedence(graph: _Graph, expression: str, value: Any) -> None:
    query = f"MATCH (p {{name: 'Ben'}}) WITH p, p.age AS age, p.rank AS rank RETURN {expression}"
    assert graph.rows(query) == [(value,)]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("(p:Pilot WHERE p.age > 40)", ["Una"]),
        ("(p {age: 38} WHERE p:Cook)", ["Ben"]),
        ("(p WHERE p.age < 40 OR p.rank = 1)", ["Ben", "Cleo", "Una"]),
        ("(p)-->(q:Cook WHERE q.age < p.age)", ["Ben", "Una"]),
        ("(p)-->(q WHERE q.age > 30) WHERE p.age < 50", ["Dag"]),
        ("(p)<-->(q:Guest)", ["Una"]),
    ],
)
def test_node_patterns_have_conditions(graph: _Graph, pattern: str, names: list[str]) -> None:
    assert sorted(graph.rows(f"MATCH {pattern} RETURN p.name")) == [(name,) for name in names]


def test_the_condition_of_an_optional_node_only_drops_its_match(graph: _Graph) -> None:
    rows = graph.rows("MATCH (p:Cook) OPTIONAL MATCH (p)-->(q WHERE q.age < 30) RETURN p.name, q.name")
    assert sorted(rows, key=str) == [("Ben", "Cleo"), ("Cleo", None)]


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        ("(p:Pilot)-->()", ["Ben", "Una"]),
        ("(p:Pilot {rank: 1})-->()", ["Una"]),
        ("(p:Pilot OR p:Guest) AND (p {rank: 3})-->(:Pilot)", ["Dag"]),
        ("NOT (p)-->(:Cook)", ["Cleo", "Dag"]),
    ],
)
def test_pattern_predicates_and_brackets_are_told_apart(graph: _Graph, condition: str, names: list[str]) -> None:
    assert sorted(graph.rows(f"MATCH (p) WHERE {condition} RETURN p.name")) == [(name,) for name in names]


def test_generated_variables_never_meet_those_of_the_query(graph: _Graph) -> None:
    rows = graph.rows("MATCH (_node1 {name: 'Una'})-->() RETURN _node1.name")
    assert rows == [("Una",)]


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        (
            "CALL { MATCH (p:Pilot) RETURN p, p.rank AS r UNION MATCH (p:Cook) RETURN p, p.rank AS r } "
            "WITH DISTINCT p RETURN p.name",
            [("Ben",), ("Cleo",), ("Una",)],
        ),
        ("CALL { MATCH (p:Pilot) RETURN p UNION MATCH (p:Cook) RETURN p } RETURN count(p)", [(3,)]),
        ("CALL { MATCH (p:Pilot) RETURN p UNION ALL MATCH (p:Cook) RETURN p } RETURN count(p)", [(4,)]),
        ("call () { MATCH (p:Guest) RETURN p } MATCH (p)-->(q) RETURN q.name", [("Una",)]),
        (
            "CALL { MATCH (p:Guest) RETURN p AS q UNION MATCH (q:Pilot) RETURN q } MATCH (q)-->(r) RETURN r.name",
            [("Ben",), ("Cleo",), ("Una",)],
        ),
        ("CALL { RETURN 1 AS n UNION ALL RETURN 1 AS n UNION ALL RETURN 2 AS n } RETURN sum(n)", [(4,)]),
        ("CALL { MATCH (p) RETURN p.age AS a ORDER BY a LIMIT 2 } RETURN max(a)", [(38,)]),
    ],
)
def test_a_subquery_is_a_source(graph: _Graph, query: str, rows: list[Any]) -> None:
    assert sorted(graph.rows(query)) == rows


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("MATCH (p) CALL { MATCH (q) RETURN q } RETURN p, q", "CALL subqueries after other clauses"),
        ("MATCH (p) CALL { WITH p RETURN p.age AS a } RETURN a", "CALL subqueries after other clauses"),
        ("CALL { WITH 1 AS n RETURN n } RETURN n", "CALL subqueries that begin with WITH or list variables"),
        ("CALL (p) { RETURN p.age AS n } RETURN n", "CALL subqueries that begin with WITH or list variables"),
        ("CALL { RETURN 1 AS n UNION RETURN 2 AS n UNION ALL RETURN 2 AS n } RETURN n", "UNION and UNION ALL"),
    ],
)
def test_a_subquery_that_depends_on_a_row_is_refused(query: str, problem: str) -> None:
    with pytest.raises(UnsupportedCypherError, match=problem):
        read_cypher(query)


@pytest.mark.parametrize(
    ("name", "column"), [("`a\\u0041`", "aA"), ("`a``b`", "a`b"), ("`a\\\\u0041`", "a\\\\u0041"), ("`a\\x`", "a\\x")]
)
def test_quoted_names_have_escapes(name: str, column: str) -> None:
    assert read_cypher(f"RETURN 1 AS {name}").steps == (Project((Column(column, Constant(1)),)),)


@pytest.mark.parametrize("bounds", ["..-1", "0..-2", "..1.5"])
def test_a_slice_that_counts_from_the_end_is_refused(bounds: str) -> None:
    with pytest.raises(UnsupportedCypherError, match="only slices from the first item"):
        read_cypher(f"WITH [1, 2, 3] AS x RETURN x[{bounds}] AS y")


@pytest.mark.parametrize("condition", ["[1, 2] < [1, 3]", "p.tags >= ['a']", "[p.age] > p.tags"])
def test_an_order_of_lists_is_refused(condition: str) -> None:
    with pytest.raises(UnsupportedCypherError, match="between lists is not supported"):
        read_cypher(f"MATCH (p) WHERE {condition} RETURN p")


def test_an_escaped_backtick_would_end_the_name() -> None:
    with pytest.raises(UnsupportedCypherError, match="write two backticks"):
        read_cypher("RETURN 1 AS `a\\u0060`")
