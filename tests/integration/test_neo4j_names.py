"""Test entity linking on a Neo4j without a full-text index, which kgqa only reads."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from graph.neo4j import background_refresh, connection, name_reader
from graph.neo4j.connection import Connection, Row
from graph.neo4j.settings import Neo4jSettings
from graph.neo4j.store import Neo4jGraphStore
from graph.store import NameMatch, WalkRule
from ingestion.neo4j import copy_to_neo4j
from shared.errors import DependencyError, RefusedError
from tests.graph_contract import *
from tests.graph_contract import Opened
from tests.neo4j_server import ask, clear, needs_neo4j, settings
from tests.support.waiting import HANGS_AFTER_S
from tests.unit.graph.building import Row as FileRow
from tests.unit.graph.building import graph_file

pytestmark = needs_neo4j

_NO_INDEX = "no index"
_WRITES = re.compile(r"\b(CREATE|MERGE|SET|DELETE|REMOVE|DROP|ALTER|GRANT|FOREACH|LOAD)\b")


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    """Open a store over the given rows that does not know their full-text index, and close it after the test."""
    stores: list[Neo4jGraphStore] = []

    async def open_(rows: list[FileRow]) -> Neo4jGraphStore:
        copy_to_neo4j(graph_file(tmp_path, rows), settings(), lambda done, total: None)
        stores.append(Neo4jGraphStore(settings(names_index=_NO_INDEX)))
        return stores[-1]

    yield open_
    for store in stores:
        await store.close()


@pytest.fixture
def films() -> Iterator[Neo4jSettings]:
    """Create a graph whose labels have different properties for names, and return settings without any of them."""
    clear()
    ask("MATCH (n:Film|Person) DETACH DELETE n")
    ask(
        "CREATE (a:Film {title: 'Alien', tagline: 'In space'}), (b:Film {title: 'Aliens'}), "
        "(s:Person {name: ' Sigourney\n Weaver', ssn: '1', aliases: ['Susan Alexandra Weaver']}), "
        "(r:Person {name: 'Ridley Scott', ssn: '2', aliases: 'Sir Ridley'}), "
        "(s)-[:ACTED_IN]->(a), (s)-[:ACTED_IN]->(b), (r)-[:DIRECTED]->(a)"
    )
    yield settings(names_index=_NO_INDEX)
    ask("MATCH (n:Film|Person) DETACH DELETE n")


def _shown(matches: list[NameMatch]) -> list[tuple[str, str, int, int]]:
    return [(match.entity.name, match.name, match.distance, match.degree) for match in matches]


async def test_names_of_all_labels_are_found_without_any_settings(films: Neo4jSettings) -> None:
    store = Neo4jGraphStore(films)
    await store.check()

    film, person, alias = await store.entities_named(["alien", "sigourney weaver", "sir ridley"])
    [misspelled] = await store.entities_like(["sigourny weaver"])
    [short] = await store.entities_by_short_name(["scott"])
    [walk] = await store.walk([(person[0].entity, ("ACTED_IN",))], WalkRule())

    assert _shown(film) == [("Alien", "Alien", 0, 2)]
    assert _shown(person) == [("Sigourney Weaver", "Sigourney Weaver", 0, 2)]
    assert _shown(alias) == [("Ridley Scott", "Sir Ridley", 0, 1)]
    assert _shown(misspelled) == [("Sigourney Weaver", "Sigourney Weaver", 1, 2)]
    assert _shown(short) == [("Ridley Scott", "Ridley Scott", 0, 1)]
    assert [reached.entity.name for reached in walk.reached] == ["Alien", "Aliens"]
    await store.close()


async def test_chosen_and_hidden_properties_are_respected(films: Neo4jSettings) -> None:
    chosen = Neo4jGraphStore(films.model_copy(update={"names": "Film.tagline", "hide": "Person.name,aliases"}))

    tagline, title, person, alias = await chosen.entities_named(
        ["in space", "alien", "sigourney weaver", "susan alexandra weaver"]
    )

    assert [match.name for match in tagline] == ["In space"]
    assert (title, person, alias) == ([], [], [])
    [walk] = await chosen.walk([(tagline[0].entity, ("^DIRECTED",))], WalkRule())
    assert "Ridley" not in walk.reached[0].entity.name
    await chosen.close()


async def test_nothing_is_written_and_no_schema_changes(films: Neo4jSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    query = Connection.query

    async def noted(
        self: Connection, text: str, parameters: Mapping[str, Any], seconds: float | None = None
    ) -> list[Row]:
        sent.append(text)
        return await query(self, text, parameters, seconds)

    monkeypatch.setattr(Connection, "query", noted)
    store = Neo4jGraphStore(films)
    await store.check()
    before = await store.version()
    [[alien]] = await store.entities_named(["alien"])
    await store.entities_like(["aliem"])
    assert await store.ready()
    await store.walk([(alien.entity, ("^DIRECTED",))], WalkRule())
    await store.sample_entities(5)

    assert await store.version() == before
    assert len(sent) > 10
    assert not [text for text in sent if _WRITES.search(text)]
    with pytest.raises(RefusedError, match="read access mode"):
        await store._connection.query("CREATE (:Film)", {})
    await store.close()


async def test_readiness_says_that_names_are_being_indexed(films: Neo4jSettings) -> None:
    store = Neo4jGraphStore(films)

    with pytest.raises(DependencyError, match="the index of names is being built") as raised:
        await store.ready()
    assert "bolt://" not in raised.value.public_detail
    await store.entities_named(["alien"])

    assert await store.ready()
    await store.close()


async def test_a_change_is_found_while_the_old_index_serves(
    films: Neo4jSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_MAX_STALENESS_S", 0.0)
    monkeypatch.setattr(background_refresh, "_PAUSE_FACTOR", 0.0)
    monkeypatch.setattr(background_refresh, "_MIN_PAUSE_S", 0.0)
    store = Neo4jGraphStore(films)
    assert await store.entities_named(["prometheus"]) == [[]]
    ask("MATCH (n:Film {title: 'Aliens'}) SET n.title = 'Prometheus'")

    [[old]] = await store.entities_named(["aliens"])
    rebuilt = store._names._local._index._task
    assert rebuilt is not None
    await asyncio.wait_for(rebuilt, HANGS_AFTER_S)
    [[new]] = await store.entities_named(["prometheus"])

    assert (old.entity.name, new.entity.name) == ("Aliens", "Prometheus")
    assert old.entity.id == new.entity.id
    await store.close()


async def test_a_full_text_index_that_is_created_later_is_used(
    films: Neo4jSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_MAX_STALENESS_S", 0.0)
    store = Neo4jGraphStore(films.model_copy(update={"names_index": "names_test"}))
    [[local]] = await store.entities_named(["alien"])
    ask("CREATE FULLTEXT INDEX names_test FOR (n:Film) ON EACH [n.title]")
    ask("CALL db.awaitIndexes(60)")
    try:
        alien, person = await store.entities_named(["alien", "ridley scott"])
    finally:
        ask("DROP INDEX names_test")

    assert (alien, person) == ([local], [])
    await store.close()


async def test_too_many_names_are_refused_with_the_index_to_create(
    films: Neo4jSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(name_reader, "MAX_NODES", 3)
    store = Neo4jGraphStore(films)

    with pytest.raises(RefusedError, match="4 nodes with names, but kgqa indexes at most 3") as raised:
        await store.check()
    create = "CREATE FULLTEXT INDEX `no index` FOR (n:`Film`|`Person`) ON EACH [n.`name`, n.`title`]"
    assert create in str(raised.value)
    with pytest.raises(RefusedError, match=re.escape(create)):
        await store.entities_named(["alien"])
    with pytest.raises(RefusedError, match=re.escape(create)):
        await store.ready()
    await store.close()


async def test_names_are_read_in_pages(films: Neo4jSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_reader, "_PAGE", 1)
    store = Neo4jGraphStore(films)

    found = await store.entities_named(["alien", "aliens", "ridley scott", "sigourney weaver"])

    assert [len(matches) for matches in found] == [1, 1, 1, 1]
    await store.close()
