"""Import files from text, and read back what a graph file stores."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from graph.sqlite.values import decode
from ingestion.importer import ImportReport, import_files
from shared.errors import InvalidInputError


class StoredNode(NamedTuple):
    name: str
    kinds: set[str]
    properties: dict[str, Any]


class StoredGraph(NamedTuple):
    """Hold the nodes by key, and the relationships in the order of the files."""

    nodes: dict[str, StoredNode]
    relationships: list[tuple[str, str, str, dict[str, Any]]]


def imported(folder: Path, files: Mapping[str, str | bytes], *, is_strict: bool = True) -> StoredGraph:
    report(folder, files, is_strict=is_strict)
    return stored_graph(folder / "graph.sqlite")


def report(
    folder: Path, files: Mapping[str, str | bytes], *, is_strict: bool = False, max_rejected: int | None = None
) -> ImportReport:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    sources = [folder / name for name in files]
    return import_files(sources, folder / "graph.sqlite", is_strict=is_strict, max_rejected=max_rejected)


def stored_graph(file: Path) -> StoredGraph:
    with closing(sqlite3.connect(file)) as graph:
        return StoredGraph(_nodes(graph), list(_relationships(graph)))


def import_error(
    folder: Path, files: Mapping[str, str | bytes], *, is_strict: bool = True, max_rejected: int | None = None
) -> str:
    with pytest.raises(InvalidInputError) as caught:
        report(folder, files, is_strict=is_strict, max_rejected=max_rejected)
    assert not list(folder.glob("*graph.sqlite*")), "a failed import must leave no files"
    return str(caught.value)


def _nodes(graph: sqlite3.Connection) -> dict[str, StoredNode]:
    rows = graph.execute("SELECT id, key, name FROM entities ORDER BY id").fetchall()
    nodes = {row: StoredNode(name, set(), {}) for row, _, name in rows}
    for row, kind in graph.execute("SELECT entity, name FROM node_labels JOIN labels ON id = label"):
        nodes[row].kinds.add(kind)
    values = "SELECT entity, name, value FROM node_properties JOIN property_keys ON id = key"
    for row, key, value in graph.execute(values):
        nodes[row].properties[key] = decode(value)
    return {key: nodes[row] for row, key, _ in rows}


def _relationships(graph: sqlite3.Connection) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    triples = (
        "SELECT triples.id, s.key, relations.name, o.key FROM triples JOIN relations ON relations.id = r "
        "JOIN entities AS s ON s.id = s JOIN entities AS o ON o.id = o ORDER BY triples.id"
    )
    values = "SELECT name, value FROM relationship_properties JOIN property_keys ON id = key WHERE triple = ?"
    for row, source, type_, target in graph.execute(triples):
        found = graph.execute(values, (row,))
        yield source, type_, target, {key: decode(value) for key, value in found}
