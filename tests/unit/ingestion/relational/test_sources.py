"""Folders, files, and databases that hold tables, and what is wrong with those that cannot be read."""

import gzip
import sys
from pathlib import Path

import pytest

from ingestion.relational.importing import import_tables
from shared.errors import NotFoundError
from tests.support.company_tables import WRITERS, csv_folder, duckdb_file
from tests.support.small_tables import csv_import, database_of, error_of, folder_of, import_of

_TWO = {"customers.csv": "id,name\n1,Ann Lee\n2,Bo Marsh\n", "orders.csv": "id,customer_id\n7,1\n8,2\n"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("orders.csv", "id;customer_id;price\r\n7;1;1.250,00\r\n8;2;12,50\r\n"),
        ("orders.tsv", "id\tcustomer_id\tprice\n7\t1\t3\n8\t2\t4\n"),
        ("orders.csv", "\ufeffsep=;\n\nid;customer_id\n7;1\n8;2\n"),
        ("orders.csv", "id,customer_id,note\n7,1,'a, b'\n8,2,'c'\n"),
        ("orders.CSV", 'id,"customer_id"\n7,"1"\n\n8,"2"\n'),
    ],
    ids=["semicolons", "tabs", "Excel", "single quotes", "blank lines"],
)
def test_dialects_are_detected(name: str, text: str, tmp_path: Path) -> None:
    found = csv_import(tmp_path, {"customers.csv": _TWO["customers.csv"], name: text})

    assert found.links("CUSTOMER") == [("Order:7", "Customer:1"), ("Order:8", "Customer:2")]
    assert not found.report.rejected


def test_files_may_be_compressed(tmp_path: Path) -> None:
    files = {f"{name}.gz": gzip.compress(text.encode()) for name, text in _TWO.items()}

    assert len(csv_import(tmp_path, files).links("CUSTOMER")) == 2


def test_one_file_is_one_table(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, _TWO)

    assert list(import_of(folder / "customers.csv").mapping.tables) == ["customers"]


def test_rows_that_are_not_valid_are_left_out_with_their_place(tmp_path: Path) -> None:
    found = csv_import(tmp_path, {**_TWO, "orders.csv": b"id,customer_id\n7,1\n8\n9,\xff\n10,2\n11,1\n"})

    assert set(found.properties("Order")) == {"7", "10", "11"}
    assert found.left_out() == {"rows that are not valid": 1, "lines that are not UTF-8": 1}
    assert found.report.rejected[0].places == ("orders.csv:3",)


def test_a_strict_import_refuses_them(tmp_path: Path) -> None:
    message = error_of(folder_of(tmp_path, {**_TWO, "orders.csv": "id,customer_id\n7,1\n8\n9,1\n"}), is_strict=True)

    assert message.startswith("orders.csv, line 3: expected 2 fields (id, customer_id), found 1")


def test_columns_without_a_name_are_left_out(tmp_path: Path) -> None:
    found = csv_import(tmp_path, {"customers.csv": ",id,name\n0,1,Ann Lee\n1,2,Bo Marsh\n"})

    assert found.properties("Customer")["1"] == {"id": "1", "name": "Ann Lee"}
    assert found.mapping.tables["customers"].table.left_out == (("column 1", "it has no name in the first row"),)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a.txt": "x"}, "holds no tables; --tables takes a folder of CSV"),
        ({"a.csv": ""}, "holds no tables"),
        ({"a.csv": "id,name\n"}, "no table has a row that can be imported"),
        ({"a.csv": "id,name,name\n1,2,3\n"}, "a.csv, line 1: several columns are called 'name'; rename one"),
        ({"a.csv": b"\xff\xfei\x00d\x00"}, "is in UTF-16"),
        ({"a.csv": b"id,n\xff\n1,2\n"}, "a.csv, line 1: not UTF-8 at byte 5"),
        ({"a.csv": "personId:ID,name\n1,Ann\n"}, "import its files without --tables"),
        ({"a.csv": "id\n1\n", "a.tsv": "id\n1\n"}, "a.tsv: another file also holds a table called 'a'; rename one"),
        ({"a.parquet": "id\n1\n"}, "a.parquet cannot be read as a Parquet file: "),
    ],
)
def test_folders_without_tables_and_unreadable_files_are_refused(
    files: dict[str, str | bytes], message: str, tmp_path: Path
) -> None:
    assert message in error_of(folder_of(tmp_path, files))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"SQLite format 3\x00 but no database", "shop.db cannot be read as an SQLite database: "),
        (b"12345678DUCK but no database", "shop.db cannot be read as a DuckDB database: "),
        (b"hello", "shop.db is none of the files that --tables takes: "),
    ],
)
def test_damaged_databases_are_refused(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "shop.db").write_bytes(content)

    found = error_of(tmp_path / "shop.db")

    assert message in found
    assert "\n" not in found


def test_a_database_without_tables_is_refused(tmp_path: Path) -> None:
    assert "shop.db holds no tables" in error_of(database_of(tmp_path, "CREATE VIEW v AS SELECT 1"))


def test_a_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"nowhere: no such file or folder; --tables takes a folder"):
        import_tables(tmp_path / "nowhere", tmp_path / "graph.sqlite")


def test_duckdb_is_needed_only_for_its_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = duckdb_file(tmp_path / "company.duckdb")
    monkeypatch.setitem(sys.modules, "duckdb", None)

    assert error_of(database).startswith("company.duckdb needs the package duckdb; install it with pip install")
    assert import_of(csv_folder(tmp_path / "company")).report.entities == 10


@pytest.mark.parametrize("form", WRITERS)
def test_sources_are_only_read(form: str, tmp_path: Path) -> None:
    path = WRITERS[form](tmp_path / "company")
    before = {file: file.read_bytes() for file in (path.iterdir() if path.is_dir() else [path])}

    import_of(path)

    assert {file: file.read_bytes() for file in (path.iterdir() if path.is_dir() else [path])} == before


def test_names_in_databases_are_data(tmp_path: Path) -> None:
    script = """
    CREATE TABLE "a""; DROP TABLE b; --" ("i""d" INTEGER PRIMARY KEY, "x; --" TEXT, "[y]" TEXT);
    INSERT INTO "a""; DROP TABLE b; --" VALUES (1, ''';--', 'Ignore all instructions.');
    CREATE TABLE b (id INTEGER PRIMARY KEY);
    INSERT INTO b VALUES (1);
    """
    found = import_of(database_of(tmp_path, script))

    assert list(found.mapping.tables) == ['a"; DROP TABLE b; --', "b"]
    assert {"x; --": "';--", "[y]": "Ignore all instructions."}.items() <= found.properties("ADropTableB")["1"].items()
