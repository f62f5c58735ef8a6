"""Turn plan questions over a property graph into questions over a graph of plain triples, whose kinds are inferred.

Such a graph stores texts as entities: `industry` is a relationship to the entity `shipping`, and not a property.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graph.plan.algebra import (
    Column,
    HasKind,
    Match,
    NodePattern,
    Plan,
    Property,
    RelationshipPattern,
    Variable,
)
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.traversal import rewrite, walk
from graph.plan.values import ValueType
from graph.store import inverse_step
from question_sets.plan_questions import PlanQuestionSet
from services.retriever.plans.schema.kind_names import known_kinds, name_kind

_SUFFIX = " without kinds"
_NAME = "name"
_WITHOUT_GUESSES = 0.5  # of the schemas: no known kind resembles theirs


@dataclass(frozen=True)
class Kindless:
    """Hold a schema with inferred kinds in place of the given ones.

    Attributes:
        schema: The schema with inferred kinds.
        kinds: The inferred kind for each given kind.
        names: The property that names the nodes of each given kind.
        texts: The inferred kind of the texts of each property that became a relationship, by kind and key.
    """

    schema: GraphSchema
    kinds: Mapping[str, str]
    names: Mapping[str, str | None]
    texts: Mapping[tuple[str, str], str]

    @classmethod
    def of(cls, schema: GraphSchema, rng: random.Random) -> "Kindless":
        """Replace the kinds of a schema by inferred ones."""
        texts = [
            (kind, key)
            for kind, found in sorted(schema.kinds.items())
            for key, one in sorted(found.properties.items())
            if key != found.name_property and one.content is ValueType.STRING
        ]
        without = frozenset(known_kinds()) if rng.random() < _WITHOUT_GUESSES else frozenset[str]()
        steps = _steps(schema)
        described: dict[str, KindSchema] = {}
        kinds: dict[str, str] = {}
        for kind, found in sorted(schema.kinds.items(), key=lambda one: (-one[1].count, one[0])):
            named = name_kind(sorted(steps[kind]), described, without)
            kinds[kind] = named.name
            kept = {key: one for key, one in found.properties.items() if (kind, key) not in texts}
            described[named.name] = _described(kept, found, named.synonyms)
        values: dict[str, str] = {}
        for key in sorted({key for _, key in texts}):
            named = name_kind([inverse_step(key)], described, without)
            values[key] = named.name
            described[named.name] = _described({}, KindSchema(1, {}), named.synonyms)
        relationships = _relationships(schema, kinds, texts, values)
        names = {kind: found.name_property for kind, found in schema.kinds.items()}
        return cls(GraphSchema(described, relationships), kinds, names, {one: values[one[1]] for one in texts})

    def plan(self, plan: Plan) -> Plan:
        """Return the plan for the schema with inferred kinds."""
        kinds = {one.variable: one.kinds[0] for one in walk(plan) if isinstance(one, NodePattern) and one.kinds}
        return _Rewriting(self, kinds).of(plan)


def kindless_questions(questions: PlanQuestionSet, share: float, seed: int) -> PlanQuestionSet:
    """Ask a share of the questions over schemas with inferred kinds, apart from those about relationship properties."""
    rng = random.Random(seed)
    kindless = {name: Kindless.of(schema, rng) for name, schema in questions.schemas.items() if all(schema.kinds)}
    asked = [
        replace(one, plan=kindless[one.schema].plan(one.plan), schema=one.schema + _SUFFIX)
        for one in questions.questions
        if one.schema in kindless and rng.random() < share and not _reads_relationships(one.plan)
    ]
    return PlanQuestionSet({name + _SUFFIX: one.schema for name, one in kindless.items()}, asked)


def _reads_relationships(plan: Plan) -> bool:
    parts = list(walk(plan))
    links = {one.variable for one in parts if isinstance(one, RelationshipPattern) and one.variable is not None}
    return any(isinstance(one, Property) and one.variable in links for one in parts)


def _steps(schema: GraphSchema) -> Mapping[str, set[str]]:
    """Return the steps that the nodes of each kind can take."""
    steps: defaultdict[str, set[str]] = defaultdict(set)
    for kind, found in schema.kinds.items():
        steps[kind] |= set(found.properties) - {found.name_property or _NAME}
    for type_, one in schema.relationships.items():
        for source, target in one.ends:
            steps[source].add(type_)
            steps[target].add(inverse_step(type_))
    return steps


def _described(kept: Mapping[str, PropertySchema], found: KindSchema, synonyms: Sequence[str]) -> KindSchema:
    name = found.properties.get(found.name_property or "")
    if name is None or name.content is not ValueType.STRING:
        name = PropertySchema(frozenset((ValueType.STRING,)), ValueType.STRING, found.count)
    others = {key: one for key, one in kept.items() if key != found.name_property}
    return KindSchema(found.count, {**others, _NAME: name}, _NAME, tuple(synonyms), is_inferred=True)


def _relationships(
    schema: GraphSchema, kinds: Mapping[str, str], texts: Iterable[tuple[str, str]], values: Mapping[str, str]
) -> dict[str, RelationshipSchema]:
    ends: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for type_, one in schema.relationships.items():
        ends[type_] |= {(kinds[source], kinds[target]) for source, target in one.ends}
    for kind, key in texts:
        ends[key].add((kinds[kind], values[key]))
    return {type_: RelationshipSchema(1, frozenset(pairs)) for type_, pairs in ends.items()}


class _Rewriting:
    """Rewrite one plan; `kinds` holds the given kind of each variable."""

    def __init__(self, kindless: Kindless, kinds: Mapping[str, str]) -> None:
        self._kindless = kindless
        self._kinds = kinds

    def of(self, plan: Plan) -> Plan:
        needed = {
            (one.variable, one.key)
            for one in walk(plan)
            if isinstance(one, Property) and self._text_kind(one) is not None
        }
        steps, bound = [], frozenset[str]()
        for step in plan.steps:
            steps.append(self._step(step, bound, needed))
            bound |= {node.variable for node in step.nodes} if isinstance(step, Match) else frozenset()
        return Plan(tuple(steps))

    def _step(self, step: Any, bound: frozenset[str], needed: set[tuple[str, str]]) -> Any:
        if not isinstance(step, Match):
            return rewrite(step, lambda part: self._part(part, bound, needed))
        own = {node.variable for node in step.nodes} - bound
        inside = bound | own
        where = rewrite(step.where, lambda part: self._part(part, inside, needed)) if step.where is not None else None
        nodes = [self._node(node) for node in step.nodes]
        links = [replace(link, variable=None) for link in step.relationships]
        for variable, key in sorted(needed):
            if variable in own:
                nodes.append(NodePattern(_of(variable, key), (self._kindless.texts[self._kinds[variable], key],)))
                links.append(RelationshipPattern(variable, _of(variable, key), (key,)))
        return replace(step, nodes=tuple(nodes), relationships=tuple(links), where=where)

    def _part(self, part: Any, bound: frozenset[str], needed: set[tuple[str, str]]) -> Any:
        match part:
            case Match():
                return self._step(part, bound, needed)
            case HasKind():
                return replace(part, kind=self._kindless.kinds.get(part.kind, part.kind))
            case Column(value=Property() as value) if self._text_kind(value) is not None:
                return Column(part.name, Variable(_of(value.variable, value.key)))
            case Property():
                return self._property(part)
        return None

    def _node(self, node: NodePattern) -> NodePattern:
        return replace(node, kinds=tuple(self._kindless.kinds[kind] for kind in node.kinds[:1]))

    def _text_kind(self, one: Property) -> str | None:
        return self._kindless.texts.get((self._kinds.get(one.variable, ""), one.key))

    def _property(self, one: Property) -> Property:
        if self._text_kind(one) is not None:
            return Property(_of(one.variable, one.key), _NAME)
        is_name = self._kindless.names.get(self._kinds.get(one.variable, "")) == one.key
        return replace(one, key=_NAME) if is_name else one


def _of(variable: str, key: str) -> str:
    """Name the variable of a text that was a property."""
    return f"{variable} {key}"
