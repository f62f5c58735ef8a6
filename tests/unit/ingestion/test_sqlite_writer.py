import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ingestion.sqlite_writer import GraphWriter, relation_names


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        (["<http://e.org/p#directedBy>", "<http://e.org/q/writtenBy>"], ["directedBy", "writtenBy"]),
        (["<http://e.org/p#by>", "<http://e.org/q#by>"], ["http://e.org/p#by", "http://e.org/q#by"]),
        (["<loves>", "loves"], ["<loves>", "loves"]),
        (["<http://e.org/p#by>", "by", "http://e.org/p#by"], ["<http://e.org/p#by>", "by", "http://e.org/p#by"]),
        (["<http://e.org/^knows>"], ["http://e.org/^knows"]),
    ],
)
def test_relation_names_stay_distinct(keys: list[str], names: list[str]) -> None:
    assert relation_names(keys) == names


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
