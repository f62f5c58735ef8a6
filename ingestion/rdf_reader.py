"""Read the terms of RDF triples: names of resources, values of literals, and what describes the vocabulary.

An rdfs:label or skos:prefLabel names an entity: the one in the preferred language, or else in the language `mul`,
without a language, in English, or in any other language. Other labels and skos:altLabel are aliases. A literal becomes
an entity whose name is its lexical form, regardless of datatype and language, so every `"1994"` is the same entity;
empty literals are left out. Without a label, schema:name, foaf:name, or a title of Dublin Core names a resource whose
IRI has only an internal ID; these stay facts. In addition, literals become properties of their subjects, and classes
become kinds. Comments, and texts that are too long for a name, are properties only.
"""

import re
from collections import defaultdict
from collections.abc import Callable
from urllib.parse import unquote

from graph.plan.naming import is_internal_id
from ingestion.label_languages import LabelLanguages
from ingestion.rdf_facts import Label, RdfFacts
from ingestion.rdf_literals import LITERAL_TYPES, XSD, literal_value
from ingestion.rdf_properties import LEFT_OUT, OTHER, STRING
from ingestion.rdf_terms import ALTERNATIVE_LABEL, COMMENT, LABELS, NAMES, TYPE, is_axiom
from ingestion.rejections import Problems
from ingestion.source_lines import MAX_FIELD_LENGTH, field_problem
from ingestion.sqlite_writer import GraphWriter
from ingestion.typed_values import MAX_TEXT_LENGTH, BadValueError, lost_digits
from shared.text import shortened, shown

_BEHIND_LABELS = 10
_MISFITS = "literals that do not fit their datatypes, kept as text"
_OUTSIDE = "dates outside the years 1 to 9999, kept as text"
_NOT_STORABLE = "numbers that no property can hold, kept as text"
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class RdfReader:
    """Add the triples of one file to the facts; the labels of blank nodes are local to the file.

    `line` is the number of the current line, or 0 if it is unknown.
    """

    def __init__(self, facts: RdfFacts, writer: GraphWriter, problems: Problems, languages: LabelLanguages) -> None:
        self._facts = facts
        self._writer = writer
        self._problems = problems
        self._languages = languages
        self._relations: dict[str, str] = {}
        self._datatypes: dict[str, str] = {}
        self._blank_nodes: dict[str, str] = defaultdict(writer.new_blank_node)
        self.line = 0

    def resource(self, iri: str, role: str) -> str:
        """Return the key of a resource; raise BadValueError if the IRI is none."""
        key = self._iri(iri, role)
        if key not in self._writer.default_names:
            self._writer.default_names[key] = _name_in(key, self._writer.clean)
        return key

    def blank_node(self, label: str) -> str:
        """Return the key of a blank node."""
        return self._blank_nodes[label]

    def relation(self, iri: str) -> str:
        """Return the key of a relation; raise BadValueError if the IRI is none."""
        known = self._relations.get(iri)
        if known is None:
            known = self._relations[iri] = self._iri(iri, "relation")
        return known

    def link(self, subject: str, relation: str, object_: str, *, is_blank: bool) -> None:
        """Add a triple whose object is a resource, or a blank node."""
        if relation == TYPE:
            if not is_blank:  # a class without a name is a description of one
                self._facts.classify(subject, object_)
        elif is_axiom(relation):
            self._facts.axioms.append((subject, relation, object_))
        else:
            self._facts.link(subject, relation, object_)

    def literal(self, subject: str, relation: str, text: str, language: str | None, datatype: str | None) -> None:
        """Add a triple whose object is a literal; raise BadValueError if it is invalid."""
        name = self._lexical_form(text)
        if not name:
            self._writer.empty_literals += 1
        elif is_axiom(relation):
            self._facts.axioms.append((subject, relation, ""))
        elif len(name) > MAX_FIELD_LENGTH or relation == COMMENT:
            self._add_text(subject, relation, name, language)
        else:
            type_ = OTHER if language else self._type(name, datatype)
            if relation == ALTERNATIVE_LABEL:
                self._facts.labels.append(Label(subject, name, None))
            elif relation in LABELS:
                self._facts.labels.append(Label(subject, name, self._languages.rank(language)))
            else:
                if relation in NAMES and is_internal_id(self._writer.default_names.get(subject, "")):
                    rank = _BEHIND_LABELS + self._languages.rank(language)
                    self._facts.labels.append(Label(subject, name, rank))
                # The quotes distinguish the literal "http://e.org" from the entity <http://e.org>.
                self._writer.default_names[f'"{name}"'] = name
                self._facts.describe(subject, relation, f'"{name}"', type_)

    def _iri(self, raw: str, role: str) -> str:
        iri = self._writer.clean(raw)
        if not _ABSOLUTE.match(iri):
            found = f"the {role} <{shortened(iri)}>"
            raise BadValueError(f"{found} is not an absolute IRI; begin it with a scheme such as http:")
        return _checked(role, iri)

    def _lexical_form(self, literal: str) -> str:
        """Put a literal on one line; it may be empty."""
        text = self._writer.clean(" ".join(literal.split()))
        return _checked("literal", text) if text and len(text) <= MAX_FIELD_LENGTH else text

    def _datatype(self, iri: str) -> str:
        """Return the local name of a datatype of XML Schema that a property can hold, or what else it is."""
        known = self._datatypes.get(iri)
        if known is None:
            full = self._iri(iri, "datatype")
            name = full.removeprefix(XSD)
            known = STRING if full == f"{XSD}string" else name if name in LITERAL_TYPES and name != full else OTHER
            self._datatypes[iri] = known
        return known

    def _type(self, text: str, datatype: str | None) -> str:
        """Return the type of a literal: LEFT_OUT if its value is invalid or too large, OTHER if its type is unknown."""
        type_ = STRING if datatype is None else self._datatype(datatype)
        if type_ == STRING:
            return STRING
        if type_ == OTHER:
            self._writer.unstorable_literals += 1
            return OTHER
        try:
            if (value := literal_value(text, type_)) is not None:
                if lost := lost_digits(text, value):
                    self._problems.note(self.line, f"{lost} in properties", f"{shown(text)} is stored as {value}")
                return type_
        except BadValueError as error:
            self._problems.reject_value(self.line, _MISFITS, str(error))
        else:
            kind = _OUTSIDE if type_ in ("date", "dateTime") else _NOT_STORABLE
            self._problems.note(self.line, kind, f"no property can hold the xsd:{type_} {shown(text)}")
        return LEFT_OUT

    def _add_text(self, subject: str, relation: str, text: str, language: str | None) -> None:
        """Keep a comment or a long text as a property only, because it would be a strange name for an entity."""
        reason = None
        if relation in LABELS or relation == ALTERNATIVE_LABEL:
            reason = f"names of more than {MAX_FIELD_LENGTH:,} characters"
        elif len(text) > MAX_TEXT_LENGTH:
            reason = f"texts of more than {MAX_TEXT_LENGTH:,} characters"
        elif self._facts.add_text(subject, relation, text, self._languages.rank(language)) and relation != COMMENT:
            reason = "long texts of the same subject and relation"
        if reason:
            self._problems.note(self.line, reason, f"the literal {shown(text)} has {len(text):,} characters")


def _checked(role: str, text: str) -> str:
    if problem := field_problem(role, text):
        raise BadValueError(problem)
    return text


def _name_in(iri: str, clean: Callable[[str], str]) -> str:
    """Convert the last part of an IRI to words: `http://e.org/New_York%21` -> `New York!`."""
    last = re.split(r"[/#]", iri.rstrip("/#"))[-1]
    name = clean(" ".join(unquote(last).replace("_", " ").split()))
    return name if name and field_problem("name", name) is None else iri
