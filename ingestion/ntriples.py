"""Read N-Triples (RDF 1.1): one triple of IRIs, blank nodes, and literals per line.

An rdfs:label or skos:prefLabel names an entity: the one in the preferred language, or else in the language `mul`,
without a language, in English, or in any other language. Other labels and skos:altLabel are aliases. A literal becomes
an entity whose name is its lexical form, regardless of datatype and language, so every `"1994"` is the same entity;
empty literals are left out. Without a label, schema:name, foaf:name, or a title of Dublin Core names a resource whose
IRI has only an internal ID; these stay facts. In addition, literals become properties of their subjects, and classes
become kinds. Texts that are too long for a name are properties only.
"""

import re
from collections import defaultdict
from collections.abc import Callable
from urllib.parse import unquote

from graph.plan.naming import is_internal_id
from ingestion.label_languages import LabelLanguages
from ingestion.rdf_literals import LITERAL_TYPES, XSD, literal_value
from ingestion.rdf_properties import CLASS, LEFT_OUT, OTHER, STRING
from ingestion.rejections import Problems
from ingestion.source_lines import MAX_FIELD_LENGTH, Blocks, decode_lines, field_problem
from ingestion.sqlite_writer import GraphWriter
from ingestion.typed_values import MAX_TEXT_LENGTH, BadValueError, lost_digits
from shared.text import shortened, shown

_LABELS = {"http://www.w3.org/2000/01/rdf-schema#label", "http://www.w3.org/2004/02/skos/core#prefLabel"}
# Name resources that have no label, and whose IRIs only have an internal ID, such as Q42.
_NAMES = {
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://purl.org/dc/elements/1.1/title",
    "http://purl.org/dc/terms/title",
}
_BEHIND_LABELS = 10
_ALTERNATIVE_LABEL = "http://www.w3.org/2004/02/skos/core#altLabel"
_RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"

_MISFITS = "literals that do not fit their datatypes, kept as text"
_OUTSIDE = "dates outside the years 1 to 9999, kept as text"
_NOT_STORABLE = "numbers that no property can hold, kept as text"

_IRI = r'<([^\x00-\x20<>"{}|^`]*)>'
_BLANK = r"_:([\w:](?:[\w:.\-\u00b7]*[\w:\-\u00b7])?)"
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
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([tbnrf\"'\\])|)")
_SHOWN_BEFORE = 40
_CHARACTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def read_ntriples(
    blocks: Blocks, writer: GraphWriter, problems: Problems, languages: LabelLanguages | None = None
) -> None:
    """Add the triples in one file, skipping blank lines and comments; `languages` chooses the names of entities."""
    file = _NTriplesFile(writer, problems, languages or LabelLanguages())
    for number, line in decode_lines(blocks, problems):
        text = line.rstrip("\r\n")
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        try:
            file.add(text, number)
        except BadValueError as error:
            problems.reject_line(number, "lines that are not valid N-Triples", str(error))


class _NTriplesFile:
    """Add the lines of one file; blank node labels are local to the file."""

    def __init__(self, writer: GraphWriter, problems: Problems, languages: LabelLanguages) -> None:
        self._writer = writer
        self._problems = problems
        self._languages = languages
        self._line = 0
        self._blank_nodes: dict[str, str] = defaultdict(writer.new_blank_node)

    def add(self, text: str, line: int) -> None:
        """Add the triple on a line; raise BadValueError if the line is not valid N-Triples."""
        self._line = line
        match = _TRIPLE.fullmatch(text)
        if match is None:
            raise BadValueError(_diagnosis(text))
        iri, blank, predicate, object_iri, object_blank, literal, language, datatype = match.groups()
        subject = self._node(iri, blank, "subject")
        relation = self._iri(predicate, "relation")
        if literal is None:
            object_ = self._node(object_iri, object_blank, "object")
            if relation == _RDF_TYPE and object_iri is not None:
                self._writer.add_described(subject, f"<{relation}>", object_, CLASS)
            else:
                self._writer.add_triple(subject, f"<{relation}>", object_)
            return
        name = self._lexical_form(literal)
        if not name:
            self._writer.empty_literals += 1
            return
        if len(name) > MAX_FIELD_LENGTH:
            self._add_long_text(subject, relation, name, language)
            return
        type_ = OTHER if language else self._type(name, datatype)
        if relation == _ALTERNATIVE_LABEL:
            self._writer.add_alias(subject, name)
        elif relation in _LABELS:
            self._writer.add_label(subject, name, self._languages.rank(language))
        else:
            if relation in _NAMES and is_internal_id(self._writer.default_names.get(subject, "")):
                self._writer.add_label(subject, name, _BEHIND_LABELS + self._languages.rank(language))
            # The quotes distinguish the literal "http://e.org" from the entity <http://e.org>.
            self._writer.default_names[f'"{name}"'] = name
            self._writer.add_described(subject, f"<{relation}>", f'"{name}"', type_)

    def _node(self, iri: str | None, blank: str | None, role: str) -> str:
        if iri is None:
            return self._blank_nodes[blank or ""]
        key = self._iri(iri, role)
        if key not in self._writer.default_names:
            self._writer.default_names[key] = _name_in(key, self._writer.clean)
        return key

    def _iri(self, raw: str, role: str) -> str:
        iri = self._writer.clean(_unescaped(raw, role))
        if not _ABSOLUTE.match(iri):
            found = f"the {role} <{shortened(iri)}>"
            raise BadValueError(f"{found} is not an absolute IRI; begin it with a scheme such as http:")
        return _checked(role, iri)

    def _lexical_form(self, literal: str) -> str:
        """Unescape a literal, and put it on one line; it may be empty."""
        text = self._writer.clean(" ".join(_unescaped(literal, "literal").split()))
        return _checked("literal", text) if text and len(text) <= MAX_FIELD_LENGTH else text

    def _type(self, text: str, datatype: str | None) -> str:
        """Return the type of a literal: LEFT_OUT if its value is invalid or too large, OTHER if its type is unknown."""
        if datatype is None or (iri := self._iri(datatype, "datatype")) == f"{XSD}string":
            return STRING
        type_ = iri.removeprefix(XSD)
        if type_ == iri or type_ not in LITERAL_TYPES:
            self._writer.unstorable_literals += 1
            return OTHER
        try:
            if (value := literal_value(text, type_)) is not None:
                if lost := lost_digits(text, value):
                    self._problems.note(self._line, f"{lost} in properties", f"{shown(text)} is stored as {value}")
                return type_
        except BadValueError as error:
            self._problems.reject_value(self._line, _MISFITS, str(error))
        else:
            kind = _OUTSIDE if type_ in ("date", "dateTime") else _NOT_STORABLE
            self._problems.note(self._line, kind, f"no property can hold the xsd:{type_} {shown(text)}")
        return LEFT_OUT

    def _add_long_text(self, subject: str, relation: str, text: str, language: str | None) -> None:
        """Keep a long text as a property only, because it would be a strange name for an entity."""
        reason = None
        if relation in _LABELS or relation == _ALTERNATIVE_LABEL:
            reason = f"names of more than {MAX_FIELD_LENGTH:,} characters"
        elif len(text) > MAX_TEXT_LENGTH:
            reason = f"texts of more than {MAX_TEXT_LENGTH:,} characters"
        elif self._writer.add_long_text(subject, f"<{relation}>", text, self._languages.rank(language)):
            reason = "long texts of the same subject and relation"
        if reason:
            self._problems.note(self._line, reason, f"the literal {shown(text)} has {len(text):,} characters")


def _checked(role: str, text: str) -> str:
    if problem := field_problem(role, text):
        raise BadValueError(problem)
    return text


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


def _name_in(iri: str, clean: Callable[[str], str]) -> str:
    """Convert the last part of an IRI to words: `http://e.org/New_York%21` -> `New York!`."""
    last = re.split(r"[/#]", iri.rstrip("/#"))[-1]
    name = clean(" ".join(unquote(last).replace("_", " ").split()))
    return name if name and field_problem("name", name) is None else iri


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
