"""The sheets of a workbook are tables."""

import sys
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.support.small_tables import error_of, import_of
from tests.support.workbooks import write_workbook

_PEOPLE = [
    (None, None, None),
    ("id", "name", None, "born", "seen", "member", "size", "badge"),
    (1, "Ann Lee", "x", date(1980, 2, 29), datetime(2024, 1, 2, 3, 4, 5), True, 1.5, "007"),
    (None,),
    (2, "Bo & Co", None, date(1990, 1, 1), None, False, 2, "12"),
]


def test_cells_have_the_types_of_the_workbook(tmp_path: Path) -> None:
    found = import_of(write_workbook(tmp_path / "club.xlsx", {"People": _PEOPLE, "Notes": [("id",), (1,)]}))

    assert found.properties("Person") == {
        "1": {
            "id": "1",
            "name": "Ann Lee",
            "born": date(1980, 2, 29),
            "seen": datetime(2024, 1, 2, 3, 4, 5),
            "member": True,
            "size": 1.5,
            "badge": "007",
        },
        "2": {"id": "2", "name": "Bo & Co", "born": date(1990, 1, 1), "member": False, "size": 2.0, "badge": "12"},
    }
    assert found.mapping.tables["People"].table.left_out == (("column 3", "it has no name in the first row"),)


def test_sheets_refer_to_each_other_and_hidden_ones_are_ignored(tmp_path: Path) -> None:
    sheets: dict[str, list[tuple[Any, ...]]] = {
        "teams": [("id", "name"), (1, "Reds")],
        "players": [("id", "team_id"), (7, 1), (8, None)],
        "old": [("id",), (1,)],
    }

    found = import_of(write_workbook(tmp_path / "league.xlsx", sheets, hidden=["old"]))

    assert list(found.mapping.tables) == ["teams", "players"]
    assert found.links("TEAM") == [("Player:7", "Team:1")]


def test_the_only_sheet_is_called_as_the_file_also_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    write_workbook(tmp_path / "tables" / "teams.xlsx", {"Sheet1": [("id", "name"), (1, "Reds")]})
    (tmp_path / "tables" / "players.csv").write_text("id,team\n7,1\n")
    (tmp_path / "tables" / "~$teams.xlsx").write_text("lock")

    found = import_of(tmp_path / "tables")

    assert found.links("TEAM") == [("Player:7", "Team:1")]
    assert found.mapping.ignored == ("~$teams.xlsx",)


def test_rows_are_reported_by_their_numbers(tmp_path: Path) -> None:
    rows = [("id", "name"), (1, "Ann"), (None, "Bo"), (1, "Cleo")]
    book = write_workbook(tmp_path / "club.xlsx", {"members": rows, "empty": []})

    assert error_of(book, keys=["club=id"]) == (
        "--key club=id: 2 rows of club.xlsx, sheet members have the value '1'; correct them, or give columns that "
        "identify each row"
    )
    assert set(import_of(book, keys=["club=name"]).properties("Club")) == {"Ann", "Bo", "Cleo"}


def test_what_is_no_workbook_is_refused(tmp_path: Path) -> None:
    (tmp_path / "club.xlsx").write_bytes(b"PK\x03\x04 no archive")

    assert error_of(tmp_path / "club.xlsx").startswith("club.xlsx cannot be read as a workbook: ")


def test_a_column_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    book = write_workbook(tmp_path / "club.xlsx", {"members": [("id", "id"), (1, 2)]})

    assert error_of(book) == "club.xlsx, sheet members, row 1: several columns are called 'id'; rename one"


def test_the_package_is_needed_only_for_workbooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = write_workbook(tmp_path / "club.xlsx", {"members": [("id",), (1,)]})
    monkeypatch.setitem(sys.modules, "python_calamine", None)

    assert "club.xlsx needs the package python-calamine; install it with pip install" in error_of(book)
