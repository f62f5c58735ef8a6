"""Read facts from witnesses."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from graph.plan.value_text import value_text
from graph.plan.values import NodeRef, RelationshipRef
from services.retriever.execution.witnesses import PropertyFact, RelationshipFact, WitnessPlan
from shared.triple import Triple
from texts.verbalise.spoken import said_text
from texts.verbalise.template import join_names

_NO_LABELS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Owner:
    """Identify the owner of a property: a node, or a relationship between two nodes."""

    nodes: tuple[NodeRef, ...]
    relationship: RelationshipRef | None = None

    def name(self, labels: Mapping[str, str] = _NO_LABELS) -> str:
        """Name a node, or a relationship by its ends; `labels` replaces the names of nodes, keyed by id."""
        names = [labelled(node, labels) for node in self.nodes]
        return f"{names[0]} {self.relationship.type} {names[1]}" if self.relationship else names[0]

    def triple(self, labels: Mapping[str, str] = _NO_LABELS) -> Triple:
        """Return a relationship as a fact."""
        source, target = (labelled(node, labels) for node in self.nodes)
        return Triple(source, self.relationship.type if self.relationship else "", target)


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact, which other facts with the same names do not equal.

    Attributes:
        subject: The node or relationship that the fact is about.
        relation: The key of a property, or the type of a relationship.
        object: The text of a property, or the node to which a relationship leads.
        relationship: The relationship; None for a property.
        words: The text of a property within a sentence.
    """

    subject: Owner
    relation: str
    object: str | NodeRef
    relationship: RelationshipRef | None = None
    words: str = ""

    @property
    def is_property(self) -> bool:
        """Return whether the fact is a property."""
        return self.relationship is None

    @property
    def nodes(self) -> tuple[NodeRef, ...]:
        """Return the nodes that the fact names."""
        return (*self.subject.nodes, self.object) if isinstance(self.object, NodeRef) else self.subject.nodes

    def triple(self) -> Triple:
        """Return the fact by its names."""
        object_ = value_text(self.object) if isinstance(self.object, NodeRef) else self.object
        return Triple(self.subject.name(), self.relation, object_)

    def stated(self, labels: Mapping[str, str]) -> Triple:
        """Return the fact as sentences state it; `labels` replaces the names of nodes, keyed by id."""
        object_ = labelled(self.object, labels) if isinstance(self.object, NodeRef) else self.words or self.object
        return Triple(self.subject.name(labels), self.relation, object_)


def labelled(node: NodeRef, labels: Mapping[str, str]) -> str:
    """Return the label of a node, or its name if it has none."""
    return labels.get(node.id) or value_text(node)


def facts_of(row: Mapping[str, Any], plan: WitnessPlan, durations: Container[str] = ()) -> list[Fact]:
    """Return the facts of a witness; `durations` are the keys of properties that hold durations."""
    facts = []
    for link in plan.relationships:
        if isinstance(row[link.relationship], RelationshipRef):  # else, an optional pattern did not match
            source, target = _ends(row, link)
            facts.append(Fact(Owner((source,)), row[link.relationship].type, target, row[link.relationship]))
    owners = _owners(row, plan)
    for fact in _stated(row, plan):
        owner = owners.get(fact.read.variable)
        facts += property_facts(owner, fact.read.key, row[fact.column], durations) if owner else []
    return facts


def property_facts(owner: Owner, key: str, value: Any, durations: Container[str] = ()) -> Iterator[Fact]:
    """Yield the fact that an owner has a value, unless the value is missing or is the owner's name."""
    if value is not None and (text := value_text(value)) and text != owner.name():
        texts = map(value_text, value) if isinstance(value, tuple) else [text]
        yield Fact(owner, key, text, words=join_names([said_text(one, key, key in durations) for one in texts]))


def missing_of(row: Mapping[str, Any], plan: WitnessPlan, but: Container[str] = ()) -> list[tuple[str, Owner]]:
    """Return the properties that a witness does not have, as pairs of key and owner, without those in some columns."""
    owners = _owners(row, plan)
    missing = [fact for fact in _stated(row, plan) if row[fact.column] is None and fact.column not in but]
    found = [(fact.read.key, owners.get(fact.read.variable)) for fact in missing]
    return [(key, owner) for key, owner in found if owner]


def kind_of(row: Mapping[str, Any]) -> Fact | None:
    """Return the kind of the first node in a row."""
    nodes = (value for value in row.values() if isinstance(value, NodeRef) and value.kinds)
    return next((Fact(Owner((node,)), "kind", node.kinds[0]) for node in nodes), None)


def _stated(row: Mapping[str, Any], plan: WitnessPlan) -> list[PropertyFact]:
    """Return the properties that a witness follows from."""
    return [fact for fact in plan.properties if fact.condition is None or row[fact.condition] is True]


def _ends(row: Mapping[str, Any], link: RelationshipFact) -> tuple[NodeRef, NodeRef]:
    source, target = row[link.source], row[link.target]
    return (target, source) if link.is_forward and not row[link.is_forward] else (source, target)


def _owners(row: Mapping[str, Any], plan: WitnessPlan) -> dict[str, Owner]:
    """Return the nodes and relationships of a witness that may have properties."""
    owners = {name: Owner((value,)) for name, value in row.items() if isinstance(value, NodeRef)}
    for link in plan.relationships:
        if isinstance(row[link.relationship], RelationshipRef):
            owners[link.relationship] = Owner(_ends(row, link), row[link.relationship])
    return owners
