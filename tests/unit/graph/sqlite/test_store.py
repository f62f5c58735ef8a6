import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from graph.sqlite import name_lookup
from graph.sqlite import walk as sqlite_walk
from graph.sqlite.store import SqliteGraphStore
from graph.store import Entity, WalkRule
from shared.errors import InvalidInputError, NotFoundError
from tests.graph_contract import *
from tests.graph_contract import FILMS, Opened
from tests.unit.graph.building import Row, graph_file


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    """Open a store over the given rows, and close it after the test."""
    stores: list[SqliteGraphStore] = []

    async def open_(rows: list[Row]) -> SqliteGraphStore:
        stores.append(SqliteGraphStore(graph_file(tmp_path, rows)))
        return stores[-1]

    yield open_
    for store in stores:
        await store.close()


def _entity(name: str) -> Entity:
    return Entity(name, name)


async def test_a_runaway_walk_is_stopped_and_does_not_affect_earlier_walks(tmp_path: Path) -> None:
    rows: list[Row] = [("hub", "r", f"n{number}") for number in range(300)] + [("a", "s", "b")]
    store = SqliteGraphStore(graph_file(tmp_path, rows), seconds_allowed=0.0)

    walks = await store.walk([(_entity("a"), ("s",)), (_entity("hub"), ("r", "^r") * 30)], WalkRule("walk"))
    await store.close()

    assert [reached.entity.name for reached in walks[0].reached] == ["b"]
    assert [walk.unfinished for walk in walks] == [False, True]
    assert walks[1].reached == ()


def test_a_missing_graph_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="does not exist; import one with `kgqa import FILE --graph films`"):
        SqliteGraphStore(tmp_path / "films.sqlite")


def test_a_file_that_is_no_graph_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "films.sqlite"
    other.write_text("not a graph")
    with pytest.raises(InvalidInputError, match=r"cannot be opened as a graph \(file is not a database\); create one"):
        SqliteGraphStore(other)

    other.write_text("")
    with pytest.raises(InvalidInputError, match=r"cannot be opened as a graph \(no such table"):
        SqliteGraphStore(other)

    with pytest.raises(InvalidInputError, match="is not a regular file; remove it"):
        SqliteGraphStore(tmp_path)


def test_a_graph_with_another_layout_is_refused(tmp_path: Path) -> None:
    file = graph_file(tmp_path, FILMS)
    connection = sqlite3.connect(file)
    connection.execute("UPDATE meta SET value = '0' WHERE key = 'layout'")
    connection.commit()
    connection.close()

    with pytest.raises(
        InvalidInputError, match="uses layout 0, but the current layout is 5; import it again with `kgqa"
    ):
        SqliteGraphStore(file)


async def test_opening_and_reading_create_no_files(tmp_path: Path) -> None:
    folder = tmp_path / "odd name?#%"
    folder.mkdir()
    file = graph_file(folder, FILMS)
    file.chmod(0o444)
    folder.chmod(0o555)
    store = SqliteGraphStore(file)

    assert await store.entities_named(["alien"])
    await store.close()

    assert sorted(path.name for path in folder.iterdir()) == ["facts.sqlite", "facts.tsv"]
    folder.chmod(0o755)


def test_no_query_scans_a_table(tmp_path: Path) -> None:
    connection = sqlite3.connect(graph_file(tmp_path, FILMS))
    queries = list(sqlite_walk._HOP.values())
    queries += [name_lookup._ENTITIES_BY_NAME, name_lookup._WORDS_BY_KEY, name_lookup._FIRST_FROM]

    for query in queries:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {query}", ("[]", 1)[: query.count("?")])
        steps = [detail for *_, detail in plan]
        assert not [step for step in steps if "SCAN" in step and "VIRTUAL TABLE" not in step], steps
        assert not [step for step in steps if "TEMP B-TREE" in step], steps
    connection.close()


async def test_a_walk_in_batches_keeps_the_order_and_stops_at_its_limit(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_walk, "_FIRST_BATCH", 1)
    monkeypatch.setattr(sqlite_walk, "_MAX_STATES", 5)
    store = await opened([row for n in range(8) for row in (("a", "r", f"m{n}"), (f"m{n}", "s", f"e{7 - n}"))])

    [cut] = await store.walk([(_entity("a"), ("r", "s"))], WalkRule(), limit=2)
    [whole] = await store.walk([(_entity("a"), ("r", "s"))], WalkRule())

    assert [reached.entity.name for reached in cut.reached] == ["e7", "e6"]
    assert (cut.truncated, whole.unfinished) == (True, True)


async def test_too_many_partial_walks_leave_a_walk_unfinished(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_walk, "_MAX_STATES", 2)
    store = await opened([("a", "r", f"m{n}") for n in range(3)])

    [walk] = await store.walk([(_entity("a"), ("r", "r"))], WalkRule())

    assert walk.unfinished
    assert walk.reached == ()
