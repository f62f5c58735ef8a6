"""Test snapshots of a real Neo4j, and their errors on the command line."""

import sys
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pytest

from graph.neo4j.cypher_text import quote
from ingestion import neo4j_snapshot
from ingestion.neo4j_snapshot import import_database
from kgqa.cli import main
from shared.errors import InvalidInputError
from tests.neo4j_server import PASSWORD, URL, ask, clear, needs_neo4j, settings
from tests.support.imported_graphs import stored_graph

pytestmark = needs_neo4j

PERSON, STAFF, ODD = "SnapshotTestPerson", "SnapshotTestStaff", "SnapshotTest `odd` \\u0041 é"
_CREATE = f"""
CREATE (a:{PERSON} {{name: 'Alma', email: 'a@example.org', ssn: '111-secret', born: date('1990-01-02'), pay: 10}}),
    (b:{PERSON}:{STAFF} {{name: 'Bo', ssn: '222-secret', seen: datetime('2020-02-29T01:30:00+02:00'), tags: ['x', 'y'],
        vector: [x IN range(1, 101) | 1.0 * x], place: point({{x: 1, y: 2}}), far: date('+12000-01-01'),
        nan: 0.0 / 0.0, data: $data}}),
    (o:{quote(ODD)} {{{quote(ODD)}: true}}),
    (a)-[:SNAPSHOT_TEST_KNOWS {{since: 1999, ssn: '333-secret'}}]->(b),
    (a)-[:SNAPSHOT_TEST_KNOWS {{since: 1999}}]->(b), (b)-[:SNAPSHOT_TEST_KNOWS]->(o)
"""


@pytest.fixture
def graph() -> Iterator[None]:
    """Fill the empty database with a small graph."""
    clear()
    ask(f"MATCH (n:{PERSON}|{STAFF}|{quote(ODD)}) DETACH DELETE n")
    [others] = ask("MATCH (n) RETURN count(n) AS count")
    assert others["count"] == 0, "the database holds nodes that the tests did not make; set another one"
    ask(_CREATE, data=b"bytes")
    yield
    ask(f"MATCH (n:{PERSON}|{STAFF}|{quote(ODD)}) DETACH DELETE n")


@pytest.fixture(autouse=True)
def _environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path))
    monkeypatch.setenv("KGQA_NEO4J_PASSWORD", PASSWORD)
    monkeypatch.delenv("KGQA_NEO4J_URL", raising=False)


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["kgqa", "import", *words])
    with pytest.raises(SystemExit) as ended:
        main()
        sys.exit(0)
    return int(ended.value.code or 0)


@pytest.mark.usefixtures("graph")
def test_a_snapshot_holds_nodes_with_typed_properties_and_parallel_relationships(tmp_path: Path) -> None:
    file = tmp_path / "graph.sqlite"
    report = import_database(settings(hide=f"{PERSON}.ssn,SNAPSHOT_TEST_KNOWS.ssn"), file)

    stored = stored_graph(file)
    rows = ask("MATCH (n) RETURN coalesce(n.name, '') AS name, elementId(n) AS id")
    ids = {row["name"]: row["id"] for row in rows}
    assert list(stored.nodes) == sorted(ids.values(), key=lambda id_: int(id_.rpartition(":")[2]))
    assert stored.nodes[ids["Alma"]] == (
        "Alma",
        {PERSON},
        {"name": "Alma", "email": "a@example.org", "born": date(1990, 1, 2), "pay": 10},
    )
    assert stored.nodes[ids["Bo"]] == (
        "Bo",
        {PERSON, STAFF},
        {"name": "Bo", "seen": datetime(2020, 2, 28, 23, 30), "tags": ("x", "y")},
    )
    assert stored.nodes[ids[""]][1:] == ({ODD}, {ODD: True})
    knows = (ids["Alma"], "SNAPSHOT_TEST_KNOWS", ids["Bo"])
    assert sorted(stored.relationships, key=str) == sorted(
        [(*knows, {"since": 1999}), (*knows, {"since": 1999}), (ids["Bo"], "SNAPSHOT_TEST_KNOWS", ids[""], {})], key=str
    )
    assert b"-secret" not in file.read_bytes()
    assert {(one.key, one.reason): count for one, count in report.left_out.items() if one.key != "ssn"} == {
        ("vector", "lists of more than 100 numbers"): 1,
        ("place", "points"): 1,
        ("far", "unsupported values"): 1,
        ("nan", "numbers that are not finite"): 1,
        ("data", "byte arrays"): 1,
    }


@pytest.mark.usefixtures("graph")
def test_chosen_names_name_the_nodes(tmp_path: Path) -> None:
    import_database(settings(names=f"{PERSON}.email"), tmp_path / "graph.sqlite")
    names = {node.name for node in stored_graph(tmp_path / "graph.sqlite").nodes.values()}
    assert "a@example.org" in names
    assert "Alma" not in names


@pytest.mark.usefixtures("graph")
def test_a_database_that_keeps_changing_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neo4j_snapshot, "_BATCH", 1)
    changes = 0

    def change(done: int, total: int) -> None:
        nonlocal changes
        if done == 1:
            changes += 1
            ask(f"MATCH (n:{PERSON}) SET n.pay = $pay", pay=changes)

    with pytest.raises(InvalidInputError, match="changed during the snapshot"):
        import_database(settings(), tmp_path / "graph.sqlite", change)
    assert changes == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("graph")
def test_the_command_prints_kinds_and_what_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KGQA_NEO4J_HIDE", "ssn")
    assert run(monkeypatch, URL, "--graph", "people") == 0
    printed = capsys.readouterr().out
    assert "people: 3 triples, 3 entities, 1 relation, 0 aliases; " in printed
    assert f"kinds: {PERSON} 2, {STAFF} 1" in printed or f"kinds: {PERSON} 2, {ODD} 1" in printed
    assert "properties: 8 values of nodes, 2 of relationships" in printed
    assert "ssn" not in printed


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("KGQA_NEO4J_PASSWORD", "wrong-pa55", "rejected user 'neo4j': check KGQA_NEO4J_USER and KGQA_NEO4J_PASSWORD"),
        ("KGQA_NEO4J_DATABASE", "nope", "has no database 'nope'; set KGQA_NEO4J_DATABASE"),
    ],
)
def test_wrong_settings_are_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], variable: str, value: str, message: str
) -> None:
    monkeypatch.setenv(variable, value)
    assert run(monkeypatch, URL, "--graph", "people") == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert "pa55" not in error
    assert PASSWORD not in error
