"""Read N-Triples (RDF 1.1): one triple of IRIs, blank nodes, and literals per line."""

import re

from ingestion.rdf_graph import RdfGraph
from ingestion.rdf_reader import RdfReader
from ingestion.rejections import Problems
from ingestion.source_lines import Blocks, decode_lines
from ingestion.sqlite_writer import GraphWriter
from ingestion.typed_values import BadValueError
from shared.text import shown

_IRI = r'<([^\x00-\x20<>"{}|^`]*)>'
_BLANK = r"_:(\w(?:[\w.\-\u00b7]*[\w\-\u00b7])?)"
_LITERAL = rf'"([^"\\]*(?:\\.[^"\\]*)*)"(?:@([A-Za-z]+(?:-[A-Za-z0-9]+)*)(?:--(?:ltr|rtl))?|\^\^{_IRI})?'
_TRIPLE = re.compile(
    rf"[ \t]*(?:{_IRI}|{_BLANK})[ \t]*{_IRI}[ \t]*(?:{_IRI}|{_BLANK}|{_LITERAL})[ \t]*\.[ \t]*(?:#.*)?"
)
_PARTS = (
    ("subject", re.compile(rf"[ \t]*(?:{_IRI}|{_BLANK})[ \t]*"), "an IRI in <> or a blank node"),
    ("relation", re.compile(rf"{_IRI}[ \t]*"), "an IRI in <>"),
    ("object", re.compile(rf"(?:{_IRI}|{_BLANK}|{_LITERAL})[ \t]*"), "an IRI in <>, a blank node or a quoted literal"),
)
# An IRI that ends, with a character that the grammar forbids.
_FORBIDDEN = re.compile(r'[ \t]*<([^\x00-\x20<>"{}|^`]*)([\x01-\x20"{}|^`])[^<>]*>')
_AFTER_OBJECT = {
    "^": "expected ^^ and an IRI in <> as datatype, and no language tag,",
    "@": "expected a language tag such as @en, and no datatype,",
}
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([tbnrf\"'\\])|)")
_SHOWN_BEFORE = 40
_CHARACTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def read_ntriples(blocks: Blocks, writer: GraphWriter, problems: Problems, graph: RdfGraph) -> None:
    """Add the triples in one file, skipping blank lines and comments; lines that are no triples are left out."""
    if not graph.named.begin(problems, has_graphs=False):
        return
    reader = graph.reader(writer, problems)
    for number, line in decode_lines(blocks, problems):
        text = line.rstrip("\r\n")
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        reader.line = number
        try:
            _add(text, reader)
        except BadValueError as error:
            problems.reject_line(number, "lines that are not valid N-Triples", str(error))


def _add(text: str, reader: RdfReader) -> None:
    """Add the triple on a line; raise BadValueError if the line is not valid N-Triples."""
    match = _TRIPLE.fullmatch(text)
    if match is None:
        raise BadValueError(_diagnosis(text))
    iri, blank, predicate, object_iri, object_blank, literal, language, datatype = match.groups()
    subject = _node(reader, iri, blank, "subject")
    relation = reader.relation(_unescaped(predicate, "relation"))
    if literal is None:
        object_ = _node(reader, object_iri, object_blank, "object")
        reader.link(subject, relation, object_, is_blank=object_iri is None)
    else:
        type_ = None if datatype is None else _unescaped(datatype, "datatype")
        reader.literal(subject, relation, _unescaped(literal, "literal"), language, type_)


def _node(reader: RdfReader, iri: str | None, blank: str | None, role: str) -> str:
    return reader.blank_node(blank or "") if iri is None else reader.resource(_unescaped(iri, role), role)


def _unescaped(raw: str, role: str) -> str:
    def character(escape: re.Match[str]) -> str:
        short, long, letter = escape.groups()
        if letter:
            return _CHARACTERS.get(letter, letter)
        code = int(short or long or "-1", 16)
        if not 0 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            found = raw[escape.start() : escape.start() + 10]
            raise BadValueError(f"the {role} contains {found!r}, which is not a valid escape; correct it")
        return chr(code)

    return _ESCAPE.sub(character, raw) if "\\" in raw else raw


def _diagnosis(text: str) -> str:
    """Describe which part of a line is not valid N-Triples."""
    place, expected = 0, ""
    for role, pattern, form in _PARTS:
        expected = f"expected {form} as {role}"
        match = pattern.match(text, place)
        if match is None:
            if bad := _FORBIDDEN.match(text, place):
                return _forbidden(bad, role)
            break
        place = match.end()
    else:
        expected = _AFTER_OBJECT.get(text[place : place + 1], "expected ' .' and nothing else after the object")
    found = shown(text[place:]) if place < len(text) else "the end of the line"
    return f"{expected} at column {place + 1}, found {found}"


def _forbidden(found: re.Match[str], role: str) -> str:
    """Describe the first forbidden character of an IRI, and the end of what comes before it."""
    character = found[2]
    before = found[1] if len(found[1]) <= _SHOWN_BEFORE else f"...{found[1][-_SHOWN_BEFORE:]}"
    return (
        f"the {role} has {character!r} at column {found.start(2) + 1}, after {before!r}, which an IRI cannot contain; "
        f"write %{ord(character):02X} instead"
    )
