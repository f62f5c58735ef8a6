import gzip
import lzma
from pathlib import Path

import pytest

from ingestion.importer import ImportReport, import_files
from shared.errors import InvalidInputError
from tests.support.imported_graphs import StoredGraph, import_error, imported, report, stored_graph

_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_PREFIX = "@prefix e: <http://e.org/> .\n"
_XML = (
    '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.org/">\n'
    '<e:Port rdf:about="http://e.org/Oban">\n<e:lies_in rdf:resource="http://e.org/Argyll"/>\n'
    '<e:berths rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">12</e:berths>\n</e:Port>\n</rdf:RDF>\n'
)
_FORMS = {
    "f.nt": f"<http://e.org/Oban> <{_TYPE}> <http://e.org/Port> .\n"
    "<http://e.org/Oban> <http://e.org/lies_in> <http://e.org/Argyll> .\n"
    '<http://e.org/Oban> <http://e.org/berths> "12"^^<http://www.w3.org/2001/XMLSchema#integer> .\n',
    "f.ttl": f"{_PREFIX}e:Oban a e:Port ; e:lies_in e:Argyll ; e:berths 12 .\n",
    "f.trig": f"{_PREFIX}GRAPH e:g {{ e:Oban a e:Port ; e:lies_in e:Argyll ; e:berths 12 }}\n",
    "f.nq": f"<http://e.org/Oban> <{_TYPE}> <http://e.org/Port> <http://e.org/g> .\n"
    "<http://e.org/Oban> <http://e.org/lies_in> <http://e.org/Argyll> <http://e.org/g> .\n"
    '<http://e.org/Oban> <http://e.org/berths> "12"^^<http://www.w3.org/2001/XMLSchema#integer> <http://e.org/g> .\n',
    "f.rdf": _XML,
    "f.owl": _XML,
    "other.owl": f"{_PREFIX}e:Oban a e:Port ; e:lies_in e:Argyll ; e:berths 12 .\n",
    "f.jsonld": '{"@context": {"@vocab": "http://e.org/"}, "@id": "http://e.org/Oban", "@type": "Port",\n'
    '"lies_in": {"@id": "http://e.org/Argyll"}, "berths": 12}',
}


def _check(graph: StoredGraph) -> None:
    assert graph.nodes["http://e.org/Oban"] == ("Oban", {"Port"}, {"berths": 12})
    assert sorted(graph.relationships) == [
        ("http://e.org/Oban", "berths", '"12"', {}),
        ("http://e.org/Oban", "lies_in", "http://e.org/Argyll", {}),
    ]


@pytest.mark.parametrize("name", _FORMS)
@pytest.mark.parametrize("compression", ["", ".gz", ".xz"])
def test_all_forms_of_rdf_give_the_same_graph(tmp_path: Path, name: str, compression: str) -> None:
    content = _FORMS[name].encode()
    compressed = {"": content, ".gz": gzip.compress(content), ".xz": lzma.compress(content)}[compression]

    _check(imported(tmp_path, {name + compression: compressed}))


def test_several_forms_are_imported_together(tmp_path: Path) -> None:
    _check(imported(tmp_path, _FORMS))


def test_a_folder_stands_for_its_rdf_files(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "more" / ".git").mkdir(parents=True)
    (folder / "a.ttl").write_text(f"{_PREFIX}e:Oban a e:Port ; e:lies_in e:Argyll .\n")
    (folder / "more" / "b.TTL.gz").write_bytes(gzip.compress(f"{_PREFIX}e:Oban e:berths 12 .\n".encode()))
    (folder / "README.md").write_text("no facts")
    (folder / "more" / ".git" / "c.ttl").write_text("no facts")

    import_files([folder], tmp_path / "graph.sqlite")

    _check(stored_graph(tmp_path / "graph.sqlite"))


def test_a_folder_without_rdf_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()

    with pytest.raises(InvalidInputError, match="is a folder or device, not a file"):
        import_files([tmp_path / "data"], tmp_path / "graph.sqlite")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("f.ttl", f"{_PREFIX}e:a e:p e:b .\ne:a x:p e:c .\n", "line 3: column 5: the prefix x: has not been declared"),
        ("f.ttl", f'{_PREFIX}e:a e:p "open .\n', "line 2: column 9: "),
        ("f.ttl", f"{_PREFIX}e:a e:p e:b", "line 2: column 12: "),
        ("f.ttl", f'{_PREFIX}e:a e:p "caf'.encode() + b'\xe9" .\n', "line 2: column 13: invalid UTF-8"),
        ("f.trig", f"{_PREFIX}e:g {{ e:a e:p e:b\n", "line 3: "),
        ("f.nq", "<http://e.org/a> <http://e.org/p> <b> .\n", "line 1: column 35: no scheme found"),
        ("f.rdf", _XML.replace("</e:Port>", "</e:port>"), "line 6: "),
        ("f.rdf", _XML.replace("http://e.org/Argyll", "http://e.org:x/"), "line 4: "),
        ("f.jsonld", '{"@id": "http://e.org/a",\n "http://e.org/p": 1\n "x"}', "line 3: column 2: "),
        (
            "f.jsonld",
            '{"@context": "http://schema.org/", "@id": "http://e.org/a"}',
            "line 1: the @context is an address, and none is fetched; write the context itself into the file",
        ),
    ],
)
def test_a_syntax_error_refuses_the_file_with_its_place(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    error = import_error(tmp_path, {"good.nt": _FORMS["f.nt"], name: content}, is_strict=False)

    assert error.startswith(f"{name}, {message}")
    assert len(error.splitlines()) == 1


def test_faults_of_all_files_are_reported(tmp_path: Path) -> None:
    error = import_error(tmp_path, {"a.ttl": "e:a e:b e:c .\n", "b.nt": _FORMS["f.nt"], "c.ttl": "x y z .\n"})

    assert [line.split(":")[0] for line in error.splitlines()] == ["a.ttl, line 1", "c.ttl, line 1"]


def test_a_bad_value_has_its_line_and_costs_nothing_else(tmp_path: Path) -> None:
    content = (
        f'{_PREFIX}e:Oban e:lies_in e:Argyll ;\n  e:opened "soon"^^<http://www.w3.org/2001/XMLSchema#date> ;\n'
        f"  e:near <http://e.org/{'x' * 2100}> ;\n  e:berths 12 .\n"
    )

    found = report(tmp_path, {"f.ttl": content}, max_rejected=1)

    assert stored_graph(tmp_path / "graph.sqlite").nodes["http://e.org/Oban"].properties == {"berths": 12}
    assert [str(one) for one in found.rejected] == [
        "literals that do not fit their datatypes, kept as text: 1 (f.ttl:3)",
        "triples that a graph cannot hold: 1 (f.ttl:4)",
    ]
    assert "'soon'" in import_error(tmp_path / "strict", {"f.ttl": content})


def test_relative_iris_do_not_depend_on_the_folder(tmp_path: Path) -> None:
    graph = imported(tmp_path, {"my ports.ttl.gz": gzip.compress(b"<#Oban> <p> <> .\n")})

    assert graph.relationships == [("file:///my%20ports.ttl.gz#Oban", "p", "file:///my%20ports.ttl.gz", {})]


def test_blank_nodes_of_different_files_differ(tmp_path: Path) -> None:
    content = f"{_PREFIX}_:x e:p e:a , e:b , e:c .\n"

    assert report(tmp_path, {"a.ttl": content, "b.trig": content}).triples == 6


def test_triples_about_triples_are_left_out(tmp_path: Path) -> None:
    found = report(tmp_path, {"f.ttl": f"{_PREFIX}e:a e:says <<( e:a e:p e:b )>> .\ne:a e:q e:c .\n"})

    assert found.triples == 1
    assert [str(one) for one in found.rejected] == ["triples about triples: 1 (f.ttl:2)"]


_GRAPHS = f"{_PREFIX}e:a e:p e:b .\ne:g {{ e:a e:p e:c . e:a e:p e:d }}\nGRAPH e:h {{ e:a e:p e:e }}\n"


def _chosen(folder: Path, graph: str | None, **files: str) -> ImportReport:
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content)
    sources = [folder / name.replace("_", ".") for name in files]
    return import_files(sources, folder / "graph.sqlite", named_graph=graph)


def test_several_graphs_are_merged_and_named(tmp_path: Path) -> None:
    found = _chosen(tmp_path, None, f_trig=_GRAPHS, g_nq="<http://e.org/a> <http://e.org/p> <http://e.org/f> .\n")

    assert found.triples == 5
    assert found.rdf_remarks == [
        "f.trig: merged 3 graphs: <http://e.org/g> (2 triples), the default graph (1 triple), <http://e.org/h> "
        "(1 triple); to import one of them, use --named-graph"
    ]


def test_one_graph_can_be_chosen(tmp_path: Path) -> None:
    found = _chosen(tmp_path, "http://e.org/g", f_trig=_GRAPHS)

    targets = {target for *_, target, _ in stored_graph(tmp_path / "graph.sqlite").relationships}
    assert targets == {"http://e.org/c", "http://e.org/d"}
    assert found.rdf_remarks == ["left out the other graphs: the default graph (1 triple), <http://e.org/h> (1 triple)"]


@pytest.mark.parametrize(
    ("graph", "files", "message"),
    [
        ("http://e.org/x", {"f_trig": _GRAPHS}, "no file has the named graph <http://e.org/x>; choose one of them"),
        ("http://e.org/g", {"f_trig": _GRAPHS, "f_ttl": _PREFIX}, "f.ttl, line 1: files of this format have no named"),
        ("http://e.org/g", {"f_nt": _FORMS["f.nt"]}, "f.nt, line 1: files of this format have no named graphs"),
    ],
)
def test_a_graph_that_cannot_be_chosen_is_refused(
    tmp_path: Path, graph: str, files: dict[str, str], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message.replace("(", "[(]")):
        _chosen(tmp_path, graph, **files)
