from pathlib import Path

import pytest

from ingestion.importer import import_files
from ingestion.table_options import TableGroup, TableOptions, parse_group
from shared.errors import InvalidInputError, NotFoundError
from tests.support.imported_graphs import StoredGraph, import_error, stored_graph


def _joined(folder: Path, *groups: TableGroup) -> StoredGraph:
    placed = [TableGroup(one.is_nodes, one.names, tuple(folder / file for file in one.files)) for one in groups]
    import_files([], folder / "graph.sqlite", options=TableOptions(groups=placed))
    return stored_graph(folder / "graph.sqlite")


def test_a_header_and_labels_may_be_apart_from_the_data(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("shipId:ID(Ship),shipID,:LABEL\n")
    (tmp_path / "1.csv").write_text("1,a,Barge\n")
    (tmp_path / "2.csv").write_text("shipId:ID(Ship),shipID,:LABEL\n2,b,\n")
    (tmp_path / "r.csv").write_text(":START_ID(Ship),:END_ID(Ship)\n1,2\n2,1\n")

    graph = _joined(tmp_path, parse_group("Ship:Vessel=h.csv,1.csv,2.csv", True), parse_group("FOLLOWS=r.csv", False))

    assert graph.nodes["Ship:1"].kinds == {"Ship", "Vessel", "Barge"}
    assert graph.nodes["Ship:2"].kinds == {"Ship", "Vessel"}
    assert graph.nodes["Ship:1"].properties == {"shipId": "1", "shipID": "a"}
    assert [one[:3] for one in graph.relationships] == [
        ("Ship:1", "FOLLOWS", "Ship:2"),
        ("Ship:2", "FOLLOWS", "Ship:1"),
    ]


def test_a_type_in_a_row_goes_before_the_type_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text(":ID\n1\n")
    (tmp_path / "r.csv").write_text(":START_ID,:END_ID,:TYPE\n1,1,SEES\n1,1,\n")

    graph = _joined(tmp_path, parse_group("n.csv", True), parse_group("KNOWS=r.csv", False))

    assert [one[1] for one in graph.relationships] == ["SEES", "KNOWS"]


def test_a_header_without_rows_is_offered_to_the_file_without_a_header(tmp_path: Path) -> None:
    error = import_error(tmp_path, {"h.csv": ":START_ID,:END_ID,:TYPE\n", "d.csv": "1,2,SEES\n"})

    assert "if h.csv, which has only a header, belongs to this file, join them: --relationships h.csv,d.csv" in error


@pytest.mark.parametrize(
    ("text", "is_nodes", "message"),
    [
        ("City=", True, "a name is empty; write City=header.csv,data.csv"),
        ("A::B=n.csv", True, "a name is empty"),
        ("n.csv,", True, "a name is empty"),
        ("A:B=r.csv", False, "a relationship has one type"),
    ],
)
def test_groups_without_files_or_with_several_types_are_refused(text: str, is_nodes: bool, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        parse_group(text, is_nodes)


def test_files_of_the_wrong_kind_and_missing_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text(":ID\n1\n")
    (tmp_path / "r.csv").write_text(":START_ID,:END_ID\n1,1\n")

    with pytest.raises(InvalidInputError, match="the header describes nodes; give the file with --nodes"):
        _joined(tmp_path, parse_group("KNOWS=n.csv", False))
    with pytest.raises(InvalidInputError, match="the header describes relationships; give the file with --rel"):
        _joined(tmp_path, parse_group("City=r.csv", True))
    with pytest.raises(NotFoundError, match=r"none\.csv: no such file"):
        _joined(tmp_path, parse_group("none.csv", True))
