"""Serve the part of a graph that some conditions let a caller see, as if it were the whole graph."""

import asyncio
import hashlib
import logging
from collections.abc import Sequence
from dataclasses import replace

from graph.plan.algebra import (
    Column,
    Constant,
    CountMatches,
    Match,
    NodePattern,
    Plan,
    Project,
    RelationshipPattern,
    Variable,
)
from graph.plan.checks import check_plan
from graph.plan.current_time import with_current_time
from graph.plan.result import DEFAULT_MAX_ROWS, PlanResult
from graph.plan.schema import GraphSchema
from graph.plan.unknown_properties import with_known_properties
from graph.plan.values import NodeRef
from graph.scope_conditions import check_condition, scoped_plan
from graph.store import Entity, GraphStore, NameMatch, PathStart, PathWalk, RelationPath, WalkRule, split_step
from services.retriever.scopes.scoped_paths import ends_plan, steps_plan, walk_of
from services.retriever.scopes.scoped_schema import read_scoped_schema
from shared.errors import DependencyError, ForbiddenError, InvalidInputError, PlanLimitError
from shared.scope_conditions import HiddenKind, ScopeCondition

log = logging.getLogger(__name__)

_MAX_ROWS = 10_000
_IDS_PER_PLAN = 500
_STEPS_PER_PLAN = 5


class ScopedStore:
    """Implement `GraphStore` over another store, of which only nodes that meet all conditions are visible.

    Everything that is returned comes from plans that match visible nodes only. Raises ForbiddenError from any method if
    the graph lacks what a condition names, since nothing could be hidden then.
    """

    def __init__(
        self,
        store: GraphStore,
        conditions: Sequence[ScopeCondition | HiddenKind],
        is_fixed: bool = False,
        is_owned: bool = False,
    ) -> None:
        """Show a part of the graph in `store`, which never changes if it `is_fixed`, as a graph file.

        A store that `is_owned` is closed with this one.
        """
        self._store = store
        self._is_fixed = is_fixed
        self._is_owned = is_owned
        self._has_warned = False
        self._conditions = tuple(conditions)
        scope = tuple(one for one in self._conditions if not isinstance(one, HiddenKind))
        self._suffix = f"+{hashlib.sha256(repr(scope).encode()).hexdigest()[:16]}" if scope else ""
        self._read: tuple[GraphSchema, GraphSchema] | None = None
        self._reading: asyncio.Task[GraphSchema] | None = None

    async def version(self) -> str:
        """Return the version of the graph, with a hash of the conditions: nothing may be cached for both.

        What an owner hides is hidden from all callers, so it does not count.
        """
        return f"{await self._store.version()}{self._suffix}"

    async def relations(self) -> tuple[str, ...]:
        """Return the relations between visible nodes, sorted."""
        return tuple(sorted((await self.schema()).relationships))

    async def entities_named(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find visible entities among the ones that the whole graph has for each name."""
        return await self._visible(await self._store.entities_named(names))

    async def entities_like(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find visible entities among the ones that the whole graph has for each misspelled name."""
        return await self._visible(await self._store.entities_like(names))

    async def entities_by_short_name(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find visible entities among the ones that the whole graph has for each short name."""
        return await self._visible(await self._store.entities_by_short_name(names))

    async def steps_after(self, starts: Sequence[PathStart]) -> list[frozenset[str]]:
        """Find the steps between visible nodes that can extend each path, among those that the whole graph has."""
        schema = await self.schema()
        whole = await self._store.steps_after(starts)
        asked: dict[RelationPath, tuple[set[str], set[str]]] = {}
        free: set[tuple[RelationPath, str]] = set()
        for (topic, path), steps in zip(starts, whole, strict=True):
            topics, unsure = asked.setdefault(path, (set(), set()))
            for step in steps:
                if await self._are_unlimited((*path, step)):
                    free.add((path, step))
                elif all(split_step(one)[0] in schema.relationships for one in (*path, step)):
                    topics.add(topic.id)
                    unsure.add(step)
        found = await asyncio.gather(
            *(self._extending(path, sorted(steps), sorted(topics)) for path, (topics, steps) in asked.items())
        )
        extending = dict(zip(asked, found, strict=True))
        return [
            frozenset(step for step in steps if (path, step) in free or (topic.id, step) in extending[path])
            for (topic, path), steps in zip(starts, whole, strict=True)
        ]

    async def sample_entities(self, limit: int) -> list[Entity]:
        """Sample entities of the whole graph, and return the visible ones."""
        sampled = await self._store.sample_entities(limit)
        visible = await self._degrees([entity.id for entity in sampled])
        return [entity for entity in sampled if entity.id in visible]

    async def walk(self, starts: Sequence[PathStart], rule: WalkRule, limit: int = 1000) -> list[PathWalk]:
        """Follow each path through visible nodes."""
        free = [start for start in starts if start[1] and await self._are_unlimited(start[1])]
        known = dict(zip(free, await self._store.walk(free, rule, limit), strict=True)) if free else {}
        limited = [start for start in starts if start not in known]
        walks = await asyncio.gather(*(self._walk(topic, path, rule, limit) for topic, path in limited))
        known |= dict(zip(limited, walks, strict=True))
        return [known[start] for start in starts]

    async def schema(self) -> GraphSchema:
        """Describe what is visible; after a change of the graph, the old description until the new one is read."""
        whole = await self._store.schema()
        if self._read is not None and self._read[0] is whole:
            return self._read[1]
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._read_schema(whole))
            self._reading.add_done_callback(_note_failure)
        if self._read is not None:
            return self._read[1]
        # A request that is cancelled does not cancel what others wait for as well.
        return await asyncio.shield(self._reading)

    async def run(self, plan: Plan, max_rows: int = DEFAULT_MAX_ROWS) -> PlanResult:
        """Check a plan against what is visible, and run it on visible nodes."""
        schema = await self.schema()
        check_plan(plan, schema)
        known, warnings = with_known_properties(with_current_time(plan), schema)
        return replace(await self._run_own(known, max_rows), warnings=warnings)

    async def ready(self) -> bool:
        """Return whether the store can answer queries now."""
        return await self._store.ready()

    async def check(self) -> None:
        """Raise ForbiddenError if the graph lacks what a condition names."""
        self._check_conditions(await self._store.schema())

    async def close(self) -> None:
        """Stop reading; whoever opened the whole graph closes it, unless it is owned."""
        if self._reading is not None:
            self._reading.cancel()
        if self._is_owned:
            await self._store.close()

    async def _run_own(self, plan: Plan, max_rows: int = _MAX_ROWS) -> PlanResult:
        """Run a plan that needs no check on visible nodes; the conditions have been checked with the schema."""
        await self.schema()
        return await self._store.run(scoped_plan(plan, self._fitting(await self._store.schema())), max_rows)

    async def _read_schema(self, whole: GraphSchema) -> GraphSchema:
        self._check_conditions(whole)
        try:
            scoped = await read_scoped_schema(self._store, self._fitting(whole))
        except PlanLimitError as error:
            detail = f"the part of the graph within a scope cannot be described: {error.detail}"
            raise DependencyError(detail, "the visible part of the graph takes too long to read") from error
        self._read = (whole, scoped)
        return scoped

    def _fitting(self, whole: GraphSchema) -> list[ScopeCondition | HiddenKind]:
        """Return the conditions, without the kinds to hide that the graph does not have."""
        return [one for one in self._conditions if not isinstance(one, HiddenKind) or one.kind in whole.kinds]

    def _check_conditions(self, whole: GraphSchema) -> None:
        """Raise ForbiddenError unless each condition names a property of the graph that can have its value."""
        for one in self._conditions:
            if isinstance(one, HiddenKind):
                continue
            try:
                check_condition(one, whole)
            except InvalidInputError as error:
                if not self._has_warned:
                    log.warning("requests are refused, because their scope does not fit the graph: %s", error.detail)
                self._has_warned = True
                raise ForbiddenError(
                    "the scope of your API key does not fit this graph; ask the operator of this service"
                ) from error

    async def _visible(self, found: list[list[NameMatch]]) -> list[list[NameMatch]]:
        """Keep the visible entities, with the numbers of their visible triples."""
        degrees = await self._degrees([match.entity.id for matches in found for match in matches])
        kept = [
            [replace(one, degree=degrees[one.entity.id]) for one in matches if one.entity.id in degrees]
            for matches in found
        ]
        return [sorted(matches, key=lambda m: (m.distance, m.is_short, m.is_alias, -m.degree)) for matches in kept]

    async def _degrees(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the number of visible triples of each entity that is visible."""
        unique = list(dict.fromkeys(ids))
        around = Match((NodePattern("n"), NodePattern("m")), (RelationshipPattern("n", "m", direction="both"),))
        columns = (Column("n", Variable("n")), Column("degree", CountMatches(around)))
        found: dict[str, int] = {}
        for first in range(0, len(unique), _IDS_PER_PLAN):
            pattern = Match((NodePattern("n", ids=tuple(unique[first : first + _IDS_PER_PLAN])),))
            try:
                result = await self._run_own(Plan((pattern, Project(columns))))
            except PlanLimitError:  # hubs have too many triples to count
                unknown = (columns[0], Column("degree", Constant(0)))
                result = await self._run_own(Plan((pattern, Project(unknown))))
            found |= {node.id: int(degree) for node, degree in result.rows if isinstance(node, NodeRef)}
        return found

    async def _extending(self, path: RelationPath, steps: Sequence[str], topics: Sequence[str]) -> set[tuple[str, str]]:
        """Return the pairs of topic entity and step that can extend a path."""
        found: set[tuple[str, str]] = set()
        for first in range(0, len(steps), _STEPS_PER_PLAN):
            some = steps[first : first + _STEPS_PER_PLAN]
            try:
                result = await self._run_own(steps_plan(path, topics, some))
            except PlanLimitError:
                continue  # a path that fans out this far cannot be walked either
            found |= {
                (row[0].id, step) for row in result.rows for step, exists in zip(some, row[1:], strict=True) if exists
            }
        return found

    async def _walk(self, topic: Entity, path: RelationPath, rule: WalkRule, limit: int) -> PathWalk:
        schema = await self.schema()
        if any(split_step(step)[0] not in schema.relationships for step in path):
            return PathWalk(topic, path, (), truncated=False)
        try:
            result = await self._run_own(ends_plan(topic, path, rule, limit + 1), max(_MAX_ROWS, limit + 1))
        except PlanLimitError:
            return PathWalk(topic, path, (), truncated=False, unfinished=True)
        return walk_of(topic, path, result, limit)

    async def _are_unlimited(self, path: RelationPath) -> bool:
        """Return whether no relationship of a path can lead to a hidden node, as long as the graph does not change."""
        if not self._is_fixed:
            return False
        schema, whole = await self.schema(), await self._store.schema()
        names = [split_step(step)[0] for step in path]
        return all(schema.relationships.get(name) is whole.relationships.get(name) for name in names)


def _note_failure(reading: "asyncio.Task[GraphSchema]") -> None:
    """Log a failure that nobody may wait for any more."""
    if not reading.cancelled() and (error := reading.exception()) is not None:
        log.info("the visible part of a graph could not be described: %s", error)
