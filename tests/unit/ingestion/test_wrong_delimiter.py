"""A delimiter that the user gives, but that the file does not have, is refused."""

from pathlib import Path

import pytest

from ingestion.csv_dialect import DialectOptions
from ingestion.importer import import_files
from ingestion.relational.importing import TablesOptions, import_tables
from ingestion.table_options import TableOptions, parse_group
from shared.errors import InvalidInputError
from tests.support.imported_graphs import stored_graph

_ROWS = "name,price\nBolt,1\nNut,2\n"


def _import_nodes(folder: Path, content: str, delimiter: str) -> None:
    (folder / "rows.csv").write_text(content, encoding="utf-8")
    group = parse_group(f"Item={folder / 'rows.csv'}", is_nodes=True)
    import_files([], folder / "graph.sqlite", options=TableOptions(DialectOptions(delimiter), [group]))


@pytest.mark.parametrize(("right", "option"), [(",", "','"), (";", "';'"), ("|", "'|'"), ("\t", "TAB")])
def test_the_right_delimiter_is_named(right: str, option: str, tmp_path: Path) -> None:
    wrong = ";" if right != ";" else ","

    with pytest.raises(InvalidInputError, match=r"rows\.csv, line 1: ") as caught:
        _import_nodes(tmp_path, _ROWS.replace(",", right), wrong)

    assert f"set --delimiter {option}, or rename the column" in str(caught.value)
    assert not (tmp_path / "graph.sqlite").exists()


def test_a_header_without_rows_is_enough(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="set --delimiter ','"):
        _import_nodes(tmp_path, "name,price\n", ";")


@pytest.mark.parametrize("content", ["place\nRome, Italy\nOslo, Norway\n", "town, land\nRome\nOslo\nBern, Bern\n"])
def test_a_file_may_have_one_column(content: str, tmp_path: Path) -> None:
    _import_nodes(tmp_path, content, ";")

    assert len(stored_graph(tmp_path / "graph.sqlite").nodes) == content.count("\n") - 1


def test_tables_are_checked_as_well(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "items.csv").write_text(_ROWS, encoding="utf-8")
    options = TablesOptions(TableOptions(DialectOptions(";")))

    with pytest.raises(InvalidInputError) as caught:
        import_tables(tmp_path / "tables", tmp_path / "graph.sqlite", options=options)

    assert str(caught.value) == (
        "items.csv, line 1: 'name,price' is one column if semicolons separate fields, but commas divide it and most "
        "rows; set --delimiter ',', or rename the column if it is only one"
    )
