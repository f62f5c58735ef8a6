"""Tables with a row for each thing, and cells that other programs escape."""

from pathlib import Path

import pytest

from ingestion.importer import import_files
from ingestion.table_options import TableOptions, parse_group
from tests.support.imported_graphs import import_error, imported, report, stored_graph

_BOOKS = 'title,author,year\nLow Water,Anna Petrie,2016\nNine Ferries,"Lucia Marsh, Jr.",2019\n'


@pytest.mark.parametrize("extension", ["csv", "tsv"])
def test_each_row_is_a_node_of_the_kind_that_is_named(tmp_path: Path, extension: str) -> None:
    file = tmp_path / f"books.{extension}"
    file.write_text(_BOOKS if extension == "csv" else _BOOKS.replace('"', "").replace(", ", "; ").replace(",", "\t"))

    import_files([], tmp_path / "graph.sqlite", options=TableOptions(groups=[parse_group(f"Book={file}", True)]))

    nodes = stored_graph(tmp_path / "graph.sqlite").nodes
    assert {node.name for node in nodes.values()} == {"Low Water", "Nine Ferries"}
    assert all(node.kinds == {"Book"} for node in nodes.values())
    assert {node.properties["year"] for node in nodes.values()} == {"2016", "2019"}


def test_rows_of_files_with_the_same_name_are_different_nodes(tmp_path: Path) -> None:
    groups = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "books.csv").write_text(_BOOKS)
        groups.append(parse_group(f"Book={tmp_path / folder / 'books.csv'}", True))

    import_files([], tmp_path / "graph.sqlite", options=TableOptions(groups=groups))

    assert len(stored_graph(tmp_path / "graph.sqlite").nodes) == 4


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("books.csv", _BOOKS),
        ("books.tsv", "title\tauthor\tyear\tpages\nLow Water\tAnna Petrie\t2016\t200\n"),
        ("books.csv", "source,title\nshop,Low Water\n"),
    ],
)
def test_a_table_without_an_option_is_refused_with_the_option_that_reads_it(
    tmp_path: Path, name: str, text: str
) -> None:
    assert f"if each row is a thing, import the file with --nodes Books={name}" in import_error(tmp_path, {name: text})


@pytest.mark.parametrize(
    "text",
    [
        "name\tkind\tprice\nApple\tfruit\t1.20\nPear\tfruit\t0.90\n",
        "\nProduct\tPrice\tKind\nApple\t1.20 €\tfruit\nPear\t0.90 €\tfruit\n",
        "name\tcapital\tcontinent\nFrance\tParis\tEurope\nPeru\tLima\tSouth America\n",
        "country\tcapital\tcontinent\nFrance\tParis\tEurope\nPeru\tLima\tSouth America\n",
        "Employee ID\tFirst\tLast\nann\tAnn\tLee\nbob\tBob\tKay\n",
        '"name"\t"kind"\t"price"\n"Apple"\t"fruit"\t"1"\n"Pear, green"\t"fruit"\t"2"\n',
    ],
)
def test_a_first_fact_that_looks_like_the_header_of_a_table_is_reported(tmp_path: Path, text: str) -> None:
    found = report(tmp_path, {"goods.tsv": text}, is_strict=True)

    [advice] = found.likely_headers
    assert advice.startswith(f"goods.tsv, line {1 + text.startswith(chr(10))}: ")
    assert "if each row is a thing, import the file with --nodes Goods=goods.tsv" in advice
    assert found.triples == 3


@pytest.mark.parametrize(
    "text",
    [
        "Ana\tlives in\tRome\nBo\tage\t30\n",
        "Ana\tborn in\tRome\nAna\tborn\t1990\nAna\tage\t30\n",
        "Ana\tage\tthirty\nBo\tage\t30\nCy\tage\t31\n",
        "name\tis a\tproperty\nage\tis a\tproperty\nAna\tage\t31\n",
        "ana\tKNOWS\tbo\nBo\tLIVES_IN\tRome\nCy\tHAS\tDog\n",
        "Q1\tP31\tQ5\nQ2\tP31\tQ6\nQ3\tP19\tQ7\n",
        "subject\trelation\tobject\nQ2\tP31\tQ6\nQ3\tP19\tQ7\n",
        "France\tcapital\tParis\nPeru\tcontinent\tSouth America\nChile\tcontinent\tSouth America\n",
    ],
)
def test_facts_are_not_taken_for_a_table(tmp_path: Path, text: str) -> None:
    assert report(tmp_path, {"facts.tsv": text}).likely_headers == []


_HEADER = ":ID,name,text,:LABEL\n"


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (r'"She said \"no\", twice"', 'She said "no", twice'),
        (r'"\"Heroes\""', '"Heroes"'),
        (r'"C:\\, \"quoted\""', 'C:\\, "quoted"'),
        ('"A ""big"" day, \\"at last\\""', 'A "big" day, "at last"'),
    ],
)
def test_backslashes_before_quotes_are_read(tmp_path: Path, cell: str, text: str) -> None:
    graph = imported(tmp_path, {"n.csv": f"{_HEADER}n1,First,{cell},Note\nn2,Second,Plain,Note\n"})

    assert [node.properties["text"] for node in graph.nodes.values()] == [text, "Plain"]


@pytest.mark.parametrize(("cell", "text"), [(r'"C:\"', "C:\\"), (r"C:\new", r"C:\new"), (r'"\\server"', r"\\server")])
def test_backslashes_that_escape_nothing_stay(tmp_path: Path, cell: str, text: str) -> None:
    graph = imported(tmp_path, {"n.csv": f"{_HEADER}n1,First,{cell},Note\nn2,Second,Plain,Note\n"})

    assert [node.properties["text"] for node in graph.nodes.values()] == [text, "Plain"]


def test_aliases_of_nodes_come_from_a_column_and_from_facts(tmp_path: Path) -> None:
    nodes = ":ID,name,aliases,:LABEL\n1,United Nations,UN;Onu,Org\n2,World Bank,,Org\n"
    (tmp_path / "n.csv").write_text(nodes)
    (tmp_path / "aliases.tsv").write_text("World Bank\talias\tWB\n1\talias\tThe UN\nNobody\talias\tX\n")

    report = import_files([tmp_path / "n.csv", tmp_path / "aliases.tsv"], tmp_path / "graph.sqlite")

    assert (report.aliases, report.unused_names) == (4, 1)


def test_aliases_of_json_lines_are_read(tmp_path: Path) -> None:
    (tmp_path / "n.jsonl").write_text(
        '{"type": "node", "id": "1", "labels": ["Org"], "properties": {"name": "UN Org", "aliases": ["UN", "Onu"]}}\n'
        '{"type": "node", "id": "2", "labels": ["Org"], "properties": {"name": "World Bank", "aliases": "WB"}}\n'
    )

    assert import_files([tmp_path / "n.jsonl"], tmp_path / "graph.sqlite").aliases == 3


@pytest.mark.parametrize("names", [["A1", "A2", "C-7"], ["O-5", "12"], ["6.10", "6.9"], ["3/4/2021"]])
def test_nodes_are_named_by_their_name_however_short(tmp_path: Path, names: list[str]) -> None:
    rows = "".join(f"gate-{place},{name},Gate\n" for place, name in enumerate(names, 12))

    graph = imported(
        tmp_path, {"n.csv": f":ID,name,:LABEL\n{rows}", "r.csv": ":START_ID,:END_ID,:TYPE\ngate-12,gate-12,R\n"}
    )

    assert [node.name for node in graph.nodes.values()] == names
