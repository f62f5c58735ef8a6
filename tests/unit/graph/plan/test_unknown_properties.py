from pathlib import Path

import pytest

from graph.cypher.reader import read_cypher
from graph.plan.algebra import Column, Constant, Match, NodePattern, Plan, Project, Property
from graph.plan.checks import check_plan
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.unknown_properties import refuse_unknown_properties, with_known_properties
from graph.plan.values import ValueType
from graph.sqlite.store import SqliteGraphStore
from shared.errors import InvalidInputError
from tests.support.property_graphs import shop_graph, write_graph_file

_TEXT = PropertySchema(frozenset((ValueType.STRING,)), ValueType.STRING)
_KINDS = {"Film": KindSchema(3, {"title": _TEXT, "tagline": _TEXT})}
_SCHEMA = GraphSchema(_KINDS, {"SEEN": RelationshipSchema(2, frozenset((("Film", "Film"),)), {"mood": _TEXT})})


def _column(variable: str, key: str) -> Project:
    return Project((Column("x", Property(variable, key)),))


def test_unknown_properties_are_missing_and_named() -> None:
    films = Match((NodePattern("f", ("Film",)),))
    plan, warnings = with_known_properties(Plan((films, _column("f", "titel"))), _SCHEMA)

    assert plan == Plan((films, Project((Column("x", Constant(None)),))))
    assert warnings == ("unknown property 'titel'; did you mean 'title'?",)


@pytest.mark.parametrize(
    ("query", "warnings"),
    [
        ("MATCH (f:Film) WHERE f.votes > 1 OR f.votes < 1 RETURN f.title", 1),
        ("MATCH (f:Film {votes: 1}) RETURN f.title", 1),
        ("MATCH (f) WHERE EXISTS { (f)-[s:SEEN]->(g) WHERE s.title = g.mood } RETURN f.title", 2),
        ("MATCH (f)-[s:SEEN]->(g) RETURN s.mood, g.tagline", 0),
        ("MATCH (f:Film) RETURN f.title UNION MATCH (f:Film) RETURN f.name AS `f.title`", 1),
    ],
)
def test_each_unknown_property_is_found(query: str, warnings: int) -> None:
    plan = read_cypher(query)
    check_plan(plan, _SCHEMA)

    assert len(with_known_properties(plan, _SCHEMA)[1]) == warnings
    if warnings:
        with pytest.raises(InvalidInputError, match="unknown property"):
            refuse_unknown_properties(plan, _SCHEMA)
        with pytest.raises(InvalidInputError, match="unknown property"):
            check_plan(plan, _SCHEMA, strict=True)
    else:
        refuse_unknown_properties(plan, _SCHEMA)


@pytest.mark.parametrize(
    "schema",
    [
        GraphSchema(_KINDS, {}, hidden=frozenset((("Film", "votes"),))),
        GraphSchema(_KINDS, {}, omitted=("Film.votes (values of type map)",)),
        GraphSchema(_KINDS, {}, omitted=("Film (the properties are too large to be read in time)",)),
    ],
)
@pytest.mark.parametrize("key", ["votes", "votes.latitude"])
def test_a_property_that_the_graph_may_have_is_not_taken_for_missing(schema: GraphSchema, key: str) -> None:
    plan = Plan((Match((NodePattern("f", ("Film",)),)), _column("f", key)))

    with pytest.raises(InvalidInputError, match="unknown property"):
        check_plan(plan, schema)


async def test_a_graph_file_reads_unknown_properties_as_missing(tmp_path: Path) -> None:
    write_graph_file(shop_graph(), tmp_path / "graph.sqlite")
    store = SqliteGraphStore(tmp_path / "graph.sqlite")
    missing = "MATCH (p:Product) WHERE p.titel IS NULL RETURN count(p) AS n, max(p.name) AS m"
    try:
        found = await store.run(read_cypher(missing))
        everything = await store.run(read_cypher("MATCH (p:Product) RETURN count(p) AS n, max(null) AS m"))
    finally:
        await store.close()

    assert found.rows == everything.rows
    assert found.warnings == ("unknown property 'titel'; did you mean 'title'?", "unknown property 'name'")
    assert everything.warnings == ()
