"""Read through blank nodes, which are the structure of RDF and no answers.

A blank node with literals becomes properties of its owner, a number with its unit becomes one value, a list becomes
several facts, and a blank node between two resources becomes a relationship with properties. Any other one keeps its
facts, and is named by them.
"""

import re
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from graph.plan.content_types import words_of
from graph.plan.values import Value
from ingestion.rdf_facts import LINK
from ingestion.rdf_lists import item_facts
from ingestion.rdf_properties import CODES, STRING, property_value
from ingestion.rdf_terms import VALUE

_UNIT_WORDS = {"unit", "units", "currency", "uom"}
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_MAX_PARTS, _MAX_NAME, _MAX_STEPS = 4, 150, 4
_UNNAMED = "unnamed node"


@dataclass(slots=True, eq=False)
class Fact:
    """Describe a triple, a part of which is a blank node, or what such triples become.

    Attributes:
        subject: The key of the subject.
        relation: The key of the relation.
        relation_name: Its name.
        object: The key of the object.
        type: `LINK`, or the type of the literal.
        properties: Those of the relationship.
    """

    subject: str
    relation: str
    relation_name: str
    object: str
    type: int
    properties: dict[str, Value] = field(default_factory=dict)


class BlankNodes:
    """Replace the facts of blank nodes by those of the resources around them."""

    def __init__(self, facts: Iterable[Fact], kept: Collection[str], names: Mapping[str, str]) -> None:
        """Read through the blank nodes of these facts, but for those `kept`, which have a name or a comment.

        `names` holds the names of resources by key.
        """
        self._kept = kept
        self._names = names
        self._facts: dict[Fact, None] = {}
        self._out: dict[str, dict[Fact, None]] = defaultdict(dict)
        self._into: dict[str, dict[Fact, None]] = defaultdict(dict)
        self.gone: set[str] = set()
        for fact in facts:
            self._add(fact)

    def read_through(self) -> list[Fact]:
        """Return the facts that replace the given ones; the keys of blank nodes without facts are then in `gone`."""
        for old, new, cells in item_facts(self._out, self._into):
            self._replace([old], new)
            self._remove(cells)
        waiting = deque(node for node in self._out if node.startswith("_:"))
        while waiting:
            node = waiting.popleft()
            owners = [fact.subject for fact in self._into[node] if fact.subject.startswith("_:")]
            if node not in self.gone and self._fold(node):
                waiting += owners  # which may have waited for this one
        return list(self._facts)

    def names(self) -> dict[str, str]:
        """Return names of the blank nodes that remain: their texts, or whose they are."""
        keys = dict.fromkeys(key for fact in self._facts for key in (fact.subject, fact.object))
        return {key: self._name(key) for key in keys if key.startswith("_:") and key not in self._names}

    def _name(self, node: str) -> str:
        steps: list[str] = []
        while (name := self._own_name(node)) is None and len(steps) < _MAX_STEPS:
            if (owner := next(iter(self._into[node]), None)) is None:
                break
            steps.append(owner.relation_name)
            node = owner.subject
        return " of ".join((*steps, name or _UNNAMED))

    def _own_name(self, node: str) -> str | None:
        if not node.startswith("_:"):
            return self._names.get(node, node)
        texts = [fact.object[1:-1] for fact in self._out[node] if fact.type != LINK][:_MAX_PARTS]
        joined = ", ".join(texts)
        return self._names.get(node) or (joined if joined and len(joined) <= _MAX_NAME else None)

    def _fold(self, node: str) -> bool:
        """Replace a blank node if it is clear what it says; return whether it is gone."""
        out, into = list(self._out[node]), list(self._into[node])
        links = [fact for fact in out if fact.type == LINK]
        is_open = any(fact.object.startswith("_:") or fact.properties for fact in out)
        if node in self._kept or not out or not into or is_open or any(fact.properties for fact in into):
            return False
        if amount := _amount(out, self._names):
            new = [_with_object(fact, amount, CODES[STRING]) for fact in into]
        elif not links and self._is_only_one(into):
            new = [_part(owner, fact) for owner in into for fact in out]
        elif len(links) == 1 and len(into) == 1:
            new = [_relationship(into[0], links[0], [fact for fact in out if fact.type != LINK])]
        else:
            return False
        self._replace([*into, *out], new)
        self.gone.add(node)
        return True

    def _is_only_one(self, into: Collection[Fact]) -> bool:
        """Return whether no owner has several such nodes, whose parts would be mixed up."""
        return all(
            sum(one.relation == fact.relation and one.object.startswith("_:") for one in self._out[fact.subject]) == 1
            for fact in into
        )

    def _add(self, fact: Fact) -> None:
        self._facts[fact] = self._out[fact.subject][fact] = self._into[fact.object][fact] = None

    def _replace(self, old: Iterable[Fact], new: Iterable[Fact]) -> None:
        for fact in old:
            for facts in (self._facts, self._out[fact.subject], self._into[fact.object]):
                facts.pop(fact, None)
        for fact in new:
            self._add(fact)

    def _remove(self, nodes: Iterable[str]) -> None:
        """Remove blank nodes that nothing refers to any more."""
        for node in nodes:
            if not self._into[node]:
                self._replace(list(self._out[node]), ())
                self.gone.add(node)


def _with_object(fact: Fact, object_: str, type_: int) -> Fact:
    return Fact(fact.subject, fact.relation, fact.relation_name, object_, type_)


def _amount(facts: Collection[Fact], names: Mapping[str, str]) -> str | None:
    """Return the key of a literal such as `12.50 EUR` if these facts are exactly a number and its unit."""
    units = [fact for fact in facts if _UNIT_WORDS & set(words_of(fact.relation_name))]
    numbers = [fact for fact in facts if fact.type != LINK and _NUMBER.fullmatch(fact.object[1:-1])]
    if len(facts) != 2 or len(numbers) != 1:
        return None
    units = [fact for fact in units if fact is not numbers[0]]
    if not units:
        return None
    unit = names.get(units[0].object, "") if units[0].type == LINK else units[0].object[1:-1]
    return f'"{numbers[0].object[1:-1]} {unit}"' if unit else None


def _part(owner: Fact, fact: Fact) -> Fact:
    """Return a fact of a blank node as one of its owner: `address street`."""
    if fact.relation == f"<{VALUE}>":
        return _with_object(owner, fact.object, fact.type)
    name = _combined(owner.relation_name, fact.relation_name)
    return Fact(owner.subject, name, name, fact.object, fact.type)


def _relationship(owner: Fact, link: Fact, literals: Iterable[Fact]) -> Fact:
    """Return the relationship that a blank node between two resources stands for."""
    name = _combined(owner.relation_name, link.relation_name)
    values: dict[str, list[Fact]] = defaultdict(list)
    for fact in literals:
        values[fact.relation_name].append(fact)
    properties = {key: _value(found) for key, found in values.items()}
    return Fact(owner.subject, name, name, link.object, LINK, properties)


def _value(facts: Collection[Fact]) -> Value:
    value = property_value([(fact.type, fact.object[1:-1]) for fact in facts])
    texts = tuple(dict.fromkeys(fact.object[1:-1] for fact in facts))
    return value if value is not None else texts if len(texts) > 1 else texts[0]


def _combined(outer: str, inner: str) -> str:
    """Join the names of two relations, unless the second one contains the first: `price`, `price unit`."""
    first, second = list(words_of(outer)), list(words_of(inner))
    return inner if second[: len(first)] == first else f"{outer} {inner}"
