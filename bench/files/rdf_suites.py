"""Import the files of the W3C's test suites of RDF: `python -m bench.files.rdf_suites ARCHIVE`.

ARCHIVE is a tar file with a folder for each suite; files with `bad` in their names, and those of RDF/XML whose names
begin with `error`, are illegal.
"""

import argparse
import re
import tarfile
import tempfile
from collections import Counter
from pathlib import Path
from typing import cast

import pyoxigraph as rdf

from bench.results import Section, head, keep
from ingestion.importer import import_files
from ingestion.ntriples import read_ntriples
from ingestion.rdf_files import read_rdf
from ingestion.rdf_graph import RdfGraph
from ingestion.rdf_reader import RdfReader
from ingestion.rejections import Problems
from ingestion.source_lines import read_blocks
from ingestion.sqlite_writer import GraphWriter
from shared.errors import InvalidInputError

_SUITES = {
    "N-Triples": ("rdf-n-triples", ".nt"),
    "N-Quads": ("rdf-n-quads", ".nq"),
    "Turtle": ("rdf-turtle", ".ttl"),
    "TriG": ("rdf-trig", ".trig"),
    "RDF/XML": ("rdf-xml", ".rdf"),
}
_ILLEGAL = re.compile(r"-bad-|^error")
_PLACE = re.compile(r", line \d+: .{10}")
_NO_FACTS = "no triples and no nodes"
_NOTE = (
    "The W3C's tests of RDF 1.1. A legal file has the same triples if its reader hands on what pyoxigraph parses, "
    "before the ontology and the blank nodes are read. An illegal file is refused by a strict import with the line "
    "and the reason. Files without a fact are empty, describe a vocabulary, or have only empty literals or control "
    "characters, which no name can have."
)


class _Recorder:
    """Record the triples that a reader hands on, in place of what reads their terms."""

    def __init__(self) -> None:
        self.line = 0
        self.triples: list[rdf.Triple] = []

    def resource(self, iri: str, _role: str) -> str:
        return iri

    def blank_node(self, label: str) -> str:
        return f"_:{label}"

    def relation(self, iri: str) -> str:
        return iri

    def link(self, subject: str, relation: str, object_: str, *, is_blank: bool) -> None:
        assert is_blank == object_.startswith("_:")
        self.triples.append(rdf.Triple(_node(subject), rdf.NamedNode(relation), _node(object_)))

    def literal(self, subject: str, relation: str, text: str, language: str | None, datatype: str | None) -> None:
        type_ = rdf.NamedNode(datatype) if datatype and not language else None
        literal = rdf.Literal(text, language=language) if language else rdf.Literal(text, datatype=type_)
        self.triples.append(rdf.Triple(_node(subject), rdf.NamedNode(relation), literal))


class _RecordingGraph(RdfGraph):
    """Give every file a recorder."""

    def __init__(self) -> None:
        super().__init__()
        self.recorder = _Recorder()

    def reader(self, writer: GraphWriter, problems: Problems) -> RdfReader:
        return cast(RdfReader, self.recorder)


def _node(key: str) -> rdf.NamedNode | rdf.BlankNode:
    return rdf.BlankNode(key[2:]) if key.startswith("_:") else rdf.NamedNode(key)


def _has_same_triples(file: Path) -> bool:
    """Return whether the reader of a file hands on the triples that pyoxigraph parses."""
    graph, problems = _RecordingGraph(), Problems()
    problems.file = file.name
    writer = cast(GraphWriter, None)  # the recorder needs none
    blocks = read_blocks(file, is_rdf=True)
    if file.suffix == ".nt":
        read_ntriples(blocks, writer, problems, graph)
    else:
        read_rdf(blocks, writer, problems, graph, file.suffix)
    problems.raise_if_any()
    parsed = rdf.parse(path=file, base_iri=f"file:///{file.name}")
    expected = [rdf.Triple(quad.subject, quad.predicate, quad.object) for quad in parsed]
    return _canonical(graph.recorder.triples) == _canonical(expected)


def _canonical(triples: list[rdf.Triple]) -> set[rdf.Quad]:
    dataset = rdf.Dataset(rdf.Quad(one.subject, one.predicate, one.object) for one in triples)
    dataset.canonicalize(rdf.CanonicalizationAlgorithm.UNSTABLE)
    return set(dataset)


def _legal(file: Path, target: Path) -> list[str]:
    """Return what holds for a legal file."""
    found = ["legal files"]
    try:
        found += ["the same triples"] if _has_same_triples(file) else [f"other triples: {file.name}"]
        report = import_files([file], target)
    except InvalidInputError as error:
        return [*found, "without a fact" if _NO_FACTS in str(error) else f"refused: {file.name}: {error}"]
    return [*found, "imported", *(["with a triple left out"] if report.rejected else [])]


def _illegal(file: Path, target: Path) -> list[str]:
    """Return what holds for an illegal file."""
    try:
        import_files([file], target, is_strict=True)
    except InvalidInputError as error:
        is_placed = bool(_PLACE.search(str(error)))
        return ["illegal files", "refused with line and reason" if is_placed else f"refused: {file.name}: {error}"]
    return ["illegal files", f"accepted: {file.name}"]


def _measure(folder: Path, extension: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    target = folder / "graph.sqlite"
    for file in sorted(folder.rglob(f"*{extension}")):
        counts.update((_illegal if _ILLEGAL.search(file.name) else _legal)(file, target))
    return counts


def main() -> None:
    """Import the files, and save how many did what they should."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path, help="the suites as a tar file")
    options = parser.parse_args()
    commit = head()
    with tempfile.TemporaryDirectory() as unpacked:
        with tarfile.open(options.archive) as archive:
            archive.extractall(unpacked, filter="data")
        counts = {name: _measure(Path(unpacked) / folder, ext) for name, (folder, ext) in _SUITES.items()}
    legal = ["legal files", "the same triples", "imported", "with a triple left out", "without a fact"]
    rows = [*legal, "illegal files", "refused with line and reason"]
    columns = {name: {row: str(found[row]) for row in rows} for name, found in counts.items()}
    remarks = [f"{name}: {one}" for name, found in counts.items() for one in found if one not in rows]
    command = "python -m bench.files.rdf_suites ARCHIVE"
    title = "The W3C's test suites of RDF"
    section = Section(order=69, title=title, note=_NOTE, command=command, columns=columns, commit=commit)
    keep("rdf-suites", section.model_copy(update={"remarks": remarks}))


if __name__ == "__main__":
    main()
