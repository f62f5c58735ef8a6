"""Hold the triples of all RDF files of an import, because what a resource is may be said anywhere in them."""

from array import array
from collections import defaultdict
from itertools import count
from typing import NamedTuple

import numpy as np

from ingestion.rdf_properties import CODES
from ingestion.sqlite_tables import Integers

LINK = -1
"""The type code of triples whose object is a resource; those of literals are in `rdf_properties`."""


class Label(NamedTuple):
    """Name a resource; of several, the one with the lowest rank is its name, and one without a rank is an alias."""

    node: str
    name: str
    rank: int | None


class Columns(NamedTuple):
    """Hold triples as columns of numbers, in the order of the files."""

    subjects: Integers
    relations: Integers
    objects: Integers
    types: Integers


class RdfFacts:
    """Collect triples in 13 bytes each, in addition to their nodes.

    Attributes:
        nodes: The number of each node. IRIs are their own keys, literals are in quotes, and blank nodes are `_:b1`.
        relations: The number of the IRI of each relation.
        classes: The number of the IRI of each class that a resource has.
        labels: The names of resources.
        texts: By subject and relation, the rank and the text of properties that are no facts.
        axioms: Triples that describe the vocabulary, and `owl:sameAs`.
    """

    def __init__(self) -> None:
        self.nodes: dict[str, int] = defaultdict(count().__next__)
        self.relations: dict[str, int] = defaultdict(count().__next__)
        self.classes: dict[str, int] = defaultdict(count().__next__)
        self.labels: list[Label] = []
        self.texts: dict[tuple[str, str], tuple[int, str]] = {}
        self.axioms: list[tuple[str, str, str]] = []
        self._rows, self._types = array("i"), array("b")
        self._typed = array("i")

    def __bool__(self) -> bool:
        """Return whether a resource has a fact, a kind, a name, or a text."""
        return bool(self._types or self._typed or self.texts or self.axioms or self.labels)

    def link(self, subject: str, relation: str, object_: str) -> None:
        """Add a triple between two resources."""
        self._rows.extend((self.nodes[subject], self.relations[relation], self.nodes[object_]))
        self._types.append(LINK)

    def describe(self, subject: str, relation: str, literal: str, type_: str) -> None:
        """Add a triple with a literal; `type_` is what `rdf_properties` calls it."""
        self._rows.extend((self.nodes[subject], self.relations[relation], self.nodes[literal]))
        self._types.append(CODES[type_])

    def classify(self, node: str, class_: str) -> None:
        """Add the class of a resource."""
        self._typed.extend((self.nodes[node], self.classes[class_]))

    def add_text(self, subject: str, relation: str, text: str, rank: int) -> bool:
        """Add a text that is a property only, and return whether the subject has another one for this relation.

        Of several, the first one with the lowest rank is kept.
        """
        known = self.texts.get((subject, relation))
        if known is None or rank < known[0]:
            self.texts[subject, relation] = rank, text
        return known is not None

    def columns(self) -> Columns:
        """Return all triples."""
        subjects, relations, objects = np.array(self._rows, np.int64).reshape(-1, 3).T
        return Columns(subjects, relations, objects, np.array(self._types, np.int64))

    def typed(self) -> list[tuple[int, int]]:
        """Return the pairs of a node and its class, by their numbers."""
        return list(zip(self._typed[::2], self._typed[1::2], strict=True))
