"""The same tables give the same graph, whatever file they are in, and whatever declares their keys."""

from pathlib import Path
from typing import Any

import pytest

from graph.cypher.reader import read_cypher
from graph.plan.schema_json import schema_as_json
from graph.sqlite.store import SqliteGraphStore
from ingestion.importer import import_files
from ingestion.relational.importing import TablesReport, import_tables
from tests.support.company_tables import WRITERS, admin_files
from tests.support.imported_graphs import stored_graph

QUESTIONS = {
    "MATCH (e:Employee)-[:DEPARTMENT]->(d:Department) WHERE d.name = 'Repairs' RETURN e.name": [
        ("Ada Lind",),
        ("Bo Marsh",),
    ],
    "MATCH (e:Employee)-[:MANAGER]->(m:Employee) WHERE m.name = 'Ada Lind' RETURN e.name": [
        ("Bo Marsh",),
        ("Cleo Park",),
    ],
    "MATCH (e:Employee)-[a:ASSIGNMENTS]->(p:Project) RETURN p.title, sum(a.hours) AS hours ORDER BY hours DESC": [
        ("Ferry", 48),
        ("Harbour", 42),
        ("Bridge", 5),
    ],
    "MATCH (e:Employee) RETURN avg(e.salary) AS mean": [(4400.25,)],
    "MATCH (e:Employee) WHERE e.hired_on >= date('2020-01-01') RETURN e.name": [("Cleo Park",), ("Dan Roth",)],
    "MATCH (d:Department) WHERE NOT EXISTS { (:Employee)-[:DEPARTMENT]->(d) } RETURN d.name": [("Archive",)],
}


def imported(form: str, folder: Path, **settings: Any) -> TablesReport:
    return import_tables(WRITERS[form](folder / f"company-{form}"), folder / f"{form}.sqlite", **settings)


@pytest.fixture(scope="module")
def of_admin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("admin")
    import_files(admin_files(folder / "company"), folder / "graph.sqlite", is_strict=True)
    return folder / "graph.sqlite"


async def schema_of(file: Path) -> Any:
    store = SqliteGraphStore(file)
    try:
        return schema_as_json(await store.schema())
    finally:
        await store.close()


@pytest.mark.parametrize("form", WRITERS)
async def test_the_schema_is_that_of_the_property_graph(form: str, tmp_path: Path, of_admin: Path) -> None:
    imported(form, tmp_path, is_strict=True)

    assert await schema_of(tmp_path / f"{form}.sqlite") == await schema_of(of_admin)


@pytest.mark.parametrize("form", WRITERS)
async def test_queries_have_the_same_answers(form: str, tmp_path: Path, of_admin: Path) -> None:
    imported(form, tmp_path)
    for file in (tmp_path / f"{form}.sqlite", of_admin):
        store = SqliteGraphStore(file)
        for query, rows in QUESTIONS.items():
            found = (await store.run(read_cypher(query), 100)).rows
            assert list(found) == rows, query
        await store.close()


@pytest.mark.parametrize("form", WRITERS)
def test_nodes_and_relationships_are_the_same(form: str, tmp_path: Path, of_admin: Path) -> None:
    imported(form, tmp_path)

    found, expected = stored_graph(tmp_path / f"{form}.sqlite"), stored_graph(of_admin)

    assert found.nodes == expected.nodes
    assert sorted(map(repr, found.relationships)) == sorted(map(repr, expected.relationships))


@pytest.mark.parametrize("form", WRITERS)
def test_the_report_says_what_tables_became_and_how_that_is_known(form: str, tmp_path: Path) -> None:
    mapping = imported(form, tmp_path).mapping
    how = "declared" if form in ("sqlite", "duckdb") else "by name and values"

    assert {name: table.key.columns for name, table in mapping.tables.items() if not table.link_type} == {
        "departments": ("id",),
        "employees": ("employee_id",),
        "projects": ("code",),
    }
    references = [(one.columns, one.target, one.found) for one in mapping.tables["employees"].references]
    assert references == [(("department_id",), "departments", how), (("manager_id",), "employees", how)]
    assert mapping.tables["assignments"].link_type == "ASSIGNMENTS"
