import gzip
import json
import sqlite3
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from graph.plan.text_readings import TextReading
from ingestion.importer import import_files
from tests.support.imported_graphs import import_error, imported, report, stored_graph

_PEOPLE = (
    "personId:ID(Person),name,born:int,score:float,ok:boolean,since:date,at:datetime,tags:string[],note:IGNORE,:LABEL\n"
    "1,Tom Hanks,1956,9.5,true,1980-01-31,2020-05-01T10:00:00+02:00,a;b,secret,Person;Actor\n"
    "2,Meg Ryan,,,,,,,,Person\n"
)
_FILMS = ":ID(Film),title,:LABEL\n1,Sleepless,Film\n"
_ROLES = ":START_ID(Person),:END_ID(Film),:TYPE,role\n1,1,ACTED_IN,Sam\n2,1,ACTED_IN,\n1,1,ACTED_IN,Voice\n"


@pytest.mark.parametrize("order", [("people", "films", "roles"), ("roles", "films", "people")])
def test_nodes_and_relationships_are_imported_in_any_order_of_files(tmp_path: Path, order: tuple[str, ...]) -> None:
    contents = {"people": _PEOPLE, "films": _FILMS, "roles": _ROLES}

    graph = imported(tmp_path, {f"{name}.csv": contents[name] for name in order})

    tom = graph.nodes["Person:1"]
    assert (tom.name, tom.kinds) == ("Tom Hanks", {"Person", "Actor"})
    assert tom.properties == {
        "personId": "1",
        "name": "Tom Hanks",
        "born": 1956,
        "score": 9.5,
        "ok": True,
        "since": date(1980, 1, 31),
        "at": datetime(2020, 5, 1, 8),
        "tags": ("a", "b"),
    }
    assert graph.nodes["Person:2"].properties == {"personId": "2", "name": "Meg Ryan"}
    assert graph.nodes["Film:1"] == ("Sleepless", {"Film"}, {"title": "Sleepless"})
    assert graph.relationships == [
        ("Person:1", "ACTED_IN", "Film:1", {"role": "Sam"}),
        ("Person:2", "ACTED_IN", "Film:1", {}),
        ("Person:1", "ACTED_IN", "Film:1", {"role": "Voice"}),
    ]


@pytest.mark.parametrize(
    ("column", "cell", "value"),
    [
        ("v:long", " -9223372036854775808 ", -(2**63)),
        ("v:short", "+7", 7),
        ("v:byte", "007", 7),
        ("v:double", "2e3", 2000.0),
        ("v:INT", "1", 1),
        ("v:boolean", "false", False),
        ("v:char", ";", ";"),
        ("v:string", " two  words ", " two  words "),
        ("v", '"line\nbreak, ""quoted"""', 'line\nbreak, "quoted"'),
        ("v", " ", None),
        ("v:string", '""', None),
        ("v:int[]", "1; 2;3", (1, 2, 3)),
        ("v:date[]", "2000-02-29", (date(2000, 2, 29),)),
        ("v:string[]", "a;;b", ("a", "", "b")),
        ("v:localdatetime", "2020-05-01T10:00", datetime(2020, 5, 1, 10)),
        ("v:datetime", "2020-05-01T10:00:00.5Z", datetime(2020, 5, 1, 10, 0, 0, 500_000)),
        ("a:b:int", "1", 1),
    ],
)
def test_cells_have_the_types_that_the_header_declares(tmp_path: Path, column: str, cell: str, value: Any) -> None:
    graph = imported(tmp_path, {"n.csv": f":ID,{column}\nx,{cell}\n"})

    assert list(graph.nodes["x"].properties.values()) == ([] if value is None else [value])


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_header_shows_the_delimiter(tmp_path: Path, delimiter: str, line_end: str) -> None:
    content = line_end.join(["", "name,:ID,:LABEL", "Tom,1,Person", "", '"Meg",2,"Person"'])

    graph = imported(tmp_path, {"n.csv": "\ufeff" + content.replace(",", delimiter)})

    assert graph.nodes == {"1": ("Tom", {"Person"}, {"name": "Tom"}), "2": ("Meg", {"Person"}, {"name": "Meg"})}


def test_nodes_need_neither_labels_nor_properties_nor_relationships(tmp_path: Path) -> None:
    assert imported(tmp_path, {"n.csv": ":ID\n1\n2\n"}).nodes == {"1": ("1", set(), {}), "2": ("2", set(), {})}


def test_the_first_row_with_an_id_is_imported_and_the_others_are_counted(tmp_path: Path) -> None:
    rows = ":ID,a:int,:LABEL\n1,1,A\n" + "1,2,A\n" * 7

    found = report(tmp_path, {"n.csv": rows, "kinds.tsv": "1\t:LABEL\tC\n"})

    assert stored_graph(tmp_path / "graph.sqlite").nodes == {"1": ("1", {"A", "C"}, {"a": 1})}
    assert [(one.number, one.places) for one in found.rejected] == [(7, tuple(f"n.csv:{line}" for line in range(3, 8)))]
    (tmp_path / "strict").mkdir()
    assert (
        "n.csv, line 3: the ID '1' occurred before (n.csv, line 2), and only that row is imported; remove this one, "
        "or, if it is another node, give it another ID"
    ) in import_error(tmp_path / "strict", {"n.csv": rows})


def test_values_that_no_property_can_hold_are_left_out_by_property(tmp_path: Path) -> None:
    content = ':ID,at:point,took:time,:LABEL\n1,"{x:1.5, y:2}",12:30,Harbour\n'

    found = report(tmp_path, {"n.csv": content}, is_strict=True)

    assert stored_graph(tmp_path / "graph.sqlite").nodes["1"].properties == {}
    assert [one.reason for one in found.rejected] == ["Harbour.at: points", "Harbour.took: times"]


def test_durations_are_texts_in_the_form_of_plans(tmp_path: Path) -> None:
    rows = "1,P1Y14M,Ride\n2,PT90M,Ride\n3,-P1W2DT0.5S,Ride\n4,soon,Ride\n5,,Ride\n"

    found = report(tmp_path, {"n.csv": f":ID,took:duration,:LABEL\n{rows}"})

    nodes = stored_graph(tmp_path / "graph.sqlite").nodes
    assert [nodes[key].properties.get("took") for key in "12345"] == ["P2Y2M", "PT1H30M", "P-9DT-0.5S", None, None]
    assert [one.reason for one in found.rejected] == ["Ride.took: values that are not durations"]
    with closing(sqlite3.connect(tmp_path / "graph.sqlite")) as file:
        (schema,) = file.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    assert json.loads(schema)["kinds"]["Ride"]["properties"]["took"]["holds_durations"]


def test_a_name_has_no_line_breaks_or_invisible_characters(tmp_path: Path) -> None:
    graph = imported(tmp_path, {"n.csv": ':ID,name,:LABEL\n1,"New\u200b\nYork",City\n2,\u200b,City\n'})

    assert [node.name for node in graph.nodes.values()] == ["New York", "2"]
    assert graph.nodes["1"].properties == {"name": "New\u200b\nYork"}


def test_compressed_files_report_their_progress(tmp_path: Path) -> None:
    (tmp_path / "n.csv.gz").write_bytes(gzip.compress(_PEOPLE.encode(), mtime=0))
    (tmp_path / "m.csv").write_text(":ID,name\n" + "".join(f"{number},x\n" for number in range(40_000)))
    seen: list[int] = []

    import_files(
        [tmp_path / "n.csv.gz", tmp_path / "m.csv"], tmp_path / "graph.sqlite", lambda done, _: seen.append(done)
    )

    assert seen == sorted(seen)
    assert len(seen) > 4


_HEADERS = [
    (":ID,name,:ID", "several columns :ID; keep one"),
    (":ID,:LABEL,:LABEL", "several columns :LABEL; keep one"),
    (":START_ID,:TYPE", "no column :END_ID; add it"),
    (":END_ID,:TYPE", "no column :START_ID; add it"),
    (":START_ID,:END_ID", "no column :TYPE; add it"),
    (":START_ID,:END_ID,:TYPE,:LABEL", "relationships have no :LABEL"),
    (":ID,:START_ID", "a header with :ID describes nodes; remove :START_ID"),
    (":ID,:TYPE", "a header with :ID describes nodes; remove :TYPE"),
    (":ID,born:integer32", "unknown type 'integer32' of the column 'born:integer32'; expected int, long"),
    (":ID,born:", "unknown type ''"),
    (":ID,born:int[][]", "unknown type 'int[][]'"),
    (":ID,:int", "the name of the column ':int' is empty"),
    (":ID,,name", "field 2 of the header is empty"),
    (":ID,name,", "field 3 of the header is empty"),
    (":ID,name,name", "several columns for the property 'name'; keep one"),
    ("name:ID,name:int", "several columns for the property 'name'"),
    (":ID,:LABEL(Person)", "the column ':LABEL(Person)' cannot have a group"),
    (":ID()", "the group of the column ':ID()' is empty or contains a colon"),
    (":ID(a:b)", "is empty or contains a colon"),
    (":ID,a\x07b", "contains the control character U+0007"),
    ("name,:LABEL", "neither :ID, for nodes, nor :START_ID and :END_ID, for relationships; add them"),
    ("name,born:int", "rename the columns (for a property graph: :ID, or :START_ID, :END_ID, and :TYPE)"),
    ("1,2,R", "expected a header naming the columns subject, relation, object, found 1, 2, R"),
    ("subject,relation,object,:TYPE", "neither :ID, for nodes, nor"),
    (":ID(A),:ID(B)", "several columns :ID; keep one"),
    (":START_ID,:START_ID,:END_ID,:TYPE", "several columns :START_ID; keep one"),
    (":START_ID,:END_ID,:END_ID,:TYPE", "several columns :END_ID; keep one"),
    (":START_ID,:END_ID,:TYPE,:TYPE", "several columns :TYPE; keep one"),
    (":START_ID,:END_ID,:TYPE,at,at:date", "several columns for the property 'at'; keep one"),
    (":ID,:END_ID", "a header with :ID describes nodes; remove :END_ID"),
    (":id,:end_id", "a header with :ID describes nodes; remove :END_ID"),
    (":START_ID(X),:END_ID,:TYPE(X)", "the column ':TYPE(X)' cannot have a group; remove it"),
    (":ID,x:IGNORE(a)", "the column 'x:IGNORE(a)' cannot have a group; remove it"),
    (":ID,born:intt", "unknown type 'intt' of the column 'born:intt'"),
    (":ID,born:int[", "unknown type 'int['"),
    (":ID,born:int]", "unknown type 'int]'"),
    (":ID,born:[]", "unknown type '[]'"),
    (":ID,:LABELS", "unknown type 'LABELS' of the column ':LABELS'"),
    (":ID,: LABEL", "the column ': LABEL' is not valid; write one of :ID, :ID(Group)"),
    (":ID(Person,name", "the column ':ID(Person' is not valid"),
    (":ID Person),name", "the column ':ID Person)' is not valid"),
    (":ID[],name", "the column ':ID[]' is not valid"),
    (":ID{type:int},:ID", "the column ':ID{type:int}' is not valid"),
    ("id:int:ID,name", "the column 'id:int:ID' is not valid"),
    (":ID/name/:LABEL", "the column ':ID/name/:LABEL' is not valid; write one of"),
    (":ID name", "and separate columns by commas, tabs, semicolons, or bars"),
    (',":ID', 'invalid quotes: the quote " at line 1, column 2 is never closed; close each quote'),
    (':ID,"name', 'invalid quotes: the quote " at line 1, column 5 is never closed; close each quote'),
    (':ID,"na"me', "invalid quotes: 'm' (U+006D) follows a closing quote at line 1, column 9; close each quote"),
    (':ID,"na\nme"', "the name of the column 'na\\nme' contains the control character U+000A; remove it"),
    ('"na\nme",:ID', "found na\\nme, :ID, separated by commas; if each row is a thing"),
    (":I\0D,name", "found :I\\x00D, name, separated by commas; if each row is a thing"),
    (":ID,na\0me", "the name of the column 'na\\x00me' contains the control character U+0000"),
    (":ID,\x1b[31mred", "contains the control character U+001B"),
    (":ID,\u200b", "field 2 of the header is empty"),
    (":ID," + "x" * 3000, "xxx... is 3,000 characters long (limit 2,000)"),
    (":ID," + "x" * 3000 + ":y", "unknown type 'y' of the column 'xxx"),
    (",".join(f"c{number}" for number in range(5000)), "found c0, c1, c2"),
    (":ID," + "x" * (1 << 20), "xxx... is 1,048,576 characters long (limit 2,000)"),
    (":ID,größe".encode("latin-1"), "not UTF-8 at byte 7; save the file as UTF-8"),
    (":ID,name".encode("utf-16"), "the file is in UTF-16; save it as UTF-8"),
]


@pytest.mark.parametrize(("header", "message"), _HEADERS)
def test_bad_headers_are_reported_without_their_rows(tmp_path: Path, header: str | bytes, message: str) -> None:
    nodes = (header if isinstance(header, bytes) else header.encode()) + b"\n1\n"

    error = import_error(tmp_path, {"n.csv": nodes, "r.csv": ":START_ID,:END_ID,:TYPE\n1,2,R\n"})

    assert error.startswith("n.csv, line 1: ")
    assert message in error
    assert len(error.splitlines()) == 1
    assert len(error) < 550


@pytest.mark.parametrize("header", [":ID,name", ":START_ID,:END_ID,:TYPE", "\ufeff:ID", ":ID,:IGNORE"])
def test_a_header_without_rows_is_reported(tmp_path: Path, header: str) -> None:
    assert import_error(tmp_path, {"n.csv": f"{header}\n"}).startswith("n.csv: no triples and no nodes; expected rows")


def test_marks_may_be_in_lower_case(tmp_path: Path) -> None:
    graph = imported(
        tmp_path,
        {"n.csv": ":id(P),name,:Label\n1,A,K\n2,B,K\n", "r.csv": ":start_id(P),:end_id(P),:type\n1,2,R\n"},
    )

    assert graph.nodes["P:1"].kinds == {"K"}
    assert graph.relationships == [("P:1", "R", "P:2", {})]


def test_marked_columns_decide_the_delimiter(tmp_path: Path) -> None:
    graph = imported(tmp_path, {"n.csv": ':ID,"a; b; c"\n1,x\n'})

    assert graph.nodes["1"].properties == {"a; b; c": "x"}


_CELLS = [
    ("v:int", "abc", "v: 'abc' is not an integer"),
    ("v:int", "1e5", "'1e5' is not an integer"),
    ("v:int", "1.5", "'1.5' is not an integer"),
    ("v:int", "1_000", "is not an integer"),
    ("v:int", "١", "is not an integer"),
    ("v:long", "9223372036854775808", "needs more than 64 bits; store it as a string"),
    ("v:long", "9" * 5000, "needs more than 64 bits"),
    ("v:float", "nan", "'nan' is not a finite number"),
    ("v:double", "Infinity", "'Infinity' is not a finite number"),
    ("v:double", "1e999", "'1e999' is too large for a float"),
    ("v:float", "1;5", "'1;5' is not a finite number"),
    ("v:boolean", "maybe", "'maybe' is not a boolean; write true or false, or yes or no"),
    ("v:boolean", "2", "'2' is not a boolean"),
    ("v:date", "1996-02-30", "'1996-02-30' is not a date"),
    ("v:date", "19960801", "'19960801' is not a date; write one such as 1996-08-01"),
    ("v:date", "01.08.1996", "is written day or month first; say which with --dates"),
    ("v:date", "1.8.96", "is not a date"),
    ("v:datetime", "1996-08-01T25:00:00", "is not a datetime"),
    ("v:datetime", "0001-01-01T00:00:00+14:00", "is not a datetime"),
    ("v:char", "ab", "'ab' is not one character"),
    ("v:int[]", "1;;2", "v: '' is not an integer"),
    ("v:int[]", ";", "v: '' is not an integer"),
    ("v:int[]", "[1;2]", "v: '[1;2]' is in brackets"),
    ("v:datetime", "2020-05-01T10:00:00+99:99", "is not a datetime"),
    ("x" * 2000 + ":int", "y", "xxx...: 'y' is not an integer"),
    ("v", "a\0b", "contains the control character U+0000"),
    (":LABEL", "A;B\x07", "the label contains the control character U+0007"),
    ("v", "a,b", "expected 2 fields (:ID, v), found 3"),
    ("v", '"a', "invalid quotes"),
    ("v", '"a"b', "invalid quotes"),
]


@pytest.mark.parametrize(("column", "cell", "message"), _CELLS)
def test_bad_cells_are_reported_with_their_line(tmp_path: Path, column: str, cell: str, message: str) -> None:
    error = import_error(tmp_path, {"n.csv": f":ID,{column}\n0,\n1,{cell}\n"})

    assert error.startswith("n.csv, line 3: ")
    assert message in error


_ROWS = [
    (":ID,a\n,1\n", "", "n.csv, line 2: the :ID field is empty"),
    ("a,:ID\n1\n", "", "n.csv, line 2: expected 2 fields (a, :ID), found 1"),
    (":ID\n1\n", "1,,R\n", "r.csv, line 2: the :END_ID field is empty"),
    (":ID\n1\n", "1,1,\n", "r.csv, line 2: the relation is empty"),
    (":ID\n1\n", "1,1,^R\n", "r.csv, line 2: the relation '^R' begins with '^'"),
    (":ID\n1\n", "1,1\n", "r.csv, line 2: expected 3 fields (:START_ID, :END_ID, :TYPE), found 2"),
    (":ID\n1\n", "1,1,R\n1,9,R\n9,1,R\n", "r.csv, line 3: no node has the ID '9'; add the node or remove"),
    (":ID(A)\n1\n", "1,1,R\n", "r.csv, line 2: no node has the ID '1'"),
]


@pytest.mark.parametrize("nodes_first", [True, False])
@pytest.mark.parametrize(("nodes", "relationships", "message"), _ROWS)
def test_bad_rows_are_reported_once(
    tmp_path: Path, nodes: str, relationships: str, message: str, nodes_first: bool
) -> None:
    files = [("n.csv", nodes), ("r.csv", ":START_ID,:END_ID,:TYPE\n" + relationships)]

    error = import_error(tmp_path, dict(files if nodes_first else files[::-1]))

    assert error.startswith(message)
    assert len(error.splitlines()) == 1


def test_a_bad_node_does_not_make_its_relationships_bad(tmp_path: Path) -> None:
    files = {"n.csv": ":ID,a:int\n1,x\n", "r.csv": ":START_ID,:END_ID,:TYPE\n1,1,R\n1,2,R\n"}

    errors = import_error(tmp_path, files).splitlines()

    assert [error.split(": ")[0] for error in errors] == ["n.csv, line 2", "r.csv, line 3"]


def test_an_unknown_group_is_reported_once(tmp_path: Path) -> None:
    relationships = ":START_ID(Person),:END_ID(Persn),:TYPE\n1,1,R\n1,2,R\n1,3,R\n"

    error = import_error(tmp_path, {"r.csv": relationships, "n.csv": ":ID(Person)\n1\n"})

    assert error == (
        "r.csv, line 1: no node file has the group 'Persn'; correct it (groups of nodes: Person) or add the file"
    )


def test_an_id_that_looks_like_one_of_a_group_is_refused(tmp_path: Path) -> None:
    error = import_error(tmp_path, {"n.csv": ":ID\nPerson:1\nx:2\n", "p.csv": ":ID(Person)\n1\n"})

    assert error == "n.csv, line 2: the ID 'Person:1' is also an ID of the group 'Person'; give its column a group"


def test_a_long_text_in_one_cell_costs_no_row(tmp_path: Path) -> None:
    outline = "24.5 59.1, " * 100_000

    graph = imported(tmp_path, {"n.csv": f':ID,name,outline\n1,Norland,"{outline}"\n2,Tallvik,short\n'})

    assert graph.nodes["1"][2] == {"name": "Norland", "outline": outline}
    assert graph.nodes["2"][2] == {"name": "Tallvik", "outline": "short"}


def test_datetimes_without_a_zone_have_the_zone_of_their_column(tmp_path: Path) -> None:
    header = ":ID,a:datetime{timezone:Europe/Berlin},b:datetime[]{timezone:-05:00},c:time{timezone:+02:00}"

    graph = imported(
        tmp_path, {"n.csv": f"{header}\n1,2020-07-01T12:00:00,2020-07-01T12:00:00Z;2020-07-01T12:00:00,\n"}
    )

    assert graph.nodes["1"][2] == {
        "a": datetime(2020, 7, 1, 10),
        "b": (datetime(2020, 7, 1, 12), datetime(2020, 7, 1, 17)),
    }


@pytest.mark.parametrize(
    ("title", "message"),
    [
        (
            "a:datetime{timezone:Mars/North}",
            "unknown time zone 'Mars/North' of the column 'a:datetime{timezone:Mars/North}'",
        ),
        ("a:datetime{timezone:../x}", "unknown time zone '../x'"),
        ("a:datetime{timezone:}", "unknown time zone ''"),
        ("a:datetime{timezone:+25:00}", "unknown time zone '+25:00'"),
        ("a:date{timezone:Z}", "a time zone applies to datetime and time only; remove it from the column"),
    ],
)
def test_bad_time_zones_of_columns_are_refused(tmp_path: Path, title: str, message: str) -> None:
    assert message in import_error(tmp_path, {"n.csv": f":ID,{title}\n1,\n"})


def test_lists_in_brackets_have_the_same_items(tmp_path: Path) -> None:
    content = (
        ":ID,tags:string[],sizes:int[],rates:float[],:LABEL\n"
        '1,"[""a;b"", ""c""]","[1, 2]","[1.50, 2]",P\n'
        "2,[],[],[],P\n"
        "3,[REC];[x],7;8,0.5,P\n"
        "4,[REC],,,P\n"
    )

    graph = imported(tmp_path, {"n.csv": content})

    assert {key: node.properties for key, node in graph.nodes.items()} == {
        "1": {"tags": ("a;b", "c"), "sizes": (1, 2), "rates": (1.5, 2.0)},
        "2": {"tags": (), "sizes": (), "rates": ()},
        "3": {"tags": ("[REC]", "[x]"), "sizes": (7, 8), "rates": (0.5,)},
        "4": {"tags": ("[REC]",)},
    }


@pytest.mark.parametrize("cell", ["['a', 'b']", "[a;b]", '["a", null]', '["a", ["b"]]', '["a" "b"]'])
def test_lists_in_other_brackets_are_left_out(tmp_path: Path, cell: str) -> None:
    quoted = cell.replace('"', '""')

    found = report(tmp_path, {"n.csv": f':ID\ttags:string[]\n1\t"{quoted}"\n2\tc;d\n'.replace("\t", ",")})

    graph = stored_graph(tmp_path / "graph.sqlite")
    assert [node.properties for node in graph.nodes.values()] == [{}, {"tags": ("c", "d")}]
    [left_out] = found.rejected
    assert str(left_out) == "tags: lists in brackets: 1 (n.csv:2)".replace("tags", ".tags")
    assert "write the items of a list as a;b, or as a JSON array of texts or numbers" in left_out.example


_DAYS = ":ID,d:date\n1,13/02/2021\n2,04/03/2021\n3,2021-05-06\n"


@pytest.mark.parametrize(
    ("dates", "days"),
    [
        (TextReading.DAY_FIRST, [date(2021, 2, 13), date(2021, 3, 4), date(2021, 5, 6)]),
        (TextReading.MONTH_FIRST, [None, date(2021, 4, 3), date(2021, 5, 6)]),
        (None, [None, None, date(2021, 5, 6)]),
    ],
)
def test_declared_dates_are_read_in_the_order_that_the_user_says(
    tmp_path: Path, dates: TextReading | None, days: list[date | None]
) -> None:
    (tmp_path / "n.csv").write_text(_DAYS)

    report = import_files([tmp_path / "n.csv"], tmp_path / "graph.sqlite", dates=dates)

    graph = stored_graph(tmp_path / "graph.sqlite")
    assert [node.properties.get("d") for node in graph.nodes.values()] == days
    said = [str(one) for one in report.rejected]
    assert any("--dates day-first or --dates month-first says which" in one for one in said) is (dates is None)
