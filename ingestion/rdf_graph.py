"""Write the triples of all RDF files of an import as one graph, whose kinds and relationships their ontology names."""

from collections import ChainMap
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from graph.plan.naming import is_internal_id
from ingestion.blank_nodes import BlankNodes, Fact
from ingestion.label_languages import LabelLanguages
from ingestion.named_graphs import NamedGraphs
from ingestion.ontology import Ontology
from ingestion.rdf_directions import in_both_directions, reversed_as
from ingestion.rdf_facts import LINK, Columns, Label, RdfFacts
from ingestion.rdf_reader import RdfReader
from ingestion.rejections import Problems
from ingestion.relation_names import relation_names
from ingestion.sqlite_tables import Integers
from ingestion.sqlite_writer import GraphWriter

_BEHIND_OWN_LABELS = 20


class RdfGraph:
    """Collect the triples of RDF files, and write them once all files have been read."""

    def __init__(self, languages: LabelLanguages | None = None, named_graph: str | None = None) -> None:
        """Choose the names of entities by `languages`, and import only the named graph with this IRI, if any."""
        self._languages = languages or LabelLanguages()
        self.named = NamedGraphs(named_graph)
        self._facts = RdfFacts()

    def reader(self, writer: GraphWriter, problems: Problems) -> RdfReader:
        """Return what reads the terms of one file."""
        return RdfReader(self._facts, writer, problems, self._languages)

    def write(self, writer: GraphWriter) -> list[str]:
        """Write everything, and return what the owner of the graph should know of it."""
        remarks = self.named.remarks()
        return remarks + _Writing(self._facts, writer).write() if self._facts else remarks


class _Writing:
    """Write facts to a graph file, by their ontology."""

    def __init__(self, facts: RdfFacts, writer: GraphWriter) -> None:
        self._facts = facts
        self._writer = writer
        self._remarks: list[str] = []
        self._ontology = Ontology(facts)
        if self._ontology.has_only_classes(facts):
            self._ontology.read_classes_as_nodes(facts)
            self._remarks.append("the files describe classes only, so the classes are the nodes of the graph")
        self._keys = list(facts.nodes)
        self._relations = [f"<{iri}>" for iri in facts.relations]
        self._labels = writer.term_labels = self._term_labels()
        self._names = relation_names(self._relations, self._labels)

    def write(self) -> list[str]:
        """Write everything, and return remarks."""
        columns = self._without_terms(self._joined(self._facts.columns()))
        columns = self._in_one_direction(columns)
        self._add_labels()
        gone = self._add_triples(columns)
        self._add_kinds(gone)
        for (node, relation), (_, text) in self._facts.texts.items():
            if not self._ontology.describes(node):
                self._writer.add_text(self._ontology.same.get(node, node), f"<{relation}>", text)
        return self._remarks

    def _term_labels(self) -> dict[str, str]:
        """Return the label of each class and each relation that has one, by its IRI in <>."""
        terms = self._ontology.all_kinds(self._facts) | self._facts.relations.keys()
        best: dict[str, tuple[int, str]] = {}
        for node, name, rank in self._facts.labels:
            if rank is not None and node in terms and (node not in best or rank < best[node][0]):
                best[node] = rank, name
        return {f"<{iri}>": name for iri, (_, name) in best.items()}

    def _joined(self, columns: Columns) -> Columns:
        """Return the triples with one node for all resources that are the same."""
        numbers = self._facts.nodes
        places: Integers = np.arange(len(self._keys))
        for key, other in self._ontology.same.items():
            if key in numbers:
                places[numbers[key]] = numbers[other]
        return columns._replace(subjects=places[columns.subjects], objects=places[columns.objects])

    def _without_terms(self, columns: Columns) -> Columns:
        """Leave out the triples of terms of the vocabulary."""
        are_terms = np.array([key[0] != '"' and self._ontology.describes(key) for key in self._keys], bool)
        links = (columns.types == LINK) & self._are_blank()[columns.objects]
        while True:  # also those of the blank nodes behind terms, such as the lists of classes of a union
            found = columns.objects[links & are_terms[columns.subjects]]
            if are_terms[found].all():
                break
            are_terms[found] = True
        left_out = int(are_terms[columns.subjects].sum())
        if left_out:
            facts = "1 triple about a term" if left_out == 1 else f"{left_out:,} triples about terms"
            self._remarks.append(f"left out {facts} of the vocabulary: classes, properties, ontologies, and shapes")
        kept = ~(are_terms[columns.subjects] | are_terms[columns.objects])
        return Columns(*(column[kept] for column in columns))

    def _are_blank(self) -> NDArray[np.bool_]:
        return np.array([key.startswith("_:") for key in self._keys], bool)

    def _in_one_direction(self, columns: Columns) -> Columns:
        """Read relations as the inverse of others, and state symmetric ones in both directions."""
        numbers = self._facts.relations
        counts = np.bincount(columns.relations, minlength=len(numbers)).tolist()
        uses = dict(zip(numbers, counts, strict=True))
        for goes, stays in self._ontology.inverses(uses).items():
            if uses.get(goes):
                columns = reversed_as(columns, numbers[goes], numbers[stays])
                old, new = self._names[numbers[goes]], self._names[numbers[stays]]
                self._remarks.append(f"{old} is the inverse of {new}, and is read as {new} in the other direction")
        for iri in sorted(self._ontology.symmetric & numbers.keys()):
            columns = in_both_directions(columns, numbers[iri])
        return columns

    def _add_labels(self) -> None:
        """Name the nodes; the names and the IRIs of resources that are the same become aliases."""
        same = self._ontology.same
        for node, name, rank in self._facts.labels:
            if self._ontology.describes(node):
                continue
            if rank is None:
                self._writer.add_alias(same.get(node, node), name)
            else:
                self._writer.add_label(same.get(node, node), name, rank + _BEHIND_OWN_LABELS * (node in same))
        labelled = {label.node for label in self._facts.labels} if same else set()
        for node, stands in same.items():
            if stands in self._facts.nodes and not node.startswith("_:"):
                self._writer.add_alias(stands, node)
                name = self._writer.default_names.get(node, "")
                if name and node not in labelled and not is_internal_id(name):
                    self._writer.add_alias(stands, name)

    def _add_triples(self, columns: Columns) -> set[str]:
        """Write the triples, and return the blank nodes that are no nodes of the graph."""
        are_blank = self._are_blank()
        are_parts = are_blank[columns.subjects] | (are_blank[columns.objects] & (columns.types == LINK))
        plain = Columns(*(column[~are_parts] for column in columns))
        for subject, relation, object_, type_ in zip(*(column.tolist() for column in plain), strict=True):
            self._add(self._keys[subject], self._relations[relation], self._keys[object_], type_)
        if not are_parts.any():
            return set()
        return self._add_read_through(Columns(*(column[are_parts] for column in columns)))

    def _add_read_through(self, columns: Columns) -> set[str]:
        """Write the triples of blank nodes, read through where it is clear what they say."""
        rows = zip(*(column.tolist() for column in columns), strict=True)
        facts = (Fact(self._keys[s], self._relations[r], self._names[r], self._keys[o], t) for s, r, o, t in rows)
        names = ChainMap(self._best_labels(), self._writer.default_names)  # a copy would take much memory
        kept = {label.node for label in self._facts.labels} | {node for node, _ in self._facts.texts}
        nodes = BlankNodes(facts, kept, names)
        for fact in nodes.read_through():
            if fact.type != LINK:
                self._writer.default_names.setdefault(fact.object, fact.object[1:-1])
            if fact.properties:
                self._writer.add_fact(fact.subject, fact.relation, fact.object, fact.properties)
            else:
                self._add(fact.subject, fact.relation, fact.object, fact.type)
        self._writer.default_names.update(nodes.names())
        return nodes.gone

    def _add(self, subject: str, relation: str, object_: str, type_: int) -> None:
        if type_ == LINK:
            self._writer.add_triple(subject, relation, object_)
        else:
            self._writer.add_described(subject, relation, object_, type_)

    def _best_labels(self) -> dict[str, str]:
        """Return the names of the resources that have labels."""
        ranked: list[Label] = [label for label in self._facts.labels if label.rank is not None]
        return {label.node: label.name for label in sorted(ranked, key=lambda label: -(label.rank or 0))}

    def _add_kinds(self, gone: set[str]) -> None:
        """Give the nodes the kinds of their classes, and of all wider ones."""
        kinds = sorted(self._ontology.all_kinds(self._facts))
        names = dict(zip(kinds, relation_names([f"<{iri}>" for iri in kinds], self._labels), strict=True))
        wider = [[names[kind] for kind in self._ontology.kinds_of(class_)] for class_ in self._facts.classes]
        same = self._ontology.same
        keys = [same.get(key, key) for key in self._facts.nodes]
        typed = sorted(((keys[node], class_) for node, class_ in self._facts.typed()), key=lambda pair: pair[0])
        for key, pairs in groupby(typed, key=lambda pair: pair[0]):
            if key not in gone and not self._ontology.describes(key):
                found = dict.fromkeys(name for _, class_ in pairs for name in wider[class_])
                if found:
                    self._writer.add_kinds(key, tuple(found))
