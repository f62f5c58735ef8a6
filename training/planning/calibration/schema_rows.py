"""Fill a schema with made-up rows that the queries of a question set return something on."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from graph.plan.algebra import And, Comparison, Constant, Match, Plan, Property
from graph.plan.schema import GraphSchema, PropertySchema
from graph.plan.values import ValueType
from ingestion.property_graph import Node, PropertyGraph, Relationship
from training.planning.compared_constants import Owner, compared_constants
from training.planning.refilling import NamePool, other_text

_PER_KIND = 16
_MOST_NAMED = 40  # nodes of one kind
_MISSING = 0.05  # of the values that are no names
_MOST_DEGREE = 2
_PLANTED = 0.8  # of the plans, whose first pattern gets a match


@dataclass
class RowMaker:
    """Make up the nodes and relationships of one schema; equal seeds give equal rows.

    Attributes:
        schema: The schema, with samples.
        plans: The plans whose constants become values, and whose patterns get matches.
        rng: The source of all choices.
        pool: Names of the forms that the samples have.
    """

    schema: GraphSchema
    plans: Sequence[Plan]
    rng: random.Random
    pool: NamePool
    _literals: defaultdict[Owner, list[Any]] = field(default_factory=lambda: defaultdict(list))
    _nodes: list[Node] = field(default_factory=list)
    _links: list[Relationship] = field(default_factory=list)
    _linked: set[tuple[str, int, int]] = field(default_factory=set)
    _of_kind: defaultdict[str, list[Node]] = field(default_factory=lambda: defaultdict(list))

    def graph(self) -> PropertyGraph:
        """Return the graph."""
        for plan in self.plans:
            for owner, value in compared_constants(plan):
                self._literals[owner].append(value)
        for kind in sorted(self.schema.kinds):
            self._fill(kind)
        for type_, one in sorted(self.schema.relationships.items()):
            for source, target in sorted(one.ends):
                for node in self._of_kind[source]:
                    for _ in range(self.rng.randint(0, _MOST_DEGREE)):
                        self._link(type_, node, self.rng.choice(self._of_kind[target]))
        for plan in self.plans:
            if self.rng.random() < _PLANTED:
                self._plant(plan)
        return PropertyGraph(tuple(self._nodes), tuple(self._links))

    def _fill(self, kind: str) -> None:
        described = self.schema.kinds[kind]
        names = self._names(kind, described.name_property)
        for name in names:
            properties = {
                key: value
                for key, one in sorted(described.properties.items())
                if key != described.name_property and (value := self._value((kind, key), one)) is not None
            }
            if described.name_property is not None:
                properties[described.name_property] = name
            node = Node(len(self._nodes), frozenset((kind,)), properties)
            self._nodes.append(node)
            self._of_kind[kind].append(node)

    def _names(self, kind: str, key: str | None) -> list[Any]:
        """Return different names: those that queries name, the samples, and others of their form."""
        if key is None:
            return [None] * _PER_KIND
        samples = self.schema.kinds[kind].properties[key].samples
        known = list(dict.fromkeys((*samples, *self._literals[kind, key])))[:_MOST_NAMED]
        texts = [one for one in known if isinstance(one, str)]
        for _ in range(10 * _PER_KIND):
            if len(known) >= _PER_KIND:
                break
            if not texts:
                known.append(len(known) + 1)
            elif (new := other_text(self.rng.choice(texts), texts, self.pool, self.rng)) and new not in known:
                known.append(new)
        return known

    def _value(self, owner: Owner, one: PropertySchema) -> Any:
        if self.rng.random() < _MISSING:
            return None
        if one.content is ValueType.BOOLEAN:
            return self.rng.random() < 0.5
        known = [value for value in (*one.samples, *self._literals[owner]) if value is not None]
        if one.content is ValueType.LIST:
            return tuple(self.rng.sample(known, min(len(known), self.rng.randint(1, 2)))) if known else None
        if not known:
            return None
        return self._near(known, one.content)

    def _near(self, known: Sequence[Any], content: ValueType | None) -> Any:
        """Return a value among or near the known ones."""
        value = self.rng.choice(known)
        match value:
            case bool() | str():
                return value
            case int() | float() if content in (ValueType.INTEGER, ValueType.FLOAT):
                numbers = [one for one in known if isinstance(one, int | float)]
                low, high = min(numbers), max(numbers)
                spread = (high - low) or max(1, abs(high) / 2)
                found = self.rng.choice((value, self.rng.uniform(low - spread / 10, high + spread / 4)))
                return round(found) if content is ValueType.INTEGER else round(float(found), 1)
            case datetime() | date():
                return value + timedelta(days=self.rng.choice((0, 0, self.rng.randint(-900, 900))))
        return value

    def _link(self, type_: str, source: Node, target: Node) -> None:
        if source == target or (type_, source.id, target.id) in self._linked:
            return
        self._linked.add((type_, source.id, target.id))
        described = self.schema.relationships[type_].properties
        properties = {
            key: value
            for key, one in sorted(described.items())
            if (value := self._value((type_, key), one)) is not None
        }
        self._links.append(Relationship(len(self._links), type_, source.id, target.id, properties))

    def _plant(self, plan: Plan) -> None:
        """Give the first pattern of a plan a match."""
        first = next((step for step in plan.steps if isinstance(step, Match)), None)
        if first is None:
            return
        wanted = _equalities(plan)
        chosen: dict[str, Node] = {}
        for node in first.nodes:
            kind = node.kinds[0] if node.kinds else ""
            fitting = [one for one in self._of_kind[kind] if _fits(one, wanted[node.variable])]
            if not (found := fitting or self._of_kind[kind]):
                return
            chosen[node.variable] = self.rng.choice(found)
        for link in first.relationships:
            if link.types:
                self._link(link.types[0], chosen[link.source], chosen[link.target])


def _fits(node: Node, wanted: Mapping[str, Any]) -> bool:
    return all(node.properties.get(key) == value for key, value in wanted.items())


def _equalities(plan: Plan) -> Mapping[str, dict[str, Any]]:
    """Return the values that the properties of each variable have to equal."""
    wanted: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for step in plan.steps:
        where = getattr(step, "where", None) or getattr(step, "condition", None)
        for one in where.conditions if isinstance(where, And) else (where,):
            match one:
                case Comparison("=", Property() as left, Constant(value)):
                    wanted[left.variable][left.key] = value
    return wanted
