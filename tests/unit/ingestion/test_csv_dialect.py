from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.importer import ImportReport, import_files
from ingestion.table_options import TableOptions, dialect_options
from shared.errors import InvalidInputError
from tests.support.imported_graphs import StoredGraph, import_error, imported, report, stored_graph


def _report(folder: Path, name: str, content: str) -> ImportReport:
    (folder / name).write_bytes(content.encode())
    return import_files([folder / name], folder / "graph.sqlite")


def _facts(graph: StoredGraph) -> list[tuple[str, str, str]]:
    return [(source, relation, target) for source, relation, target, _ in graph.relationships]


@pytest.mark.parametrize("name", ["f.csv", "f.tsv"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_facts_may_have_any_delimiter_and_line_end(tmp_path: Path, name: str, delimiter: str, line_end: str) -> None:
    object_ = "Moe" if delimiter == "\t" else f"Moe{delimiter} Ida"
    rows = [("subject", "relation", "object"), ("Oslo", "mayor", f'"{object_}"')]

    graph = imported(tmp_path, {name: "\ufeff" + "".join(delimiter.join(row) + line_end for row in rows)})

    assert _facts(graph) == [("Oslo", "mayor", object_)]


def test_single_quotes_are_removed_and_may_be_inside_names(tmp_path: Path) -> None:
    nodes = ":ID\tname\ttags:string[]\t:LABEL\n1\t'Bo's bay'\t'deep|Bo's'\tPlace|Bay\n2\t'5',6'-tern'\t''\tBird\n"

    graph = imported(tmp_path, {"n.csv": nodes})

    assert graph.nodes["1"] == ("Bo's bay", {"Place", "Bay"}, {"name": "Bo's bay", "tags": ("deep", "Bo's")})
    assert graph.nodes["2"] == ("5',6'-tern", {"Bird"}, {"name": "5',6'-tern"})


def test_apostrophes_at_the_begin_of_some_names_are_kept(tmp_path: Path) -> None:
    graph = imported(tmp_path, {"n.csv": ":ID,name\n1,'t Zand\n2,'Echo'\n3,Oslo\n"})

    assert [node.properties["name"] for node in graph.nodes.values()] == ["'t Zand", "'Echo'", "Oslo"]


def test_the_dialect_is_reported(tmp_path: Path) -> None:
    report = _report(tmp_path, "n.csv", "\ufeff:ID;v:float;:LABEL\r\n1;2,5;A|B\r\n")

    assert list(report.dialects) == [
        "separated by semicolons, not quoted, lists divided by |, decimal commas, byte order mark, line ends CRLF"
    ]
    assert list(report.dialects.values()) == [["n.csv"]]


def test_options_override_what_a_file_shows(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text(":ID,name,:LABEL\n1,'x',A|B\n")
    options = TableOptions(dialect_options(",", "none", ";"))

    import_files([tmp_path / "n.csv"], tmp_path / "graph.sqlite", options=options)

    assert stored_graph(tmp_path / "graph.sqlite").nodes["1"][1:] == ({"A|B"}, {"name": "'x'"})


def _many(rest: str) -> str:
    """Return more rows than the import looks at to detect the dialect."""
    return "".join(f"{number}{rest}\n" for number in range(3000))


_AMBIGUOUS = [
    (":ID,:LABEL\n1,A|B\n2,A;B\n", "line 3: the label 'A;B' contains ';', but the label 'A|B' is divided by '|'; set"),
    (':ID,v:float\n1,1.5\n2,"2,5"\n', "line 3: v: '2,5' has a comma, but '1.5' has a decimal point"),
    (":ID;v:float\n1;1,250\n", "line 2: v: '1,250' may be a fraction or thousands"),
    (
        f":ID;v:float\n{_many(';1,25')}x;1.5\n",
        "v: '1.5' has a decimal point, but '1,25' has a decimal comma",
    ),
    (":ID,a,b\n1,'x',\"y\"\n", "some fields are quoted by \" and others by '; set --quote"),
    (
        f":ID,a\n{_many(',')}x,'x'\n",
        "line 3002: all values of a are enclosed in '; set --quote",
    ),
    (
        ":ID,a\n1;2\n",
        "line 2: expected 2 fields (:ID, a), found 1 separated by commas; the row seems to be separated by s",
    ),
]


@pytest.mark.parametrize(("content", "message"), _AMBIGUOUS)
def test_files_that_contradict_themselves_are_refused(tmp_path: Path, content: str, message: str) -> None:
    assert message in import_error(tmp_path, {"n.csv": content})


def test_a_table_most_of_whose_rows_do_not_fit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text(":ID,name\n1,a\n2;b\n3;c\n")

    with pytest.raises(InvalidInputError, match=r"line 3: expected 2 fields .* seems to be separated by semicolons"):
        import_files([tmp_path / "n.csv"], tmp_path / "graph.sqlite")


def test_a_header_with_other_names_is_not_called_missing(tmp_path: Path) -> None:
    error = import_error(tmp_path, {"f.csv": "Who;Does;What\nIda;leads;Oslo\n"})

    assert "found Who, Does, What, separated by semicolons; if each row is a thing" in error


@pytest.mark.parametrize(
    ("option", "text"), [("--delimiter", ";;"), ("--quote", "ab"), ("--array-delimiter", ""), ("--delimiter", "none")]
)
def test_options_of_more_than_one_character_are_refused(option: str, text: str) -> None:
    values = [text if option == one else None for one in ("--delimiter", "--quote", "--array-delimiter")]

    with pytest.raises(InvalidInputError, match=f"{option} is .*; set one character"):
        dialect_options(*values)


class _Style(NamedTuple):
    """Say how a test writes a file."""

    delimiter: str
    quote: str
    array_delimiter: str
    line_end: str
    mark: str
    decimal: str

    def cell(self, text: str) -> str:
        return self.quote + text.replace(self.quote, self.quote * 2) + self.quote

    def text(self, header: str, rows: list[list[str]]) -> str:
        lines = [header.replace(",", self.delimiter), *(self.delimiter.join(row) for row in rows)]
        return self.mark + "".join(line + self.line_end for line in lines)


_STYLES = st.builds(
    _Style,
    delimiter=st.sampled_from(",;\t|"),
    quote=st.sampled_from("\"'"),
    array_delimiter=st.sampled_from(";|"),
    line_end=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from(["", "\ufeff"]),
    decimal=st.sampled_from(".,"),
).filter(lambda style: style.delimiter not in (style.decimal, style.array_delimiter))
_NAMES = st.lists(st.text("abé'\", .|;", min_size=1, max_size=8).map(lambda text: f"x{text}y"), min_size=1, max_size=5)


@given(_STYLES, _NAMES, st.integers(0, 99))
def test_a_graph_is_the_same_in_every_dialect(
    tmp_path_factory: pytest.TempPathFactory, style: _Style, names: list[str], whole: int
) -> None:
    folder = tmp_path_factory.mktemp("dialect")
    rows = [
        [str(number), style.cell(name), f"{whole}{style.decimal}25", style.array_delimiter.join(("A", "B"))]
        for number, name in enumerate(names)
    ]

    graph = imported(folder, {"n.csv": style.text(":ID,name,v:double,:LABEL", rows)})

    assert [node.properties for node in graph.nodes.values()] == [{"name": name, "v": whole + 0.25} for name in names]
    assert all(node.kinds == {"A", "B"} for node in graph.nodes.values())


@given(_STYLES, _NAMES)
def test_a_row_with_an_extra_field_leaves_no_graph(
    tmp_path_factory: pytest.TempPathFactory, style: _Style, names: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("dialect")
    rows = [[str(number), style.cell(name)] for number, name in enumerate(names)]
    rows.append(["1", "2", "3"])

    error = import_error(folder, {"n.csv": style.text(":ID,name", rows)})

    assert f"n.csv, line {len(rows) + 1}: expected 2 fields (:ID, name), found 3" in error


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_files_whose_lines_end_with_carriage_returns_only_are_described(tmp_path: Path, name: str) -> None:
    files = {name: ":ID,name,:LABEL\r1,Ann,Cat\r2,Bob,Cat\r", "b.csv": ":ID,name,:LABEL\n3,Cid,Cat\n"}

    found = report(tmp_path, files)

    assert found.kinds == {"Cat": 3}
    assert [dialect.rpartition(", ")[2] for dialect in found.dialects] == ["line ends CR", "line ends LF"]


def test_a_line_that_a_carriage_return_divides_is_named_as_such(tmp_path: Path) -> None:
    [left_out] = report(tmp_path, {"a.csv": ":ID,name,:LABEL\r\n1,Ann,Cat\n2,Bob,Cat\r3,Cid,Cat\r\n"}).rejected

    assert str(left_out) == "lines with a carriage return inside, which may hold several rows: 1 (a.csv:3)"
    assert left_out.example.endswith("inside a line; end all rows with the same characters")


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (("1,5", "2,25", "1.250"), [1.5, 2.25, 1250.0]),
        (("1.250", "1,5", "-1.250.000"), [1250.0, 1.5, -1250000.0]),
        (("1.250", "2.5", "3"), [1.25, 2.5, 3.0]),
        (("1.250", "2"), [1.25, 2.0]),
    ],
)
def test_a_point_between_thousands_is_no_decimal_point_beside_a_decimal_comma(
    tmp_path: Path, texts: tuple[str, ...], numbers: list[float]
) -> None:
    rows = "".join(f"{number};{text}\n" for number, text in enumerate(texts))

    graph = imported(tmp_path, {"n.csv": f":ID;v:float\n{rows}"})

    assert [node.properties["v"] for node in graph.nodes.values()] == numbers
