"""Write small tables for a test, and import them."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ingestion.relational.importing import TablesOptions, TablesReport, import_tables, survey_tables
from ingestion.relational.mapping import GraphMapping
from shared.errors import InvalidInputError
from tests.support.imported_graphs import StoredGraph, stored_graph


class Imported(NamedTuple):
    report: TablesReport
    graph: StoredGraph

    @property
    def mapping(self) -> GraphMapping:
        return self.report.mapping

    def properties(self, kind: str) -> dict[str, dict[str, Any]]:
        """Return the properties of the nodes of a kind by their keys."""
        prefix = f"{kind}:"
        nodes = self.graph.nodes.items()
        return {key.removeprefix(prefix): node.properties for key, node in nodes if node.kinds == {kind}}

    def names(self, kind: str) -> list[str]:
        return [node.name for node in self.graph.nodes.values() if node.kinds == {kind}]

    def links(self, type_: str) -> list[tuple[str, str]]:
        return [(source, target) for source, found, target, _ in self.graph.relationships if found == type_]

    def references(self, table: str) -> dict[str, str]:
        """Return the table that each column refers to."""
        return {",".join(one.columns): one.target for one in self.mapping.tables[table].references}

    def left_out(self) -> dict[str, int]:
        return {one.reason: one.number for one in self.report.rejected}


def folder_of(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    tables = folder / "tables"
    tables.mkdir(exist_ok=True)
    for name, content in files.items():
        (tables / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return tables


def database_of(folder: Path, script: str) -> Path:
    with closing(sqlite3.connect(folder / "shop.db")) as database:
        database.executescript(script)
    return folder / "shop.db"


def import_of(
    path: Path, keys: Sequence[str] = (), references: Sequence[str] = (), target: str = "graph.sqlite", **settings: Any
) -> Imported:
    options = TablesOptions(keys=keys, references=references)
    report = import_tables(path, path.parent / target, options=options, **settings)
    return Imported(report, stored_graph(path.parent / target))


def csv_import(folder: Path, files: Mapping[str, str | bytes], **settings: Any) -> Imported:
    return import_of(folder_of(folder, files), **settings)


def error_of(path: Path, keys: Sequence[str] = (), references: Sequence[str] = (), **settings: Any) -> str:
    with pytest.raises(InvalidInputError) as caught:
        import_of(path, keys, references, **settings)
    assert not list(path.parent.glob("*graph.sqlite*")), "a failed import must leave no files"
    return str(caught.value)


def survey_of(path: Path, keys: Sequence[str] = (), references: Sequence[str] = ()) -> GraphMapping:
    return survey_tables(path, TablesOptions(keys=keys, references=references)).mapping
