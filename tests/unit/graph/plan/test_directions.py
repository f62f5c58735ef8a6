"""Patterns that the schema of the graph rules out are found, wherever they stand in a plan."""

from pathlib import Path

import pytest

from graph.cypher.reader import read_cypher
from graph.plan.checks import check_plan
from graph.plan.directions import impossible_relationships, refuse_impossible_relationships
from graph.sqlite.store import SqliteGraphStore
from shared.errors import InvalidInputError
from tests.support.property_graphs import shop_graph, write_graph_file

BACKWARD = "no CONTAINS relationship goes from Product to Order; exchange source and target"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> SqliteGraphStore:
    file: Path = tmp_path_factory.mktemp("graph") / "shop.sqlite"
    write_graph_file(shop_graph(), file)
    return SqliteGraphStore(file)


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("MATCH (p:Product)-[:CONTAINS]->(:Order) RETURN p", f"steps.0.relationships.0: {BACKWARD}"),
        ("MATCH (p:Product) OPTIONAL MATCH (p)-[:CONTAINS]->(:Order) RETURN p", f"steps.1.relationships.0: {BACKWARD}"),
        (
            "MATCH (p:Product) WHERE NOT EXISTS {(p)-[:CONTAINS]->(:Order)} RETURN p",
            f"steps.0.where.condition.match.relationships.0: {BACKWARD}",
        ),
        (
            "MATCH (p:Product) RETURN COUNT {(p)-[:CONTAINS]->(:Order)} AS n",
            f"steps.1.columns.0.value.match.relationships.0: {BACKWARD}",
        ),
        (
            "MATCH (p:Product) RETURN p UNION MATCH (p:Product)-[:CONTAINS]->(:Order) RETURN p",
            f"steps.0.plans.1.steps.0.relationships.0: {BACKWARD}",
        ),
        (
            "MATCH (c:Customer)-[:CONTAINS]-(:Product) RETURN c",
            "steps.0.relationships.0: no CONTAINS relationship goes from Customer to Product",
        ),
    ],
)
async def test_an_impossible_pattern_is_named_and_matches_nothing(
    store: SqliteGraphStore, query: str, problem: str
) -> None:
    plan, schema = read_cypher(query), await store.schema()
    check_plan(plan, schema, strict=True)

    assert impossible_relationships(plan, schema) == [problem]
    with pytest.raises(InvalidInputError, match="relationship goes from"):
        refuse_impossible_relationships(plan, schema)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (o:Order)-[:CONTAINS]->(:Product) RETURN o",
        "MATCH (p:Product)-[:CONTAINS]-(:Order) RETURN p",
        "MATCH (p:Product)-[:CONTAINS]->() RETURN p",
        "MATCH (p:Product)-->(:Order) RETURN p",
        "MATCH (p:Product)-[:CONTAINS|PLACED]-(:Order) RETURN p",
    ],
)
async def test_a_possible_pattern_is_not_named(store: SqliteGraphStore, query: str) -> None:
    plan, schema = read_cypher(query), await store.schema()

    assert impossible_relationships(plan, schema) == []
    refuse_impossible_relationships(plan, schema)


async def test_nothing_matches_an_impossible_pattern(store: SqliteGraphStore) -> None:
    everything = await store.run(read_cypher("MATCH (p:Product) RETURN count(*) AS n"))
    query = "MATCH (p:Product) WHERE NOT EXISTS {(p)-[:CONTAINS]->(:Order)} RETURN count(*) AS n"

    assert (await store.run(read_cypher(query))).rows == everything.rows
