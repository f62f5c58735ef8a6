import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from ingestion.importer import import_files
from ingestion.table_options import TableGroup, TableOptions, parse_group
from shared.errors import InvalidInputError
from tests.support.imported_graphs import import_error, report, stored_graph

_PEOPLE = "id:ID,name,:LABEL\n1,Ada,Person\n2,Bo,Person\n3,Cy,Person\n"
_ROUTES = "id:ID,grade,:LABEL\n1,6a,Route\n2,7b,Route\n"
_CLIMBED = ":START_ID,:END_ID,:TYPE\n1,2,CLIMBED\n"


def _json_nodes(kind: str, ids: int) -> str:
    nodes = [{"type": "node", "id": number, "labels": [kind]} for number in range(1, ids + 1)]
    return "".join(json.dumps(node) + "\n" for node in nodes)


def _document(kind: str) -> str:
    return json.dumps({"nodes": [{"id": 1, "type": kind}], "links": []})


def test_nodes_of_two_kinds_with_the_same_ids_are_refused_once_for_both_kinds(tmp_path: Path) -> None:
    files = {"people.csv": _PEOPLE, "routes.csv": _ROUTES, "climbed.csv": _CLIMBED}

    assert import_error(tmp_path, files, is_strict=False) == (
        "routes.csv, line 2: a node with the label 'Route' has the ID '1', which is also that of a node with the label "
        "'Person' (people.csv, line 2; the first of 2 such IDs); relationships would connect the wrong nodes; give "
        "each file its own ID space, with :ID(Person) and :ID(Route) for nodes, and :START_ID(Person) and the like for "
        "relationships, or make the IDs unique"
    )


def test_what_the_refusal_proposes_keeps_both_kinds(tmp_path: Path) -> None:
    files = {
        "people.csv": _PEOPLE.replace(":ID", ":ID(Person)"),
        "routes.csv": _ROUTES.replace(":ID", ":ID(Route)"),
        "climbed.csv": _CLIMBED.replace(":START_ID", ":START_ID(Person)").replace(":END_ID", ":END_ID(Route)"),
    }

    found = report(tmp_path, files)

    assert (found.kinds, found.rejected) == ({"Person": 3, "Route": 2}, ())
    assert stored_graph(tmp_path / "graph.sqlite").relationships == [("Person:1", "CLIMBED", "Route:2", {})]


@pytest.mark.parametrize(
    ("files", "place", "remedy"),
    [
        (
            {"n.csv": ":ID,:LABEL\n1,Person\n1,Route\n"},
            "n.csv, line 3: ",
            "divide the file by kind, and give each file its own ID space, with :ID(Person) and :ID(Route)",
        ),
        (
            {"n.csv": ":ID,:LABEL\n1,Thing;Person\n1,Thing;Route\n"},
            "n.csv, line 3: ",
            "if it is one node, write all its labels in one row",
        ),
        ({"p.jsonl": _json_nodes("Person", 2), "r.jsonl": _json_nodes("Route", 1)}, "r.jsonl, line 1: ", "each record"),
        ({"p.json": _document("Person"), "r.json": _document("Route")}, "r.json, line 1: ", "each record"),
        (
            {"p.jsonl": _json_nodes("Person", 2), "routes.csv": _ROUTES},
            "routes.csv, line 2: ",
            "give routes.csv its own ID space, with :ID(Route) for",
        ),
        (
            {"routes.csv": _ROUTES, "p.jsonl": _json_nodes("Person", 2)},
            "p.jsonl, line 1: ",
            "give routes.csv its own ID space, with :ID(Route) for",
        ),
        ({"people.csv": _PEOPLE, "routes.csv": ":ID,grade\n1,6a\n"}, "routes.csv, line 2: ", ":ID(routes)"),
        ({"a.csv": ":ID,name\n1,Ada\n", "b.csv": ":ID,grade\n1,6a\n"}, "b.csv, line 2: ", ":ID(a) and :ID(b)"),
        (
            {"a.csv": ":ID(Thing),:LABEL\n1,Person\n", "b.csv": ":ID(Thing),:LABEL\n1,Route\n"},
            "b.csv, line 2: a node with the label 'Route' has the ID '1'",
            ":ID(Person) and :ID(Route)",
        ),
    ],
)
def test_every_format_of_nodes_refuses_an_id_of_two_kinds(
    tmp_path: Path, files: Mapping[str, str], place: str, remedy: str
) -> None:
    error = import_error(tmp_path, files, is_strict=False)

    assert error.startswith(place)
    assert remedy in error


def test_kinds_of_the_command_are_kinds_as_well(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(":ID,name\n1,Ada\n")
    (tmp_path / "r.csv").write_text(":ID,name\n1,Low Water\n")
    groups = [TableGroup(True, (kind,), (tmp_path / file,)) for kind, file in (("Person", "p.csv"), ("Route", "r.csv"))]

    with pytest.raises(InvalidInputError, match=r"':?Route' has the ID '1', which is also that of .* 'Person'"):
        import_files([], tmp_path / "graph.sqlite", options=TableOptions(groups=groups))


def test_tables_without_ids_never_share_one(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("id,name\n1,Ada\n")
    (tmp_path / "r.csv").write_text("id,name\n1,Low Water\n")
    groups = [parse_group(f"Person={tmp_path / 'p.csv'}", True), parse_group(f"Route={tmp_path / 'r.csv'}", True)]

    assert import_files([], tmp_path / "graph.sqlite", options=TableOptions(groups=groups)).kinds == {
        "Person": 1,
        "Route": 1,
    }


@pytest.mark.parametrize(
    "files",
    [
        {"1.csv": ":ID,:LABEL\n1,Person\n", "2.csv": ":ID,:LABEL\n1,Person;Actor\n"},
        {"1.csv": ":ID,:LABEL\n1,Person\n1,\n"},
        {"1.csv": ":ID,name\n1,Ada\n", "2.csv": ":ID,name\n1,Bo\n"},
    ],
)
def test_a_repeated_row_of_one_kind_is_left_out(tmp_path: Path, files: Mapping[str, str]) -> None:
    assert [one.reason for one in report(tmp_path, files).rejected] == ["rows whose ID occurred before"]


def test_json_lines_add_to_nodes_of_tables(tmp_path: Path) -> None:
    lines = '{"type": "node", "id": "1", "properties": {"height": 180}}\n'

    report(tmp_path, {"people.csv": _PEOPLE, "more.jsonl": lines}, is_strict=True)

    assert stored_graph(tmp_path / "graph.sqlite").nodes["1"].properties == {"id": "1", "name": "Ada", "height": 180}


def _named(id_: object, name: str) -> str:
    return json.dumps({"type": "node", "id": id_, "labels": ["Cat"], "properties": {"name": name}}) + "\n"


@pytest.mark.parametrize(
    ("files", "place", "ids"),
    [
        (
            {"c.jsonl": _named(1, "Ann") + _named("1", "Bob")},
            "c.jsonl, line 2: ",
            'the ID "1", and another one 1 (c.jsonl',
        ),
        (
            {"a.jsonl": _named("1", "Ann"), "b.jsonl": _named(1, "Bob")},
            "b.jsonl, line 1: ",
            'ID 1, and another one "1" (a',
        ),
        (
            {"c.json": json.dumps({"nodes": [{"id": 1, "name": "Ann"}, {"id": "1", "name": "Bob"}], "links": []})},
            "c.json, line 1: ",
            'the ID "1", and another one 1 (c.json, line 1)',
        ),
        # A node without an ID has its place.
        (
            {"c.json": json.dumps({"nodes": [{"name": "Ann"}, {"id": "0", "name": "Bob"}], "links": []})},
            "c.json, line 1: ",
            'the ID "0", and another one 0',
        ),
    ],
)
def test_an_id_that_is_a_number_and_a_text_is_refused(
    tmp_path: Path, files: Mapping[str, str], place: str, ids: str
) -> None:
    error = import_error(tmp_path, files, is_strict=False)

    assert error.startswith(place)
    assert ids in error


def test_relationships_write_an_id_in_either_way(tmp_path: Path) -> None:
    link = '{"type": "relationship", "label": "KNOWS", "start": "1", "end": 2}\n'

    assert report(tmp_path, {"c.jsonl": _named(1, "Ann") + _named("2", "Bob") + link}).rejected == ()


def test_the_ids_of_tables_have_no_type(tmp_path: Path) -> None:
    found = report(tmp_path, {"people.csv": _PEOPLE, "more.jsonl": _named(1, "Ada").replace("Cat", "Person")})

    assert found.kinds == {"Person": 3}
