"""Test how a snapshot reads a database, with a fake database."""

import asyncio
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock, Mock

import pytest
from neo4j.time import Date
from pydantic import SecretStr

from graph.neo4j.settings import Neo4jSettings
from graph.sqlite.store import SqliteGraphStore
from ingestion import neo4j_snapshot
from ingestion.neo4j_snapshot import LeftOut, SnapshotReport, import_database
from shared.errors import InvalidInputError
from tests.support.imported_graphs import stored_graph

SETTINGS = Neo4jSettings(url="bolt://127.0.0.1:1", password=SecretStr("pa55"), hide="Person.ssn,pin")
NODES = [
    ("4:db:10", ["Person", "Staff"], {"name": "Bo", "ssn": "111-secret", "pin": 7, "born": Date(1990, 1, 2)}),
    ("4:db:9", ["Person"], {"name": "Alma", "tags": ["a", "b"], "photo": b"bytes"}),
    ("4:db:2", [], {"ssn": "not a person's"}),
]
RELATIONSHIPS = [
    ("5:db:20", "4:db:9", "KNOWS", "4:db:10", {"since": 1999, "pin": 7}),
    ("5:db:3", "4:db:9", "KNOWS", "4:db:10", {"since": 1999}),
]


class FakeDatabase:
    """Stand in for the database; it changes after each of the first `changes` states."""

    changes = 0
    nodes = NODES

    def __init__(self, *_: object) -> None:
        self._by_id: dict[str, dict[str, Any]] = {}
        for id_, labels, properties in self.nodes:
            self._by_id[id_] = {"id": id_, "labels": labels, "properties": properties}
        for id_, source, type_, target, properties in RELATIONSHIPS:
            self._by_id[id_] = {"source": source, "type": type_, "target": target, "properties": properties}

    def state(self) -> neo4j_snapshot._State:
        if FakeDatabase.changes:
            FakeDatabase.changes -= 1
        return neo4j_snapshot._State(frozenset({str(FakeDatabase.changes)}), len(self.nodes), len(RELATIONSHIPS))

    def rows(self, text: str, seconds: float, ids: list[str] | None = None) -> Iterator[dict[str, Any]]:
        if ids is None:
            yield from ({"id": id_} for id_ in self._by_id if id_[0] == ("5" if "[x]" in text else "4"))
        else:
            yield from (self._by_id[id_] for id_ in ids)

    sorted_ids = neo4j_snapshot._Database.sorted_ids


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> None:
    async def names(settings: Neo4jSettings) -> dict[str, str | None]:
        return {"Person": "name", "Staff": None}

    monkeypatch.setattr(FakeDatabase, "changes", 0)
    monkeypatch.setattr(neo4j_snapshot, "_opened", lambda settings: MagicMock())
    monkeypatch.setattr(neo4j_snapshot, "_Database", FakeDatabase)
    monkeypatch.setattr(neo4j_snapshot, "_name_properties", names)
    monkeypatch.setattr(neo4j_snapshot, "_BATCH", 2)


def snapshot(folder: Path) -> SnapshotReport:
    return import_database(SETTINGS, folder / "graph.sqlite")


def test_rows_are_in_the_order_of_the_ids(tmp_path: Path) -> None:
    snapshot(tmp_path)
    graph = stored_graph(tmp_path / "graph.sqlite")
    assert list(graph.nodes) == ["4:db:2", "4:db:9", "4:db:10"]
    assert graph.nodes["4:db:9"] == ("Alma", {"Person"}, {"name": "Alma", "tags": ("a", "b")})
    assert graph.nodes["4:db:10"] == ("Bo", {"Person", "Staff"}, {"name": "Bo", "born": date(1990, 1, 2)})
    assert graph.relationships == [("4:db:9", "KNOWS", "4:db:10", {"since": 1999})] * 2


def test_the_report_counts_what_is_left_out(tmp_path: Path) -> None:
    report = snapshot(tmp_path)
    assert (report.entities, report.triples, report.duplicates) == (3, 2, 0)
    assert report.kinds == {"Person": 2, "Staff": 1}
    assert (report.node_values, report.relationship_values) == (5, 2)
    assert report.left_out == {
        LeftOut("Person", "photo", "byte arrays"): 1,
    }
    assert b"111-secret" not in (tmp_path / "graph.sqlite").read_bytes()


@pytest.mark.parametrize(("hide", "unused"), [("Person.ssn,pin", 0), ("Person.snn,pin,Persn.ssn", 2), ("", 0)])
def test_the_report_counts_hidden_properties_that_do_not_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hide: str, unused: int
) -> None:
    monkeypatch.setattr(f"{__name__}.SETTINGS", SETTINGS.model_copy(update={"hide": hide}))

    assert snapshot(tmp_path).unused_hidden == unused


def test_the_chosen_names_reach_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def names(settings: Neo4jSettings) -> dict[str, str | None]:
        return {"Person": "born", "Staff": "ssn"}  # a hidden property never names a node

    monkeypatch.setattr(neo4j_snapshot, "_name_properties", names)
    snapshot(tmp_path)
    assert stored_graph(tmp_path / "graph.sqlite").nodes["4:db:10"].name == "1990-01-02"


def test_a_database_that_changes_is_read_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    FakeDatabase.changes = 2
    assert snapshot(tmp_path).entities == 3

    FakeDatabase.changes = 5
    (tmp_path / "graph.sqlite").write_bytes(b"old")
    with pytest.raises(InvalidInputError, match="changed during the snapshot"):
        snapshot(tmp_path)
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("graph.sqlite", b"old")]


def test_an_interrupted_snapshot_leaves_nothing(tmp_path: Path) -> None:

    def interrupt(done: int, total: int) -> None:
        if done > 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_database(SETTINGS, tmp_path / "graph.sqlite", interrupt)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_database_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeDatabase, "nodes", [])
    with pytest.raises(InvalidInputError, match="contains no nodes; check KGQA_NEO4J_DATABASE"):
        snapshot(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_relation_that_looks_like_an_inverse_step_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "RELATIONSHIPS", [("5:db:1", "4:db:2", "^KNOWS", "4:db:2", {})])
    with pytest.raises(InvalidInputError, match=r"Neo4j at bolt://127.0.0.1:1: the relation '\^KNOWS'"):
        snapshot(tmp_path)


def test_ctrl_c_cuts_the_connection_and_never_waits_for_the_session() -> None:
    driver = Mock()
    with pytest.raises(KeyboardInterrupt), neo4j_snapshot._session(driver, SETTINGS):
        raise KeyboardInterrupt
    assert [name for name, _, _ in driver.mock_calls] == ["session", "close"]


def test_the_aliases_property_holds_other_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [
        ("4:db:9", ["Person"], {"name": "Alma", "aliases": ["Al", " A.\n K. ", "", 7, "Alma"]}),
        ("4:db:10", ["Person"], {"name": "Bo", "aliases": "Bobby"}),
    ]
    monkeypatch.setattr(FakeDatabase, "nodes", nodes)

    report = snapshot(tmp_path)

    assert report.aliases == 3
    names = SqliteGraphStore(tmp_path / "graph.sqlite").entities_named(["al", "a. k.", "bobby"])
    assert [[match.entity.name for match in found] for found in asyncio.run(names)] == [["Alma"], ["Alma"], ["Bo"]]


def test_hidden_aliases_are_not_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeDatabase, "nodes", [*NODES[:2], ("4:db:7", ["Person"], {"aliases": "classified"})])
    monkeypatch.setattr(f"{__name__}.SETTINGS", SETTINGS.model_copy(update={"hide": "aliases"}))

    assert snapshot(tmp_path).aliases == 0
    assert b"classified" not in (tmp_path / "graph.sqlite").read_bytes()
