"""Gather what supports a row of a result, and write it as an item of evidence."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from contracts.answers import Evidence
from graph.plan.values import NodeRef, RelationshipRef
from services.retriever.execution.counts import Count
from services.retriever.execution.evidence_text import evidence_text, missing_sentence, relationship_sentence
from services.retriever.execution.facts import Fact, Owner, labelled

MAX_FACTS = 25
"""Maximum number of facts per row, and of rows of an earlier stage that are traced for it."""
_MAX_ABSENT = 5


@dataclass(frozen=True, slots=True)
class _CountOfRow:
    """A count within the plan: how many stages follow it, and the row of its stage that it belongs to."""

    count: Count
    depth: int
    stage: object
    row: object


@dataclass(slots=True)
class Support:
    """Collect the facts that support one row of the result.

    Attributes:
        facts: The facts, in order.
        omitted: The number of matches that are not listed.
        kind: A fact to state if there is nothing else.
        sentences: What else the row follows from, in order.
    """

    facts: dict[Fact, None] = field(default_factory=dict)
    omitted: int = 0
    kind: Fact | None = None
    sentences: dict[str, None] = field(default_factory=dict)
    _counts: list[_CountOfRow] = field(default_factory=list)
    _aggregates: dict[str, int] = field(default_factory=dict)
    _missing: dict[tuple[str, Owner], None] = field(default_factory=dict)

    @property
    def nodes(self) -> list[NodeRef]:
        """Return the nodes that the evidence names, except in its sentences."""
        named = [*(fact.nodes for fact in self.facts), *(owner.nodes for _, owner in self._missing)]
        return [node for nodes in (*named, *(one.count.nodes for one in self._counts)) for node in nodes]

    def add(self, facts: Iterable[Fact]) -> None:
        """Add facts, or count a match as omitted if they do not fit."""
        new = {fact: None for fact in facts if fact not in self.facts}
        if len(self.facts) + len(new) > MAX_FACTS:
            self.omitted += 1
        else:
            self.facts |= new

    def add_missing(self, properties: Iterable[tuple[str, Owner]]) -> None:
        """Add pairs of a key and an owner that does not have the property."""
        self._missing |= dict.fromkeys(properties)

    def add_count(self, count: Count, depth: int, stage: object, row: object) -> None:
        """Add a count of a row of a stage that `depth` stages follow."""
        self._counts.append(_CountOfRow(count, depth, stage, row))

    def add_aggregate(self, sentence: str, depth: int) -> None:
        """Add a sentence that states another aggregate of a stage that `depth` stages follow."""
        self._aggregates.setdefault(sentence, depth)

    def item(self, labels: Mapping[str, str]) -> Evidence | None:
        """Write the evidence; None if there is nothing to state. `labels` names nodes in the text, keyed by id."""
        facts = sorted(self.facts, key=lambda fact: fact.is_property)
        counts, missing = self._stated_counts(labels), self._missing_sentences(labels)
        last = min(self._aggregates.values(), default=0)
        lead = [sentence for sentence, depth in self._aggregates.items() if depth == last]
        inner = [sentence for sentence, depth in self._aggregates.items() if depth > last]
        sentences = [*inner, *missing, *self.sentences]
        if self.kind and not (facts or counts or lead or sentences):
            facts.append(self.kind)
        described = {} if counts else _described_relationships(facts, labels)
        relationships = [
            fact.stated(labels) for fact in facts if not fact.is_property and fact.relationship not in described
        ]
        properties = [
            fact.stated(labels) for fact in facts if fact.is_property and fact.subject.relationship not in described
        ]
        sentences = [*described.values(), *sentences]
        text, summary = evidence_text(relationships, properties, self.omitted, counts, lead, sentences)
        triples = [fact.triple() for fact in facts]
        return Evidence(triples=triples, text=text, summary=summary, omitted=self.omitted) if text else None

    def _stated_counts(self, labels: Mapping[str, str]) -> list[Count]:
        """Return the counts of the last stage that counts, without those of several rows, such as an average is of."""
        last = min((one.depth for one in self._counts), default=0)
        counts = [one for one in self._counts if one.depth == last]
        rows: dict[object, set[object]] = {}
        for one in counts:
            rows.setdefault(one.stage, set()).add(one.row)
        return [
            replace(count, names=tuple(labelled(node, labels) for node in count.nodes))
            for count in dict.fromkeys(one.count for one in counts if len(rows[one.stage]) == 1)
        ]

    def _missing_sentences(self, labels: Mapping[str, str]) -> list[str]:
        owners: dict[str, list[str]] = {}
        stated = {(fact.relation, fact.subject) for fact in self.facts if fact.is_property}
        for key, owner in self._missing:
            if (key, owner) not in stated:
                owners.setdefault(key, []).append(owner.name(labels))
        return [missing_sentence(key, list(dict.fromkeys(names))) for key, names in owners.items()]


def _described_relationships(facts: Sequence[Fact], labels: Mapping[str, str]) -> dict[RelationshipRef | None, str]:
    """State relationships with their properties: `Ann took part in Descent (role: medic).`"""
    own: dict[RelationshipRef, list[Fact]] = {}
    for fact in facts:
        if fact.subject.relationship is not None:
            own.setdefault(fact.subject.relationship, []).append(fact)
    return {
        relationship: relationship_sentence(
            found[0].subject.triple(labels), [(one.relation, one.words or str(one.object)) for one in found]
        )
        for relationship, found in own.items()
    }


def few(sentences: Sequence[str]) -> list[str]:
    """Return the first of some sentences that have the same form, and how many others there are."""
    rest = len(sentences) - _MAX_ABSENT
    if rest <= 1:
        return list(sentences)
    return [*sentences[:_MAX_ABSENT], f"The same holds for {rest} others."]
