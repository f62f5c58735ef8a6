"""Names that the graph lacks give way to the nearest ones that it has, and others stay."""

from pathlib import Path

import pytest

from graph.plan.algebra import Plan
from graph.plan.values import NodeRef
from graph.sqlite.store import SqliteGraphStore
from language.english.english import english
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.strategies.guard import checked_plan, read_query
from services.retriever.strategies.likeness import nearest
from services.retriever.strategies.name_replacement import align
from shared.errors import InvalidInputError
from tests.support.property_graphs import film_graph, write_graph_file
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> SqliteGraphStore:
    file = Path(tmp_path_factory.mktemp("graph")) / "films.sqlite"
    write_graph_file(film_graph(), file)
    return SqliteGraphStore(file)


async def aligned(store: SqliteGraphStore, query: str, question: str = "") -> tuple[Plan, dict[str, str]]:
    topics = await EntityLinker(store, WordSurprisal()).link(english(question)) if question else []
    found = await align(read_query(query), await GraphView.of(store), topics)
    return found.plan, {one.written: one.used for one in found.replacements}


@pytest.mark.parametrize(
    ("query", "replacements"),
    [
        ("MATCH (f:film) RETURN f", {"film": "Film"}),
        ("MATCH (f:Films) RETURN f", {"Films": "Film"}),
        ("MATCH (p)-[:ActedIn]->(f) RETURN f", {"ActedIn": "ACTED_IN"}),
        ("MATCH (p)-[:DIRECTED_BY|ACTED_IN]->(f) RETURN f", {"DIRECTED_BY": "DIRECTED"}),
        ("MATCH (p) WHERE p:Persons RETURN p", {"Persons": "Person"}),
        ("MATCH (f:Film {title: 'film 3'}) RETURN f", {"film 3": "Film 3"}),
        ("MATCH (f:Film) WHERE f.title IN ['Film 1', 'FILM 2'] RETURN f", {"FILM 2": "Film 2"}),
        ("MATCH (f) WHERE 'film 4' = f.title RETURN f", {"film 4": "Film 4"}),
    ],
)
async def test_a_similar_name_replaces_one_that_the_graph_lacks(
    store: SqliteGraphStore, query: str, replacements: dict[str, str]
) -> None:
    plan, found = await aligned(store, query)

    assert found == replacements
    result = await store.run(checked_plan(plan, await store.schema()))
    assert result.rows


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (f:Film {title: 'Film 3'})<-[:ACTED_IN]-(p:Person) RETURN p",
        "MATCH (f:Film) WHERE f.title CONTAINS 'film' RETURN f",
        "MATCH (f:Film) WHERE f.title = 'Nothing alike whatsoever' RETURN f",
        "MATCH (f:Film) WHERE f.year = 1983 RETURN f",
    ],
)
async def test_other_names_stay(store: SqliteGraphStore, query: str) -> None:
    plan, found = await aligned(store, query)

    assert found == {}
    assert plan == read_query(query)


async def test_a_kind_that_nothing_resembles_is_left_to_the_guard(store: SqliteGraphStore) -> None:
    plan, found = await aligned(store, "MATCH (f:Submarine) RETURN f")

    assert found == {}
    with pytest.raises(InvalidInputError, match="Submarine"):
        checked_plan(plan, await store.schema())


async def test_a_node_of_another_kind_does_not_lend_its_name(store: SqliteGraphStore) -> None:
    _, found = await aligned(store, "MATCH (f:Film {title: 'person 3'}) RETURN f")

    assert "Person 3" not in found.values()


async def test_a_name_that_the_question_links_replaces_a_similar_one(store: SqliteGraphStore) -> None:
    plan, found = await aligned(store, "MATCH (f:Film {title: 'the Film 7'}) RETURN f", "When was Film 7 made?")

    assert found == {"the Film 7": "Film 7"}
    [[node]] = (await store.run(plan)).rows
    assert isinstance(node, NodeRef) and node.name == "Film 7"


def test_the_nearest_name_is_unique_and_similar() -> None:
    known: dict[str, tuple[str, ...]] = {"DIRECTED": (), "ACTED_IN": (), "Movie": ("film",)}

    assert nearest("directedBy", known) == "DIRECTED"
    assert nearest("Films", known) == "Movie"
    assert nearest("Q", known) is None
    assert nearest("directed", {"DIRECTED_BY": (), "DIRECTED_AT": ()}) is None


async def test_a_relation_that_is_named_by_a_property_is_aligned_too(tmp_path: Path) -> None:
    nodes = tuple(Node(number, frozenset({"ENTITY"}), {"name": name}) for number, name in enumerate(["Oslo", "Norway"]))
    links = (
        Relationship(1, "Relationship", 0, 1, {"name": "capital of"}),
        Relationship(2, "Relationship", 1, 0, {"name": "largest city"}),
    )
    write_graph_file(PropertyGraph(nodes, links), tmp_path / "graph.sqlite")
    store = SqliteGraphStore(tmp_path / "graph.sqlite")

    plan, found = await aligned(store, "MATCH (:ENTITY {name: 'Oslo'})-[:Relationship {name: 'capital'}]->(x) RETURN x")
    assert found == {"capital": "capital of"}
    assert [node.name for (node,) in (await store.run(plan)).rows if isinstance(node, NodeRef)] == ["Norway"]

    for kept in ("largest city", "nothing alike whatsoever"):
        _, found = await aligned(store, f"MATCH (a)-[r:Relationship {{name: '{kept}'}}]->(x) RETURN x")
        assert found == {}
