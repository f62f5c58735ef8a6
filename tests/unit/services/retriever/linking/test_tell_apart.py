from collections.abc import AsyncIterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from graph.sqlite.store import SqliteGraphStore
from graph.store import Entity
from ingestion.sqlite_writer import GraphWriter
from services.retriever.linking.tell_apart import details_of, kinds_of, namesake_warnings
from tests.fakes.graph import InMemoryGraph


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteGraphStore]:
    file = tmp_path / "graph.sqlite"
    with closing(GraphWriter(file)) as writer:
        writer.add_node("1", ["Person"], {"name": "Ann Lee", "born": date(1956, 1, 2), "status": "alive"})
        writer.add_node("2", ["Person"], {"name": "Ann Lee", "born": date(1990, 3, 4), "status": "alive"})
        writer.add_node("3", ["Film", "Thing"], {"name": "Heat"})
        writer.add_node("4", ["Film", "Thing"], {"name": "Heat"})
        writer.add_node("5", ["Thing"], {"name": "Rock"})
        writer.add_relationship("3", "DIRECTED_BY", "1", {})
        writer.add_relationship("4", "DIRECTED_BY", "1", {})
        writer.add_relationship("4", "MADE_OF", "5", {})
        writer.finish()
    graph = SqliteGraphStore(file)
    yield graph
    await graph.close()


async def test_the_rarest_kind_describes_a_node(store: SqliteGraphStore) -> None:
    assert await kinds_of(store, ["1", "3", "5", "none"]) == {"1": "Person", "3": "Film", "5": "Thing"}


async def test_a_graph_without_kinds_is_not_queried() -> None:
    assert await kinds_of(InMemoryGraph([("Ann", "knows", "Bob")]), ["Ann"]) == {}


async def test_a_property_with_different_values_tells_nodes_apart(store: SqliteGraphStore) -> None:
    found = await details_of(store, [Entity("1", "Ann Lee"), Entity("2", "Ann Lee"), Entity("5", "Rock")])

    assert found == {"1": "born 1956-01-02", "2": "born 1990-03-04"}


async def test_a_fact_of_its_own_tells_a_node_apart(store: SqliteGraphStore) -> None:
    found = await details_of(store, [Entity("3", "Heat"), Entity("4", "Heat")])

    assert found == {"4": "made of Rock"}


async def test_a_property_that_not_all_have_tells_some_apart(tmp_path: Path) -> None:
    file = tmp_path / "graph.sqlite"
    with closing(GraphWriter(file)) as writer:
        writer.add_node("1", ["Ship"], {"name": "Echo", "launched": 1990})
        writer.add_node("2", ["Ship"], {"name": "Echo", "launched": 1991})
        writer.add_node("3", ["Ship"], {"name": "Echo"})
        writer.finish()
    graph = SqliteGraphStore(file)

    assert await details_of(graph, [Entity(id_, "Echo") for id_ in "123"]) == {
        "1": "launched 1990",
        "2": "launched 1991",
    }
    await graph.close()


def test_namesakes_without_details_are_reported() -> None:
    entities = [*(Entity(id_, "Echo") for id_ in "123"), Entity("4", "Boreas"), Entity("5", "Boreas")]

    [warning] = namesake_warnings(entities, {"3", "4"})

    assert warning.kind == "namesakes"
    assert warning.text == "2 of the answers have the name Echo, and no fact tells them apart."


async def test_names_that_occur_once_need_no_query() -> None:
    assert (
        await details_of(InMemoryGraph([("Ann", "knows", "Bob")]), [Entity("Ann", "Ann"), Entity("Bob", "Bob")]) == {}
    )


async def test_a_fact_beyond_the_first_ones_tells_a_node_apart(tmp_path: Path) -> None:
    file = tmp_path / "graph.sqlite"
    with closing(GraphWriter(file)) as writer:
        for node in ("a", "b"):
            writer.add_node(node, ["Film"], {"name": "Heat"})
        for number in range(80):
            writer.add_node(f"t{number}", ["Thing"], {"name": f"Thing {number}"})
            for node in ("a", "b"):
                writer.add_relationship(node, "HAS", f"t{number}", {})
        for node, other in (("a", "t1"), ("b", "t2")):
            writer.add_relationship(node, "MADE_OF", other, {})
        writer.finish()
    store = SqliteGraphStore(file)

    found = await details_of(store, [Entity("a", "Heat"), Entity("b", "Heat")])
    await store.close()

    assert found == {"a": "made of Thing 1", "b": "made of Thing 2"}


async def test_no_two_namesakes_have_the_same_detail(tmp_path: Path) -> None:
    file = tmp_path / "graph.sqlite"
    with closing(GraphWriter(file)) as writer:
        for place, (born, city) in enumerate([(1950, "Rome"), (1950, "Oslo"), (1960, "Oslo")]):
            writer.add_node(str(place), ["Person"], {"name": "Ann", "born": born, "city": city})
        writer.finish()
    store = SqliteGraphStore(file)

    found = await details_of(store, [Entity(str(place), "Ann") for place in range(3)])
    await store.close()

    assert found == {"0": "born 1950, city Rome", "1": "born 1950, city Oslo", "2": "born 1960, city Oslo"}
