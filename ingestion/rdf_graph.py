"""Write the triples of all RDF files of an import as one graph."""

from itertools import groupby

from ingestion.label_languages import LabelLanguages
from ingestion.named_graphs import NamedGraphs
from ingestion.rdf_facts import LINK, RdfFacts
from ingestion.rdf_reader import RdfReader
from ingestion.rejections import Problems
from ingestion.relation_names import relation_names
from ingestion.sqlite_writer import GraphWriter


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
        facts = self._facts
        keys, relations = list(facts.nodes), [f"<{iri}>" for iri in facts.relations]
        rows = zip(*(column.tolist() for column in facts.columns()), strict=True)
        for subject, relation, object_, type_ in rows:
            if type_ == LINK:
                writer.add_triple(keys[subject], relations[relation], keys[object_])
            else:
                writer.add_described(keys[subject], relations[relation], keys[object_], type_)
        names = relation_names([f"<{iri}>" for iri in facts.classes])
        for node, pairs in groupby(sorted(facts.typed()), key=lambda pair: pair[0]):
            writer.add_kinds(keys[node], tuple(dict.fromkeys(names[class_] for _, class_ in pairs)))
        for label in facts.labels:
            if label.rank is None:
                writer.add_alias(label.node, label.name)
            else:
                writer.add_label(label.node, label.name, label.rank)
        for (node, relation), (_, text) in facts.texts.items():
            writer.add_text(node, f"<{relation}>", text)
        return self.named.remarks()
