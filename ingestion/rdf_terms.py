"""Name the terms of the vocabularies that describe RDF data: RDF, RDF Schema, OWL, SKOS, and SHACL."""

from ingestion.rdf_literals import XSD

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
SHACL = "http://www.w3.org/ns/shacl#"

TYPE, VALUE = f"{RDF}type", f"{RDF}value"
FIRST, REST, NIL = f"{RDF}first", f"{RDF}rest", f"{RDF}nil"
COMMENT = f"{RDFS}comment"
SUBCLASS, EQUIVALENT_CLASS = f"{RDFS}subClassOf", f"{OWL}equivalentClass"
SAME, INVERSE_OF, SYMMETRIC = f"{OWL}sameAs", f"{OWL}inverseOf", f"{OWL}SymmetricProperty"

LABELS = frozenset({f"{RDFS}label", f"{SKOS}prefLabel"})
ALTERNATIVE_LABEL = f"{SKOS}altLabel"
NAMES = frozenset(
    {
        "http://schema.org/name",
        "https://schema.org/name",
        "http://xmlns.com/foaf/0.1/name",
        "http://purl.org/dc/elements/1.1/title",
        "http://purl.org/dc/terms/title",
    }
)
"""Relations to names of resources that have no label, and whose IRIs only have an internal ID, such as Q42."""

_META = (RDFS, OWL, SHACL)
_OF_DATA = LABELS | {COMMENT, f"{RDFS}seeAlso", f"{RDFS}member"}
_KINDS_OF_DATA = {f"{OWL}Thing", f"{OWL}NamedIndividual", f"{RDFS}Resource", f"{RDFS}Literal"}
_DECLARATIONS = {f"{RDF}Property"}


def is_axiom(relation: str) -> bool:
    """Return whether triples with this relation describe the vocabulary, or say that resources are the same."""
    return relation.startswith(_META) and relation not in _OF_DATA


def declares_term(class_: str) -> bool:
    """Return whether the resources of a class are terms of a vocabulary, such as classes, properties, and shapes."""
    return class_ in _DECLARATIONS or (class_.startswith(_META) and class_ not in _KINDS_OF_DATA)


def is_built_in(iri: str) -> bool:
    """Return whether an IRI is a term of RDF, RDF Schema, OWL, or SHACL themselves, or a datatype."""
    return iri.startswith((*_META, RDF, XSD))
