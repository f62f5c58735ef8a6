"""Cells as other programs write them: labels, missing values, numbers, and dates."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from ingestion.typed_values import parse_datetime
from tests.support.imported_graphs import imported, report, stored_graph


@pytest.mark.parametrize(
    ("cell", "kinds"),
    [
        (":Person:Actor", {"Person", "Actor"}),
        (":Person", {"Person"}),
        (":person:actor", {"person", "actor"}),
        ("Person:Actor", {"Person", "Actor"}),
        ("schema:Person", {"schema:Person"}),
        ("Person,Actor", {"Person", "Actor"}),
        ("Person, Actor", {"Person", "Actor"}),
        ("Person, who acts", {"Person, who acts"}),
        ("[Person, Actor]", {"Person", "Actor"}),
        ("['Person', 'Actor']", {"Person", "Actor"}),
        ('["Person", "Actor"]', {"Person", "Actor"}),
        ("[Person]", {"Person"}),
        ("Person;Actor", {"Person", "Actor"}),
        ("Person|Actor", {"Person", "Actor"}),
    ],
)
def test_labels_are_divided_as_programs_write_them(tmp_path: Path, cell: str, kinds: set[str]) -> None:
    graph = imported(tmp_path, {"n.csv": f":ID\tname\t:LABEL\n1\tAna\t{cell}\n"})

    assert graph.nodes["1"].kinds == kinds


def test_the_dialect_says_what_divides_labels(tmp_path: Path) -> None:
    found = report(tmp_path, {"n.csv": ":ID,name,:LABEL\n1,Ana,:Person:Actor\n"})

    assert list(found.dialects) == ["separated by commas, not quoted, labels divided by :, line ends LF"]


@pytest.mark.parametrize("text", ["NULL", "null", "\\N", "N/A", "#N/A", "NaN"])
def test_a_text_that_means_no_value_is_neither_a_name_nor_a_fact(tmp_path: Path, text: str) -> None:
    found = report(
        tmp_path,
        {
            "n.csv": f":ID,name,town,:LABEL\n1,Ana,{text},P\n2,{text},Rome,P\n",
            "f.tsv": f"Cy\tlives_in\t{text}\nDi\tlives_in\tOslo\n",
            "g.csv": f'subject,relation,object\nEd,lives_in,"{text}"\nFay,lives_in,Bonn\n',
        },
    )

    graph = stored_graph(tmp_path / "graph.sqlite")
    assert {(node.name, *node.properties.values()) for key, node in graph.nodes.items() if key in "12"} == {
        ("Ana", "Ana"),
        ("Rome", "Rome"),
    }
    assert [fact[::2] for fact in graph.relationships] == [("Di", "Oslo"), ("Fay", "Bonn")]
    assert {one.reason: one.places for one in found.rejected} == {
        "facts with a text that means no value": ("f.tsv:1", "g.csv:2"),
        "P.town: texts that mean no value": ("n.csv:2",),
        "P.name: texts that mean no value": ("n.csv:3",),
    }


@pytest.mark.parametrize("text", ["None", "-", "NA", "unknown", "Null"])
def test_a_text_that_may_be_a_name_is_kept(tmp_path: Path, text: str) -> None:
    graph = imported(tmp_path, {"f.tsv": f"Cy\tlives_in\t{text}\n"})

    assert [fact[:3] for fact in graph.relationships] == [("Cy", "lives_in", text)]


@pytest.mark.parametrize(
    ("type_", "cell", "value"),
    [
        ("int", "1956.0", 1956),
        ("long", "-3.00", -3),
        ("boolean", "True", True),
        ("boolean", "FALSE", False),
        ("boolean", "yes", True),
        ("boolean", "No", False),
        ("boolean", "Y", True),
        ("boolean", "n", False),
        ("boolean", "T", True),
        ("boolean", "f", False),
        ("boolean", "1", True),
        ("boolean", "0", False),
        ("date", "1996-08-01 00:00:00", date(1996, 8, 1)),
        ("date", "1996-08-01T00:00:00.000Z", date(1996, 8, 1)),
    ],
)
def test_values_have_the_forms_of_other_programs(tmp_path: Path, type_: str, cell: str, value: object) -> None:
    graph = imported(tmp_path, {"n.csv": f":ID,v:{type_}\n1,{cell}\n"})

    assert graph.nodes["1"].properties == {"v": value}


def test_a_date_with_a_time_is_not_cut(tmp_path: Path) -> None:
    found = report(tmp_path, {"n.csv": ":ID,v:date\n1,1996-08-01T09:30:00\n2,1996-08-02\n"})

    assert [one.reason for one in found.rejected] == [".v: values that are not dates"]


@pytest.mark.parametrize(
    "text",
    ["1996-08-01T09:30:00+02:00[Europe/Berlin]", "1996-08-01T09:30:00[Europe/Berlin]", "1996-08-01T07:30:00[UTC]"],
)
def test_datetimes_may_have_the_name_of_their_zone(text: str) -> None:
    assert parse_datetime(text).replace(tzinfo=UTC) == datetime(1996, 8, 1, 7, 30, tzinfo=UTC)


def test_vectors_are_left_out(tmp_path: Path) -> None:
    header = ':ID,name,"v:vector{coordinateType:float,dimensions:2}",:LABEL\n'

    found = report(tmp_path, {"n.csv": f"{header}1,Ana,1.0;2.0,P\n"})

    assert [str(one) for one in found.rejected] == ["P.v: vectors: 1 (n.csv:2)"]
