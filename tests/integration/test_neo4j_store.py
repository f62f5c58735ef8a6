"""Test the Neo4j store against a real Neo4j."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from evaluation.in_process import open_retriever
from graph.neo4j import connection
from graph.neo4j.settings import Neo4jSettings
from graph.neo4j.store import Neo4jGraphStore
from graph.store import WalkRule
from ingestion import neo4j_rows
from ingestion.neo4j import check_database, copy_to_neo4j
from shared.errors import DependencyError, InvalidInputError, RefusedError
from shared.triple import Triple
from tests.graph_contract import *
from tests.graph_contract import FILMS, Opened, named
from tests.neo4j_server import ask, clear, needs_neo4j, settings
from tests.unit.graph.building import Row, graph_file

pytestmark = needs_neo4j


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    """Open a store over the given rows, and close it after the test."""
    stores: list[Neo4jGraphStore] = []

    async def open_(rows: list[Row]) -> Neo4jGraphStore:
        copy_to_neo4j(graph_file(tmp_path, rows), settings(), lambda done, total: None)
        stores.append(Neo4jGraphStore(settings()))
        return stores[-1]

    yield open_
    for store in stores:
        await store.close()


@pytest.fixture
def foreign_graph() -> Iterator[Neo4jSettings]:
    """Create a graph that kgqa did not import: with other labels, names in `title` or `name`, and types to quote."""
    clear()
    ask(
        "CREATE (a:Film {title: 'Alien'}), (b:Film {title: 'Alien'}), (s:Person {name: 'Ridley Scott', "
        "known_as: ['Sir Ridley']}), (x:Person {title: \"Dolores O'Riordan\"}), (u:Place), "
        "(a)-[:`directed by`]->(s), (a)-[:`odd``type \\ '\"{}$x`]->(x), (b)-[:SHOWN_IN]->(u), (b)-[:SHOWN_IN]->(x), "
        "(s)-[:`directed by`]->(s)"
    )
    ask(
        "CREATE FULLTEXT INDEX my_names IF NOT EXISTS FOR (n:Film|Person) ON EACH [n.title, n.name, n.known_as] "
        "OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}}"
    )
    ask("CALL db.awaitIndexes(60)")
    yield settings(name_property="title, name", aliases_property="known_as", names_index="my_names")
    ask("DROP INDEX my_names")
    ask("MATCH (n) WHERE n:Film OR n:Person OR n:Place DETACH DELETE n")


async def test_a_foreign_graph_is_served_as_it_is(foreign_graph: Neo4jSettings) -> None:
    store = Neo4jGraphStore(foreign_graph)

    assert set(await store.relations()) >= {"directed by", "SHOWN_IN", "odd`type \\ '\"{}$x"}
    films, people, singer = await store.entities_named(["alien", "sir ridley", "dolores oriordan"])
    assert [match.name for match in films] == ["Alien", "Alien"]
    assert [(match.entity.name, match.is_alias) for match in people] == [("Ridley Scott", True)]
    assert [match.name for match in singer] == ["Dolores O'Riordan"]
    steps = await store.steps_after([(film.entity, ()) for film in films])
    [(first, of_first)] = [(f.entity, s) for f, s in zip(films, steps, strict=True) if "directed by" in s]
    assert of_first == {"directed by", "odd`type \\ '\"{}$x"}
    starts = [(first, ("directed by",)), (first, ("odd`type \\ '\"{}$x",)), (first, ("directed by", "^directed by"))]
    walks = await store.walk(starts, WalkRule())
    assert [[reached.entity.name for reached in walk.reached] for walk in walks] == [
        ["Ridley Scott"],
        ["Dolores O'Riordan"],
        ["Ridley Scott"],
    ]
    assert await store._walk_separately(starts, WalkRule(), 1000) == walks
    assert walks[1].reached[0].reasoning_path == (Triple("Alien", "odd`type \\ '\"{}$x", "Dolores O'Riordan"),)
    await store.close()


def test_a_foreign_graph_takes_no_copy(foreign_graph: Neo4jSettings) -> None:
    with pytest.raises(InvalidInputError, match=r"contains \d+ nodes that kgqa did not import"):
        check_database(foreign_graph)


@pytest.mark.parametrize("name_property", ["titel", "nmae, titel", "kgqa_place"])
async def test_a_name_property_that_no_node_has_is_reported(foreign_graph: Neo4jSettings, name_property: str) -> None:
    wrong = Neo4jGraphStore(foreign_graph.model_copy(update={"name_property": name_property}))
    properties = name_property.replace(", ", " or ")
    with pytest.raises(RefusedError, match=f"has the property {properties}; set KGQA_NEO4J_NAME_PROPERTY"):
        await wrong.check()
    await wrong.close()
    right = Neo4jGraphStore(foreign_graph)
    await right.check()
    await right.close()


async def test_an_evaluation_with_a_wrong_name_property_fails(
    foreign_graph: Neo4jSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGQA_NEO4J_URL", foreign_graph.url or "")
    monkeypatch.setenv("KGQA_NEO4J_SECONDS_ALLOWED", "120")
    monkeypatch.setenv("KGQA_NEO4J_PASSWORD", foreign_graph.password.get_secret_value())
    monkeypatch.setenv("KGQA_NEO4J_NAMES_INDEX", foreign_graph.names_index)
    monkeypatch.setenv("KGQA_NEO4J_NAME_PROPERTY", "titel")
    with pytest.raises(RefusedError, match="KGQA_NEO4J_NAME_PROPERTY"):
        async with open_retriever("films", Path("nowhere")):
            pass


async def test_a_node_without_a_name_is_walked_through(foreign_graph: Neo4jSettings) -> None:
    store = Neo4jGraphStore(foreign_graph)
    [[singer]] = await store.entities_named(["dolores oriordan"])

    [walk] = await store.walk([(singer.entity, ("^SHOWN_IN", "SHOWN_IN"))], WalkRule())

    assert len(walk.reached) == 1
    assert walk.reached[0].entity.name == walk.reached[0].entity.id
    await store.close()


async def test_separate_walks_give_the_same_result(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await opened(FILMS)
    assert isinstance(store, Neo4jGraphStore)
    alien, paths = await named(store, "Alien"), [("starred_actors", "^starred_actors"), ("directed_by",), ("none",)]
    starts = [(alien, path) for path in paths]
    together = await store.walk(starts, WalkRule(), 5)

    assert await store._walk_separately(starts, WalkRule(), 5) == together
    monkeypatch.setattr(store, "_settings", settings(seconds_allowed=0.0))
    assert all(walk.unfinished for walk in await store._walk_separately(starts, WalkRule(), 5))


async def test_a_slow_walk_does_not_affect_the_others(opened: Opened) -> None:
    rows: list[Row] = [(f"n{number}", "r", f"n{other}") for number in range(60) for other in range(60)]
    patient = await opened([*rows, ("n0", "s", "end")])
    assert isinstance(patient, Neo4jGraphStore)
    start = await named(patient, "n0")
    await patient._walk_separately([(start, ("s",))], WalkRule(), 1000)  # plans the query, without a short limit
    store = Neo4jGraphStore(settings(seconds_allowed=0.5))

    walks = await store.walk([(start, ("s",)), (start, ("r", "^r") * 4)], WalkRule())

    assert [reached.entity.name for reached in walks[0].reached] == ["end"]
    assert walks[1].unfinished
    await store.close()


async def test_the_version_changes_with_the_database(opened: Opened) -> None:
    store = await opened(FILMS)
    await store.relations()
    before = await store.version()
    await store.relations()
    assert await store.version() == before

    ask("MATCH (n:KgqaEntity {kgqa_name: 'Alien'}) SET n.seen = 1")
    await store.relations()

    assert await store.version() != before


async def test_ready_means_that_names_can_be_looked_up(opened: Opened) -> None:
    assert await (await opened(FILMS)).ready()


async def test_once_ready_every_query_of_a_question_is_planned(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await opened(FILMS)
    assert isinstance(store, Neo4jGraphStore)
    asked: list[str] = []
    query = store._connection.query

    async def noted(text: str, *more: Any) -> Any:
        asked.append(text)
        return await query(text, *more)

    monkeypatch.setattr(store._connection, "query", noted)
    assert await store.ready()
    planned = set(asked)
    asked.clear()
    [[match]] = await store.entities_named(["alien"])
    await store.entities_like(["alieen"])
    await store.entities_by_short_name(["alien"])
    path: tuple[str, ...] = ()
    for step in ("directed_by", "~directed_by", "starred_actors"):
        await store.steps_after([(match.entity, path)])
        path += (step,)
        await store.walk([(match.entity, path)], WalkRule())

    assert len(asked) > 6
    assert set(asked) <= planned


async def test_a_change_by_others_is_seen_by_the_next_question(opened: Opened) -> None:
    store = await opened([*FILMS, ("Alien", "renamed_by", "others")])  # and not what the next test opens
    [[alien]] = await store.entities_named(["alien"])
    assert await store.entities_named(["alien", "prometheus"]) == [[alien], []]
    ask("MATCH (n:KgqaEntity {kgqa_name: 'Alien'}) SET n.kgqa_name = 'Prometheus'")
    await store.walk([(alien.entity, ("directed_by",))], WalkRule())

    none, [renamed] = await store.entities_named(["alien", "prometheus"])
    assert none == []
    assert renamed.entity.id == alien.entity.id


async def test_connection_problems_are_explained() -> None:
    for changes, message in (
        (
            {"password": SecretStr("wrong password")},
            "check KGQA_NEO4J_USER and KGQA_NEO4J_PASSWORD",
        ),
        ({"url": "bolt://127.0.0.1:9", "seconds_allowed": 0.5}, "check that it is running"),
        ({"database": "nothere", "seconds_allowed": 0.5}, "nothere"),
    ):
        store = Neo4jGraphStore(settings(**changes))
        with pytest.raises(DependencyError, match=message):
            await store.relations()
        await store.close()
    for url in ("nothing", "http://127.0.0.1:7474", "bolt://", "neo4j+x"):
        with pytest.raises(InvalidInputError, match="KGQA_NEO4J_URL is invalid"):
            Neo4jGraphStore(settings(url=url))
    with pytest.raises(InvalidInputError, match="in KGQA_NEO4J_USER and KGQA_NEO4J_PASSWORD") as raised:
        Neo4jGraphStore(settings(url="bolt://neo4j:hunter2@127.0.0.1"))
    assert "hunter2" not in str(raised.value)


def test_an_interrupted_import_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neo4j_rows, "_BATCH", 7)
    file = graph_file(tmp_path, [(f"s{n}", "r", f"o{n % 5}") for n in range(40)])
    reported: list[int] = []

    def interrupted(done: int, total: int) -> None:
        reported.append(done)
        if len(reported) in (3, 9):
            raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            copy_to_neo4j(file, settings(), interrupted)
    assert copy_to_neo4j(file, settings(), interrupted)
    assert not copy_to_neo4j(file, settings(), interrupted)

    assert reported == sorted(reported)
    [counts] = ask(
        "MATCH (n) WITH count(n) AS nodes MATCH ()-[r]->() "
        "RETURN nodes, count(r) AS facts, count(DISTINCT r.kgqa_place) AS places"
    )
    assert (counts["nodes"], counts["facts"], counts["places"]) == (45, 40, 40)


def test_an_import_does_not_change_foreign_nodes(foreign_graph: Neo4jSettings, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="5 nodes that kgqa did not import"):
        copy_to_neo4j(graph_file(tmp_path, FILMS), settings(), lambda done, total: None)
    assert [row["c"] for row in ask("MATCH (n:Film) RETURN count(n) AS c")] == [2]


async def test_a_name_that_is_added_later_is_found(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_MAX_STALENESS_S", 0.0)
    store = await opened([*FILMS, ("Alien", "named_by", "others")])
    assert await store.entities_named(["a new film"]) == [[]]
    ask("MATCH (n:KgqaEntity {kgqa_name: 'Alien'}) SET n.kgqa_names = ['a new film'], n.kgqa_aliases = ['A New Film']")
    [[found]] = await store.entities_named(["a new film"])
    assert found.entity.name == "Alien"


async def test_bookmarks_are_never_sent(opened: Opened) -> None:
    store = await opened(FILMS)
    assert isinstance(store, Neo4jGraphStore)
    await store.relations()
    bookmark = await store.version()
    assert bookmark
    assert list(await store._connection._latest.get_bookmarks()) == []


async def test_a_new_relationship_type_is_noticed(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_MAX_STALENESS_S", 0.0)
    store = await opened([(f"film {n}", "shown_in", "here") for n in range(1_100)])
    [[here]] = await store.entities_named(["here"])
    assert await store.steps_after([(here.entity, ())]) == [{"^shown_in"}]
    ask("MATCH (n:KgqaEntity {name: 'here'}), (f:KgqaEntity {name: 'film 1'}) CREATE (n)-[:LOVES]->(f)")
    assert await store.steps_after([(here.entity, ())]) == [{"^shown_in", "LOVES"}]


async def test_a_name_is_found_among_many_longer_names(opened: Opened) -> None:
    store = await opened(
        [(f"Paris Metro {n}", "in", "Paris") for n in range(130)]
        + [("Paris", "alias", f"name {n} that is long and not like the other") for n in range(18)]
    )
    [[paris, *_]] = await store.entities_named(["paris"])
    assert paris.entity.name == "Paris"
