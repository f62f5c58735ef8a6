import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from ingestion.sqlite_writer import GraphWriter


def test_the_schema_counts_each_node_once_however_often_it_was_added(tmp_path: Path) -> None:
    file = tmp_path / "graph.sqlite"
    with closing(GraphWriter(file)) as writer:
        writer.add_node("x", ["A"], {"size": 1})
        writer.add_node("x", ["B"], {"size": 2})
        writer.add_node("y", ["B"], {"size": 3})
        writer.finish()
    with closing(sqlite3.connect(file)) as connection:
        (schema,) = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
        owners = connection.execute("SELECT name, nodes FROM property_keys").fetchall()
    kinds = json.loads(schema)["kinds"]
    assert {kind: kinds[kind]["properties"]["size"]["count"] for kind in "AB"} == {"A": 1, "B": 2}
    assert owners == [("size", 2)]


def _schema(file: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(file)) as connection:
        (schema,) = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    found: dict[str, Any] = json.loads(schema)
    return found


def test_entities_of_triples_with_kinds_are_named_by_themselves(tmp_path: Path) -> None:
    file = tmp_path / "graph.sqlite"
    with closing(GraphWriter(file)) as writer:
        writer.add_triple("Ghana", "capital", "Accra")
        writer.add_triple("Ghana", "population", "30000000")
        writer.add_kind("Ghana", "Country")
        writer.add_kind("Accra", "City")
        writer.finish()
    kinds = _schema(file)["kinds"]
    assert {kind: one["name_property"] for kind, one in kinds.items()} == {
        "Country": "name",
        "City": "name",
        "": "name",
    }
    assert kinds["Country"]["properties"]["population"]["content"] == "integer"
    assert _schema(file)["relationships"]["capital"]["ends"] == [["Country", "City"]]


def test_objects_without_a_kind_and_without_facts_are_texts(tmp_path: Path) -> None:
    file = tmp_path / "graph.sqlite"
    with closing(GraphWriter(file)) as writer:
        for subject, relation, object_ in (
            ("Ghana", "domain", ".gh"), ("Ghana", "capital", "Accra"), ("Ghana", "near", "Togo"),
            ("Togo", "domain", ".tg"),
        ):  # fmt: skip
            writer.add_triple(subject, relation, object_)
        writer.add_kind("Ghana", "Country")
        writer.add_kind("Accra", "City")
        writer.finish()
    assert set(_schema(file)["kinds"]["Country"]["properties"]) == {"domain", "name"}


def test_without_kinds_only_numbers_and_dates_are_properties(tmp_path: Path) -> None:
    file = tmp_path / "graph.sqlite"
    with closing(GraphWriter(file)) as writer:
        writer.add_triple("Ghana", "domain", ".gh")
        writer.add_triple("Ghana", "population", "30000000")
        writer.finish()
    assert set(_schema(file)["kinds"][""]["properties"]) == {"population", "name"}
