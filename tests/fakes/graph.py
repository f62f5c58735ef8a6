"""Provide a graph store over plain Python lists, as the obviously correct reference for tests."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graph.name_matching import MAX_ENTITIES_PER_SHORT_NAME, is_correctable, max_edits, name_distance, short_name
from graph.plan.algebra import NodePattern, Plan
from graph.plan.checks import check_plan
from graph.plan.result import DEFAULT_MAX_ROWS, PlanResult
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.traversal import rewrite
from graph.plan.values import NodeRef, RelationshipRef, ValueType
from graph.store import (
    INVERSE,
    Entity,
    NameMatch,
    PathEnd,
    PathWalk,
    RelationPath,
    WalkRule,
    split_step,
)
from shared.errors import PlanLimitError
from shared.text import normalise
from shared.triple import Triple
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship, evaluate

_MOST_SIMILAR = 5


class InMemoryGraph:
    """Implement `GraphStore` over (subject, relation, object) triples, in which subjects and objects are entity ids.

    `aliases` are pairs of entity and alias. `names` maps entities to names that differ from their ids.
    """

    def __init__(
        self,
        triples: Iterable[tuple[str, str, str]],
        aliases: Iterable[tuple[str, str]] = (),
        names: Mapping[str, str] | None = None,
    ) -> None:
        self._triples = list(dict.fromkeys(triples))
        self._aliases = list(dict.fromkeys(aliases))
        ids = dict.fromkeys(end for s, _, o in self._triples for end in (s, o))
        self._entities = {id_: Entity(id_, (names or {}).get(id_, id_)) for id_ in ids}

    async def version(self) -> str:
        """Return a hash of all triples, names, and aliases."""
        content = (self._triples, self._aliases, list(self._entities.values()))
        return hashlib.sha256(repr(content).encode()).hexdigest()[:16]

    async def relations(self) -> tuple[str, ...]:
        """Return all relation names, sorted."""
        return tuple(sorted({r for _, r, _ in self._triples}))

    async def entities_named(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find the entities with each name, highest degree first."""
        return [self._best(self._named_within(name, edits=0)) for name in names]

    async def entities_like(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find up to five entities with a name similar to each name, closest first."""
        found = []
        for name in names:
            exact = {match.entity for match in self._named_within(name, edits=0)}
            similar = [m for m in self._named_within(name, edits=2) if m.entity not in exact]
            similar += [m for m in self._short_within(normalise(name)) if m.entity not in exact]
            found.append(self._best(similar)[:_MOST_SIMILAR])
        return found

    async def entities_by_short_name(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find the entities with each short name; return none if too many share it."""
        found = [self._best(self._in_short(normalise(name).replace(" ", ""))) for name in names]
        return [matches if len(matches) <= MAX_ENTITIES_PER_SHORT_NAME else [] for matches in found]

    async def steps_after(self, starts: Sequence[tuple[Entity, RelationPath]]) -> list[frozenset[str]]:
        """Follow each path along all triples, and collect the steps at its ends."""
        return [self._steps_after(topic, path) for topic, path in starts]

    async def sample_entities(self, most: int) -> list[Entity]:
        """Return one entity per characteristic set, then a second one per set, and so on."""
        kinds: dict[frozenset[str], list[Entity]] = {}
        for entity in self._entities.values():
            kinds.setdefault(self._steps_after(entity, ()), []).append(entity)
        turns = [(turn, entity) for kind in kinds.values() for turn, entity in enumerate(kind)]
        return [entity for _, entity in sorted(turns, key=lambda pair: pair[0])][:most]

    async def walk(
        self, starts: Sequence[tuple[Entity, RelationPath]], rule: WalkRule, limit: int = 1000
    ) -> list[PathWalk]:
        """Try every sequence of triples."""
        return [self._walk(topic, path, rule, limit) for topic, path in starts]

    async def schema(self) -> GraphSchema:
        """Describe the relations, and the name of every entity."""
        name = PropertySchema(frozenset((ValueType.STRING,)), ValueType.STRING, len(self._entities))
        relations = {r: RelationshipSchema(0, frozenset()) for r in await self.relations()}
        return GraphSchema({"": KindSchema(len(self._entities), {"name": name})}, relations)

    async def run(self, plan: Plan, max_rows: int = DEFAULT_MAX_ROWS) -> PlanResult:
        """Run the plan with the reference evaluator."""
        check_plan(plan, await self.schema())
        entities = list(self._entities.values())
        row = {entity.id: place for place, entity in enumerate(entities)}
        nodes = tuple(Node(n, frozenset(), {"name": entity.name}) for n, entity in enumerate(entities))
        links = (Relationship(n, r, row[s], row[o], {}) for n, (s, r, o) in enumerate(self._triples))
        result = evaluate(_with_rows(plan, row), PropertyGraph(nodes, tuple(links)))
        if len(result.rows) > max_rows:
            raise PlanLimitError(f"the plan returns more than {max_rows:,} rows; add a condition or a limit")

        def cell(value: Any) -> Any:
            if isinstance(value, tuple):
                return tuple(map(cell, value))
            if isinstance(value, Node):
                return NodeRef(entities[value.id].id, entities[value.id].name)
            return RelationshipRef(str(value.id), value.type) if isinstance(value, Relationship) else value

        return PlanResult(result.columns, tuple(tuple(map(cell, row)) for row in result.rows))

    async def ready(self) -> bool:
        """Return True."""
        return True

    async def check(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""

    def _steps_after(self, topic: Entity, path: RelationPath) -> frozenset[str]:
        rule = WalkRule("walk", exclude_topic=False)
        ends = {end for end, _ in self._sequences(topic.id, path, rule, ())}
        forwards = {r for s, r, _ in self._triples if s in ends}
        return frozenset(forwards | {INVERSE + r for _, r, o in self._triples if o in ends})

    def _walk(self, topic: Entity, path: RelationPath, rule: WalkRule, limit: int) -> PathWalk:
        reached: dict[str, PathEnd] = {}
        for end, used in self._sequences(topic.id, path, rule, ()):
            if end not in reached and not (rule.exclude_topic and end == topic.id):
                facts = tuple(self._fact(*self._triples[index]) for index in used)
                reached[end] = PathEnd(self._entities[end], facts)
        return PathWalk(topic, path, tuple(reached.values())[:limit], truncated=len(reached) > limit)

    def _sequences(
        self, entity: str, path: RelationPath, rule: WalkRule, used: tuple[int, ...]
    ) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield each end with the indexes of the triples walked, in the order of the triples at every step."""
        if not path:
            if entity in self._entities:
                yield entity, used
            return
        relation, inverse = split_step(path[0])
        for index, (s, r, o) in enumerate(self._triples):
            start, end = (o, s) if inverse else (s, o)
            if r == relation and start == entity and not (rule.mode == "trail" and index in used):
                yield from self._sequences(end, path[1:], rule, (*used, index))

    def _fact(self, subject: str, relation: str, object_: str) -> Triple:
        return Triple(self._entities[subject].name, relation, self._entities[object_].name)

    def _named_within(self, asked: str, edits: int) -> Iterator[NameMatch]:
        wanted = normalise(asked)
        for entity in self._entities.values():
            aliases = [alias for of, alias in self._aliases if of == entity.id]
            for name in (entity.name, *aliases):
                found = normalise(name)
                distance = name_distance(wanted, found)
                if distance <= min(edits, max_edits(min(len(wanted), len(found)))):
                    is_alias = name != entity.name
                    yield NameMatch(entity, name, is_alias, distance, self._degree(entity.id))

    def _in_short(self, letters: str) -> Iterator[NameMatch]:
        for entity in self._entities.values():
            short = short_name(entity.name, normalise(entity.name))
            if short and short.replace(" ", "") == letters:
                yield NameMatch(entity, entity.name, False, 0, self._degree(entity.id), is_short=True)

    def _short_within(self, asked: str) -> Iterator[NameMatch]:
        """Find one-word short names that a word may misspell."""
        if not is_correctable(asked):
            return
        shorts = {short_name(entity.name, normalise(entity.name)) or "" for entity in self._entities.values()}
        for short in shorts:
            distance = name_distance(asked, short)
            if " " not in asked + short and 0 < distance <= max_edits(min(len(asked), len(short))):
                matches = list(self._in_short(short))
                if len(matches) <= MAX_ENTITIES_PER_SHORT_NAME:
                    yield from (replace(match, distance=distance) for match in matches)

    def _degree(self, entity: str) -> int:
        return sum(entity in (s, o) for s, _, o in self._triples)

    def _best(self, matches: Iterable[NameMatch]) -> list[NameMatch]:
        """Keep the best match for each entity."""
        ordered = sorted(matches, key=lambda m: (m.distance, m.is_short, m.is_alias, -m.degree, m.entity.id))
        best: dict[str, NameMatch] = {}
        for match in ordered:
            best.setdefault(match.entity.id, match)
        return list(best.values())


def _with_rows(plan: Plan, row: Mapping[str, int]) -> Plan:
    """Replace the ids of entities by those of the reference evaluator's nodes."""

    def replacement(part: Any) -> Any:
        if isinstance(part, NodePattern) and part.ids is not None:
            return replace(part, ids=tuple(str(row[id_]) for id_ in part.ids if id_ in row))
        return None

    return rewrite(plan, replacement)


class InterruptedGraph(InMemoryGraph):
    """Leave the walks along one relation path unfinished."""

    def __init__(self, rows: Sequence[tuple[str, str, str]], path: RelationPath) -> None:
        super().__init__(rows)
        self._unfinished = path

    async def walk(
        self, starts: Sequence[tuple[Entity, RelationPath]], rule: WalkRule, limit: int = 1000
    ) -> list[PathWalk]:
        """Finish every walk except those along the unfinished path."""
        return [
            PathWalk(walk.topic, walk.relation_path, (), truncated=False, unfinished=True)
            if walk.relation_path == self._unfinished
            else walk
            for walk in await super().walk(starts, rule, limit)
        ]
