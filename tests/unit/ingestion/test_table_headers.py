from pathlib import Path

import pytest

from tests.support.imported_graphs import StoredGraph, import_error, imported, report, stored_graph


def _facts(graph: StoredGraph) -> list[tuple[str, str, str]]:
    return [(source, relation, target) for source, relation, target, _ in graph.relationships]


@pytest.mark.parametrize("extension", ["tsv", "csv"])
@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("subject relation object", "Ana lives_in Rome"),
        ("object predicate subject", "Rome lives_in Ana"),
        ("target source relation", "Rome Ana lives_in"),
        ("Subjekt Prädikat Objekt", "Ana lives_in Rome"),
        ("sujet relation objet", "Ana lives_in Rome"),
    ],
)
def test_a_header_names_the_columns_in_any_order(tmp_path: Path, extension: str, header: str, row: str) -> None:
    delimiter = "\t" if extension == "tsv" else ","
    lines = [delimiter.join(line.split()) for line in (header, row)]

    graph = imported(tmp_path, {f"f.{extension}": "".join(f"{line}\n" for line in lines)})

    assert _facts(graph) == [("Ana", "lives_in", "Rome")]


def test_a_header_with_other_names_for_the_ends_is_no_fact(tmp_path: Path) -> None:
    graph = imported(tmp_path, {"f.tsv": "Person\tRelation\tThing\nAna\tlives_in\tRome\n"})

    assert _facts(graph) == [("Ana", "lives_in", "Rome")]


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        ("subject\trelation\tobject\tweight\nAna\tlives_in\tRome\t0.9\n", 1),
        ("subject\trelation\tobject\tsource\nAna\tlives_in\tRome\tweb\n", 1),
        ("\tsubject\trelation\tobject\n0\tAna\tlives_in\tRome\n", 1),
        ("subject\trelation\tobject\t\nAna\tlives_in\tRome\t\n", 1),
        ("subject\trelation\tobject\nAna\tlives_in\tRome\t\t\n", 0),
    ],
)
@pytest.mark.parametrize("extension", ["tsv", "csv"])
def test_further_columns_are_left_out_and_reported(tmp_path: Path, extension: str, content: str, columns: int) -> None:
    text = content if extension == "tsv" else content.replace("\t", ",")

    found = report(tmp_path, {f"f.{extension}": text})

    assert _facts(stored_graph(tmp_path / "graph.sqlite")) == [("Ana", "lives_in", "Rome")]
    assert [(one.reason, one.number) for one in found.rejected] == [("columns of a table of facts", 1)] * columns


def test_two_columns_with_names_for_one_are_refused(tmp_path: Path) -> None:
    error = import_error(tmp_path, {"f.csv": "head,source,relation,object\na,b,r,c\n"})

    assert "expected subject, relation, object once each in the header" in error


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;"])
@pytest.mark.parametrize("header", ["subject;relation;object", ":ID;name;:LABEL"])
def test_the_line_that_tells_excel_the_separator_is_no_header(tmp_path: Path, line: str, header: str) -> None:
    graph = imported(tmp_path, {"f.csv": f"{line}\r\n{header}\r\nAna;Lives, in;Rome\r\n"})

    assert "Ana" in graph.nodes


def test_quotes_that_excel_writes_are_removed(tmp_path: Path) -> None:
    rows = '"Ana ""the Great"""\tlives_in\tRome\nBo\tlives_in\t"Rome, Italy"\nCy\tlives_in\tOslo\n'

    assert _facts(imported(tmp_path, {"f.tsv": rows})) == [
        ('Ana "the Great"', "lives_in", "Rome"),
        ("Bo", "lives_in", "Rome, Italy"),
        ("Cy", "lives_in", "Oslo"),
    ]


@pytest.mark.parametrize(
    "rows",
    [
        '"Ana" the Great\tlives_in\tRome\nBo\tsays\t"hi"\n',
        '"Heroes"\tby\tDavid Bowie\n"Low, Lower"\tby\tCy\nBlackstar\tby\tDavid Bowie\n',
        'Bo\tlives_in\t"Rome, Italy"\nCy\tlives_in\tOslo, Norway\n',
    ],
)
def test_other_quotes_in_tsv_belong_to_the_names(tmp_path: Path, rows: str) -> None:
    graph = imported(tmp_path, {"f.tsv": rows})

    assert _facts(graph) == [tuple(line.split("\t")) for line in rows.splitlines()]
