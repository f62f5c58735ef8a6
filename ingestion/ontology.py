"""Read what RDF Schema and OWL say of the kinds and relationships of a graph."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set

from ingestion.rdf_facts import RdfFacts
from ingestion.rdf_terms import (
    EQUIVALENT_CLASS,
    INVERSE_OF,
    SAME,
    SUBCLASS,
    SYMMETRIC,
    declares_term,
    is_built_in,
)

_Edges = Mapping[str, Set[str]]


class Ontology:
    """Hold the classes, the properties, and the resources that are the same.

    Attributes:
        terms: The keys of the nodes that belong to a vocabulary: classes, properties, shapes, and ontologies.
        same: The key of the resource that stands for each resource with several IRIs.
        symmetric: The IRIs of the relations that hold in both directions.
    """

    def __init__(self, facts: RdfFacts) -> None:
        """Read the axioms among the facts."""
        classes = list(facts.classes)
        declared = [declares_term(one) for one in classes]
        nodes = list(facts.nodes)
        typed = facts.typed()
        self.terms = {nodes[node] for node, class_ in typed if declared[class_]}
        self.terms |= {
            key for subject, relation, object_ in facts.axioms if relation != SAME for key in (subject, object_) if key
        }
        wider: dict[str, set[str]] = defaultdict(set)
        for subject, relation, object_ in facts.axioms:
            if relation in (SUBCLASS, EQUIVALENT_CLASS) and object_:
                wider[subject].add(object_)
            if relation == EQUIVALENT_CLASS and object_:
                wider[object_].add(subject)
        self._wider: _Edges = wider
        pairs = [(subject, object_) for subject, relation, object_ in facts.axioms if relation == SAME and object_]
        self.same = _representatives((pair for pair in pairs if self.terms.isdisjoint(pair)), facts.nodes.keys())
        symmetric = facts.classes.get(SYMMETRIC)
        self.symmetric = {nodes[node] for node, class_ in typed if class_ == symmetric}
        self._inverse_pairs = [
            (subject, object_) for subject, relation, object_ in facts.axioms if relation == INVERSE_OF and object_
        ]

    def kinds_of(self, class_: str) -> list[str]:
        """Return a class and all wider ones, without those of RDF Schema and OWL themselves, nearest first."""
        found = dict.fromkeys([class_])
        waiting = [class_]
        for one in waiting:
            new = sorted(self._wider.get(one, set()) - found.keys())
            found.update(dict.fromkeys(new))
            waiting += new
        return [one for one in found if not is_built_in(one) and not one.startswith("_:")]

    def inverses(self, uses: Mapping[str, int]) -> dict[str, str]:
        """Return which relations to read as the inverse of which other ones, given how often each is used.

        The one that is used more often stays.
        """
        found: dict[str, str] = {}
        for pair in self._inverse_pairs:
            stays, goes = sorted(pair, key=lambda iri: (-uses.get(iri, 0), iri))
            if stays != goes and stays not in found and goes not in found.values():
                found.setdefault(goes, stays)
        return found

    def describes(self, iri: str) -> bool:
        """Return whether a resource is a term of a vocabulary."""
        return iri in self.terms or is_built_in(iri)

    def all_kinds(self, facts: RdfFacts) -> set[str]:
        """Return all classes that are the kind of a resource, or wider than one that is."""
        return {kind for class_ in facts.classes for kind in self.kinds_of(class_)}

    def has_only_classes(self, facts: RdfFacts) -> bool:
        """Return whether there are classes, and all resources are terms of a vocabulary."""
        return bool(self._wider) and all(key.startswith('"') or self.describes(key) for key in facts.nodes)

    def read_classes_as_nodes(self, facts: RdfFacts) -> None:
        """Make the hierarchy of classes a part of the facts, as those who publish a classification mean it."""
        for subject, relation, object_ in facts.axioms:
            if relation == SUBCLASS and object_ and not object_.startswith("_:"):
                facts.link(subject, relation, object_)
                self.terms -= {subject, object_}


def _representatives(pairs: Iterable[tuple[str, str]], known: Set[str]) -> dict[str, str]:
    """Return which key of each group of resources that are the same stands for each other key of the group.

    This is an IRI if there is one, with facts if there is one: those in `known`.
    """
    parents: dict[str, str] = {}

    def root(key: str) -> str:
        while (parent := parents.get(key, key)) != key:
            parents[key] = parents.get(parent, parent)
            key = parent
        return key

    for first, second in pairs:
        one, other = sorted((root(first), root(second)), key=lambda key: (key.startswith("_:"), key not in known))
        if one != other:
            parents[other] = one
    return {key: root(key) for key in parents}
