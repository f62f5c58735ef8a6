"""Infer kinds for a graph of plain triples, so that plans can name them.

Entities are of one kind if they take part in similar relations, such as most subjects of `directed_by`.
"""

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graph.plan.algebra import (
    And,
    Column,
    Exists,
    Expression,
    HasKind,
    Match,
    NodePattern,
    Or,
    Plan,
    Project,
    RelationshipPattern,
    Slice,
    Variable,
)
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.traversal import rewrite
from graph.plan.values import NodeRef, ValueType
from graph.store import Entity, GraphStore, inverse_step, split_step
from services.retriever.plans.schema.kind_groups import group_entities, typical_steps
from services.retriever.plans.schema.kind_names import name_kind

NAME = "name"
_PAIRS = 3_000  # facts read per relation
_SAMPLE = 80  # entities looked at per end of a relation
_HAS_PROPERTY, _CONNECTS = 0.2, 0.1
_MAX_COVER, _COVERED = 4, 0.98
_LEFT_BY_OWN_STEPS = 0.1  # the share of the entities of a kind that need not take a step that is its own

_Pairs = Mapping[str, Sequence[tuple[NodeRef, NodeRef]]]


@dataclass(frozen=True)
class InferredKinds:
    """Hold a schema with inferred kinds, and what makes an entity one of a kind.

    Attributes:
        schema: The schema; relations whose objects are numbers or dates are properties only.
        steps: For each kind, the steps that its entities can take.
        cover: For each kind, a few steps of which nearly all of its entities can take one.
    """

    schema: GraphSchema
    steps: Mapping[str, frozenset[str]]
    cover: Mapping[str, tuple[str, ...]]

    def plain(self, plan: Plan) -> Plan:
        """Return a plan without kinds; a node must take a step of its kind unless its relationships imply the kind."""
        return rewrite(plan, self._plain)

    async def kinds_of(self, store: GraphStore, entities: Sequence[Entity]) -> dict[str, str]:
        """Return the kinds of entities by their ids; raise DependencyError if the store does not respond."""
        after = await store.steps_after([(one, ()) for one in entities])
        found = {one.id: _best_kind(steps, self.steps) for one, steps in zip(entities, after, strict=True)}
        return {id_: kind for id_, kind in found.items() if kind is not None}

    def _plain(self, part: Any) -> Any:
        if isinstance(part, HasKind):
            return self._is_of_kind(part.variable, part.kind)
        if not isinstance(part, Match):
            return None
        known = self._implied(part)
        where = [rewrite(part.where, self._plain)] if part.where is not None else []
        where += [
            self._is_of_kind(node.variable, node.kinds[0])
            for node in part.nodes
            if node.kinds and (node.variable, node.kinds[0]) not in known
        ]
        nodes = tuple(replace(node, kinds=()) for node in part.nodes)
        condition = where[0] if len(where) == 1 else And(tuple(where)) if where else None
        return replace(part, nodes=nodes, where=condition)

    def _implied(self, pattern: Match) -> frozenset[tuple[str, str]]:
        """Return the variables whose kind follows from a relationship, since no other kind is at that end of it."""
        found = set()
        for link in pattern.relationships:
            if link.direction == "both":
                continue
            ends = [self.schema.relationships[type_].ends for type_ in link.types if type_ in self.schema.relationships]
            for variable, place in ((link.source, 0), (link.target, 1)):
                kinds = {pair[place] for several in ends for pair in several}
                if len(kinds) == 1:
                    found.add((variable, kinds.pop()))
        return frozenset(found)

    def _is_of_kind(self, variable: str, kind: str) -> Expression:
        conditions = [_takes(variable, step) for step in self.cover[kind]]
        return conditions[0] if len(conditions) == 1 else Or(tuple(conditions))


def _takes(variable: str, step: str) -> Expression:
    relation, is_inverse = split_step(step)
    other = f"{variable} by {step}"
    source, target = (other, variable) if is_inverse else (variable, other)
    link = RelationshipPattern(source, target, (relation,))
    return Exists(Match((NodePattern(variable), NodePattern(other)), (link,)))


async def infer_kinds(store: GraphStore) -> InferredKinds:
    """Infer the kinds of a graph whose entities have none.

    Raises DependencyError if the graph store does not respond.
    """
    schema = await store.schema()
    literals = frozenset(schema.kinds[""].properties) - {NAME}
    pairs = {relation: await _pairs(store, relation) for relation in await store.relations()}
    steps = await _steps(store, _ends(pairs, literals))
    # A graph with a thousand relations takes seconds, in which the event loop must serve others.
    return await asyncio.to_thread(_inferred, schema, literals, pairs, steps)


def _inferred(
    schema: GraphSchema, literals: frozenset[str], pairs: _Pairs, steps: Mapping[str, frozenset[str]]
) -> InferredKinds:
    """Infer kinds from the pairs of each relation, and from the steps that can be taken from each entity."""
    own: dict[str, list[frozenset[str]]] = {}
    kinds: dict[str, frozenset[str]] = {}
    synonyms: dict[str, tuple[str, ...]] = {}
    for group in group_entities(list(steps.values()), literals):
        typical = typical_steps(group)
        found = name_kind(sorted(typical), kinds)
        own[found.name], kinds[found.name], synonyms[found.name] = group, typical, found.synonyms
    of_entity = {id_: _best_kind(found, kinds) for id_, found in steps.items()}
    described = {
        kind: replace(_described(own[kind], schema.kinds[""], literals), synonyms=synonyms[kind]) for kind in kinds
    }
    relations = _relations(schema, literals, pairs, of_entity)
    cover = {kind: _cover(own[kind], kinds[kind], _of_others(kind, kinds)) for kind in kinds}
    return InferredKinds(GraphSchema(described, relations), kinds, cover)


async def _pairs(store: GraphStore, relation: str) -> list[tuple[NodeRef, NodeRef]]:
    pattern = Match((NodePattern("s"), NodePattern("o")), (RelationshipPattern("s", "o", (relation,)),))
    columns = Project((Column("s", Variable("s")), Column("o", Variable("o"))))
    result = await store.run(Plan((pattern, columns, Slice(_PAIRS))), _PAIRS)
    return [(s, o) for s, o in result.rows if isinstance(s, NodeRef) and isinstance(o, NodeRef)]


def _ends(pairs: _Pairs, literals: Collection[str]) -> dict[str, list[Entity]]:
    """Sample the entities at the ends of each relation evenly: by `r` the subjects, and by `^r` the objects."""
    found: dict[str, list[Entity]] = {}
    for relation, several in pairs.items():
        sides = {relation: [s for s, _ in several]}
        if relation not in literals:
            sides[inverse_step(relation)] = [o for _, o in several]
        for step, nodes in sides.items():
            distinct = list({node.id: Entity(node.id, node.name) for node in nodes}.values())
            every = max(1, len(distinct) // _SAMPLE)
            if distinct:
                found[step] = distinct[::every][:_SAMPLE]
    return found


async def _steps(store: GraphStore, ends: Mapping[str, Sequence[Entity]]) -> dict[str, frozenset[str]]:
    """Return the steps that can be taken from each sampled entity, by its id."""
    entities = list({one.id: one for found in ends.values() for one in found}.values())
    after = await store.steps_after([(one, ()) for one in entities])
    return {one.id: steps for one, steps in zip(entities, after, strict=True)}


def _best_kind(steps: frozenset[str], kinds: Mapping[str, frozenset[str]]) -> str | None:
    shared = {kind: len(steps & members) for kind, members in kinds.items()}
    best = max(shared, key=lambda kind: shared[kind], default=None)
    return best if best is not None and shared[best] else None


def _described(own: Sequence[frozenset[str]], entities: KindSchema, literals: Collection[str]) -> KindSchema:
    properties = {
        key: entities.properties[key]
        for key in sorted(literals)
        if sum(key in found for found in own) >= _HAS_PROPERTY * len(own)
    }
    properties[NAME] = PropertySchema(frozenset((ValueType.STRING,)), ValueType.STRING, len(own))
    return KindSchema(len(own), properties, NAME, is_inferred=True)


def _relations(
    schema: GraphSchema, literals: Collection[str], pairs: _Pairs, of_entity: Mapping[str, str | None]
) -> dict[str, RelationshipSchema]:
    """Describe the relations between entities by the kinds that they connect."""
    relations = {}
    for relation, described in schema.relationships.items():
        if relation in literals:
            continue
        sampled = Counter(
            (of_entity[s.id], of_entity[o.id]) for s, o in pairs[relation] if s.id in of_entity and o.id in of_entity
        )
        often = {pair for pair, number in sampled.items() if number >= _CONNECTS * sampled.total() and all(pair)}
        if often:
            ends = frozenset((str(source), str(target)) for source, target in often)
            relations[relation] = RelationshipSchema(described.count, ends, meaning=described.meaning)
    return relations


def _of_others(kind: str, kinds: Mapping[str, frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*(steps for other, steps in kinds.items() if other != kind))


def _cover(own: Sequence[frozenset[str]], members: frozenset[str], of_others: frozenset[str]) -> tuple[str, ...]:
    """Choose steps, each of which is taken by most of the entities that take none of those before.

    Steps that tell the kind from the others are preferred, unless many of its entities take none of these.
    """
    chosen, left = _taken_by_most(own, members - of_others)
    if len(left) > _LEFT_BY_OWN_STEPS * len(own):
        chosen, _ = _taken_by_most(own, members)
    return chosen or tuple(sorted(members)[:1])


def _taken_by_most(
    own: Sequence[frozenset[str]], steps: frozenset[str]
) -> tuple[tuple[str, ...], list[frozenset[str]]]:
    """Return a few steps that most entities take one of, and the entities that take none of them."""
    left = list(own)
    chosen: list[str] = []
    while len(left) > (1 - _COVERED) * len(own) and len(chosen) < _MAX_COVER:
        counts = Counter(step for found in left for step in found & steps)
        if not counts:
            break
        best = min(counts, key=lambda step: (-counts[step], step))
        chosen.append(best)
        left = [found for found in left if best not in found]
    return tuple(chosen), left
