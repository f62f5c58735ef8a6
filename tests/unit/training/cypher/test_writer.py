"""Plans are written as Cypher that means the same."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import (
    Column,
    Constant,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Slice,
    SortKey,
    Variable,
)
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema
from graph.plan.values import ValueType
from graph.sqlite.store import SqliteGraphStore
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.strategies.guard import checked_plan, read_query
from tests.support.plan_results import comparable
from tests.support.property_graphs import GRAPHS, write_graph_file
from training.cypher.expressions import constant, paths_of
from training.cypher.writer import write_cypher
from training.planning.own_questions import OwnQuestions

_EMPTY = GraphSchema({}, {})


@pytest.mark.parametrize(
    "query",
    [
        'MATCH (:Film {title: "Heat"})<-[:ACTED_IN]-(person:Person) RETURN person',
        "MATCH (film:Film) RETURN film ORDER BY film.year DESC LIMIT 3",
        "MATCH (film:Film) RETURN count(film) AS count",
        "MATCH (film:Film) WHERE film.year > 1990 AND NOT (film.year = 1995) RETURN DISTINCT film",
        'MATCH (film:Film) WHERE (film.title CONTAINS "a" OR film.title IN ["b", "c"]) RETURN film',
        "MATCH (film:Film)<-[:ACTED_IN]-(:Person) WITH film, count(*) AS count WHERE count > 2 RETURN film",
        "MATCH (film:Film) WHERE EXISTS { MATCH (film)<-[:DIRECTED]-(:Person) } RETURN film",
        'MATCH (a:Film {title: "x"}), (b:Film {title: "y"}) RETURN a.year - b.year AS value',
        'MATCH (person:Person) WHERE person.born < date("1950-01-01") RETURN person.born.year AS year',
        "MATCH (f:Film) WITH f ORDER BY f.year LIMIT 1 MATCH (f)<-[:ACTED_IN]-(person:Person) RETURN person",
    ],
)
def test_a_query_of_this_style_is_written_as_it_was(query: str) -> None:
    assert write_cypher(read_query(query), _EMPTY) == query


@pytest.mark.parametrize("graph", ["shop", "films"])
async def test_queries_of_made_up_questions_give_the_rows_of_their_plans(graph: str, tmp_path: Path) -> None:
    write_graph_file(GRAPHS[graph](), tmp_path / "graph.sqlite")
    store = SqliteGraphStore(tmp_path / "graph.sqlite", 5.0)
    view = await GraphView.of(store)
    own = await OwnQuestions.of(view, {}, 1)
    for one in own.questions(150, seed=2):
        query = write_cypher(one.plan, view.schema)
        plan = checked_plan(read_query(query), view.schema)
        expected = comparable((await store.run(one.plan, 3_000)).rows)
        found = _sorted(comparable((await store.run(plan, 3_000)).rows))
        if " IS NOT NULL RETURN " in query:  # leaves out what the plan puts last
            assert {*found} <= {*_sorted(expected)}, (one.question, query)
        else:
            assert found == _sorted(expected), (one.question, query)
    await store.close()


def _sorted(rows: Sequence[object]) -> list[str]:
    return sorted(map(repr, rows))


def test_a_result_sorted_by_what_some_lack_leaves_these_out() -> None:
    property_ = PropertySchema(frozenset({ValueType.INTEGER}), ValueType.INTEGER, count=3)
    schema = GraphSchema({"Film": KindSchema(5, {"year": property_})}, {})
    film = Match((NodePattern("film", ("Film",)),))
    oldest = Order((SortKey(Property("film", "year")),))
    end = Project((Column("film", Variable("film")),))

    assert write_cypher(Plan((film, oldest, Slice(1), end)), schema) == (
        "MATCH (film:Film) WHERE film.year IS NOT NULL RETURN film ORDER BY film.year LIMIT 1"
    )
    assert write_cypher(Plan((film, oldest, end)), schema) == "MATCH (film:Film) RETURN film ORDER BY film.year"


def test_values_stored_as_texts_are_converted() -> None:
    price = PropertySchema(frozenset({ValueType.STRING}), ValueType.FLOAT, count=5)
    schema = GraphSchema({"Product": KindSchema(5, {"price": price})}, {})
    plan = Plan((Match((NodePattern("p", ("Product",)),)), Project((Column("price", Property("p", "price")),))))

    assert write_cypher(plan, schema) == "MATCH (p:Product) RETURN toFloat(p.price) AS price"


def test_nodes_with_store_ids_are_refused() -> None:
    plan = Plan((Match((NodePattern("n", ids=("1",)),)), Project((Column("n", Variable("n")),))))
    with pytest.raises(UnsupportedCypherError):
        write_cypher(plan, _EMPTY)


def test_every_relationship_is_on_one_path() -> None:
    draw = random.Random(1)
    for _ in range(200):
        names = [f"n{number}" for number in range(draw.randint(1, 5))]
        links = tuple(RelationshipPattern(draw.choice(names), draw.choice(names)) for _ in range(draw.randint(0, 6)))
        paths = paths_of(Match(tuple(map(NodePattern, names)), links))
        walked = [link for path in paths for link in path.links]
        assert sorted(map(repr, walked)) == sorted(map(repr, links))
        assert {name for path in paths for name in path.nodes} == set(names)
        for path in paths:
            for link, *ends in zip(path.links, path.nodes, path.nodes[1:], strict=False):
                assert sorted(ends) == sorted((link.source, link.target))


@pytest.mark.parametrize(
    ("value", "text"),
    [("a\"b\\c\n'é", '"a\\"b\\\\c\\n\'é"'), (True, "true"), (None, "null"), (-2.5, "-2.5"), ((1, "a"), '[1, "a"]')],
)
def test_constants_are_read_back(value: object, text: str) -> None:
    assert constant(value) == text
    [step] = read_query(f"RETURN {text} AS x").steps
    assert isinstance(step, Project)
    assert step.columns[0].value == Constant(value)
