"""Read Turtle, TriG, N-Quads, RDF/XML, and JSON-LD, whose grammars pyoxigraph knows."""

import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import IO, TYPE_CHECKING, cast
from urllib.parse import quote

from ingestion.rdf_graph import RdfGraph
from ingestion.rdf_reader import RdfReader
from ingestion.rejections import Problems
from ingestion.source_lines import Blocks
from ingestion.sqlite_writer import GraphWriter
from ingestion.typed_values import BadValueError

if TYPE_CHECKING:
    from pyoxigraph import Quad, RdfFormat

_FORMATS = {".ttl": "TURTLE", ".trig": "TRIG", ".nq": "N_QUADS", ".rdf": "RDF_XML", ".jsonld": "JSON_LD"}
# Ontologies are published as RDF/XML or Turtle, with the same extension.
_ONTOLOGY = ".owl"
_XML = re.compile(rb"\s*<(?:\?xml|!|[\w.-]+:RDF|RDF)")

RDF_EXTENSIONS = (*_FORMATS, _ONTOLOGY)
"""The extensions of the files that this module reads."""

_BEFORE_REASON = re.compile(r"Parser error at line \d+ (?:column \d+|between columns \d+ and \d+)[^:]*: ")
_NO_REMOTE_CONTEXT = "LoadDocumentCallback"


def read_rdf(blocks: Blocks, writer: GraphWriter, problems: Problems, graph: RdfGraph, extension: str) -> None:
    """Add the triples in one file; a file with a syntax error makes the import fail."""
    from pyoxigraph import parse

    lines = _Lines(blocks)
    format_ = _format(extension, lines.begin)
    if not graph.named.begin(problems, has_graphs=format_.supports_datasets):
        return
    # Relative IRIs, such as that of the file itself, must not depend on the folder.
    quads = parse(cast(IO[bytes], lines), format=format_, base_iri=f"file:///{quote(problems.file)}")
    try:
        _add(quads, graph, graph.reader(writer, problems), problems, lines)
    except SyntaxError as error:
        problems.add(error.lineno or lines.number, _reason(error))


class _Lines(io.RawIOBase):
    """Hand out a file line by line, so that a parser never reads ahead, and its line is known.

    Attributes:
        begin: The first block of the file.
        number: The number of the last line that was read.
    """

    def __init__(self, blocks: Blocks) -> None:
        rest = iter(blocks)
        first = next(rest, (1, b""))
        self.begin = first[1]
        self.number = 0
        self._lines = _lines(chain((first,), rest))
        self._rest = b""

    def readable(self) -> bool:
        """Return that this file can be read."""
        return True

    def read(self, size: int = -1, /) -> bytes:
        """Return at most `size` bytes, and at most the rest of a line."""
        if not self._rest:
            self._rest = next(self._lines, b"")
            self.number += bool(self._rest)
        found = self._rest[:size] if size >= 0 else self._rest
        self._rest = self._rest[len(found) :]
        return found


def _lines(blocks: Blocks) -> Iterator[bytes]:
    for _, block in blocks:
        yield from io.BytesIO(block)


def _format(extension: str, begin: bytes) -> "RdfFormat":
    from pyoxigraph import RdfFormat

    if extension == _ONTOLOGY:
        extension = ".rdf" if _XML.match(begin) else ".ttl"
    found: RdfFormat = getattr(RdfFormat, _FORMATS[extension])
    return found


def _add(quads: "Iterable[Quad]", graph: RdfGraph, reader: RdfReader, problems: Problems, lines: _Lines) -> None:
    """Add the triples in the chosen graph, or in all graphs."""
    from pyoxigraph import DefaultGraph

    accepts = graph.named.accepts
    for quad in quads:
        name = quad.graph_name
        if accepts("" if type(name) is DefaultGraph else name.value):
            reader.line = lines.number
            try:
                _add_one(quad, reader, problems)
            except BadValueError as error:
                problems.reject_line(lines.number, "triples that a graph cannot hold", str(error))


def _add_one(quad: "Quad", reader: RdfReader, problems: Problems) -> None:
    """Add one triple; raise BadValueError if a graph cannot hold it."""
    from pyoxigraph import Literal, NamedNode, Triple

    subject, relation, object_ = quad.subject, quad.predicate.value, quad.object
    if isinstance(object_, Triple) or isinstance(subject, Triple):
        problem = f"<{relation}> leads to a triple, which is no node; state it as a fact of its own"
        problems.note(reader.line, "triples about triples", problem)
        return
    is_resource = isinstance(subject, NamedNode)
    source = reader.resource(subject.value, "subject") if is_resource else reader.blank_node(subject.value)
    step = reader.relation(relation)
    if isinstance(object_, Literal):
        reader.literal(source, step, object_.value, object_.language, object_.datatype.value)
    elif isinstance(object_, NamedNode):
        reader.link(source, step, reader.resource(object_.value, "object"), is_blank=False)
    else:
        reader.link(source, step, reader.blank_node(object_.value), is_blank=True)


def _reason(error: SyntaxError) -> str:
    """Describe a syntax error, and what to do about it."""
    if _NO_REMOTE_CONTEXT in error.msg:
        return "the @context is an address, and none is fetched; write the context itself into the file"
    reason = _BEFORE_REASON.sub("", error.msg)
    place = f"column {error.offset}: " if error.offset else ""
    return f"{place}{reason[:1].lower()}{reason[1:]}; correct it, because nothing of the file can be imported"
