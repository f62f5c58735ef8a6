"""Describe the visible part of a graph, so that no count, sample, or name comes from nodes that are not visible."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    And,
    Column,
    Filter,
    Group,
    HasKind,
    IsMissing,
    Match,
    NodePattern,
    Not,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Slice,
)
from graph.plan.result import PlanResult
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.scope_conditions import scoped_plan
from graph.store import GraphStore
from shared.errors import PlanLimitError
from shared.scope_conditions import HiddenKind, ScopeCondition

_RUNNING = 4

Run = Callable[[Plan], Awaitable[PlanResult]]


async def read_scoped_schema(store: GraphStore, conditions: Sequence[ScopeCondition | HiddenKind]) -> GraphSchema:
    """Return the schema of the visible part of a graph; types of properties stay those of the whole graph.

    Only kinds that hidden nodes may have, and their relationships, are read anew.

    Raises:
        PlanLimitError: Counting the nodes of a kind takes too long.
        DependencyError: The graph store does not respond.
    """
    slots = asyncio.Semaphore(_RUNNING)
    whole = await store.schema()

    async def run(plan: Plan) -> PlanResult:
        async with slots:
            return await store.run(plan)

    async def run_scoped(plan: Plan) -> PlanResult:
        return await run(scoped_plan(plan, conditions))

    limited = await _limited_kinds(run, whole, {condition.kind for condition in conditions})
    reader = _PartReader(run_scoped, whole)
    return GraphSchema(
        await reader.kinds(limited),
        await reader.relationships(limited),
        hidden=whole.hidden,
        left_out=tuple(replace(one, count=0, total=0) for one in whole.left_out),
        is_composed=whole.is_composed,
    )


async def _limited_kinds(run: Run, schema: GraphSchema, scoped: set[str]) -> set[str]:
    """Return the kinds of nodes that may be hidden: those in conditions, and those that share nodes with them."""

    async def shares_nodes(kind: str) -> bool:
        plans = [Plan((Match((NodePattern("n", (kind, other)),)), Slice(1))) for other in scoped]
        return any([(await run(plan)).rows for plan in plans])

    others = [kind for kind in schema.kinds if kind and kind not in scoped]
    shared = await asyncio.gather(*map(shares_nodes, others))
    return scoped | {kind for kind, shares in zip(others, shared, strict=True) if shares}


class _PartReader:
    def __init__(self, run: Run, whole: GraphSchema) -> None:
        self._run = run
        self._whole = whole

    async def kinds(self, limited: set[str]) -> dict[str, KindSchema]:
        names = list(self._whole.kinds)
        found = await asyncio.gather(*(self._kind(name, name in limited) for name in names))
        return {name: kind for name, kind in zip(names, found, strict=True) if kind is not None}

    async def _kind(self, name: str, is_limited: bool) -> KindSchema | None:
        kind = self._whole.kinds[name]
        if not is_limited:
            return kind
        pattern = Match((NodePattern("x", (name,)),))
        count = await self._count(pattern)
        properties = await self._properties(pattern, kind.properties)
        return replace(kind, count=count, properties=properties) if count else None

    async def relationships(self, limited: set[str]) -> dict[str, RelationshipSchema]:
        names = list(self._whole.relationships)
        found = await asyncio.gather(*(self._relationship(name, limited) for name in names))
        return {name: one for name, one in zip(names, found, strict=True) if one is not None}

    async def _relationship(self, name: str, limited: set[str]) -> RelationshipSchema | None:
        one = self._whole.relationships[name]
        if one.ends and not any(limited & {*ends} for ends in one.ends):
            return one
        pattern = self._between(name, NodePattern("a"), NodePattern("b"))
        count = await self._count(pattern)
        if not count:
            return None
        ends = sorted(one.ends)
        exist = await asyncio.gather(*(self._connects(name, *pair) for pair in ends))
        return replace(
            one,
            count=count,
            ends=frozenset(pair for pair, exists in zip(ends, exist, strict=True) if exists),
            properties=await self._properties(pattern, one.properties),
        )

    async def _connects(self, name: str, source: str, target: str) -> bool:
        pattern = self._between(name, _of_kind("a", source), _of_kind("b", target))
        kinds = [kind for kind in self._whole.kinds if kind]
        without = [variable for variable, kind in (("a", source), ("b", target)) if not kind]
        is_other = tuple(Not(HasKind(variable, kind)) for variable in without for kind in kinds)
        others = (Filter(And(is_other)),) if is_other else ()
        return bool((await self._run(Plan((pattern, *others, Slice(1))))).rows)

    @staticmethod
    def _between(name: str, source: NodePattern, target: NodePattern) -> Match:
        return Match((source, target), (RelationshipPattern("a", "b", (name,), variable="x"),))

    async def _count(self, pattern: Match) -> int:
        result = await self._run(Plan((pattern, Group((), (Aggregate("n", AggregateFunction.COUNT),)))))
        return int(result.rows[0][0])

    async def _properties(self, pattern: Match, properties: Mapping[str, PropertySchema]) -> dict[str, PropertySchema]:
        found = await asyncio.gather(*(self._property(pattern, key, one) for key, one in properties.items()))
        return {key: one for key, one in zip(properties, found, strict=True) if one is not None}

    async def _property(self, pattern: Match, key: str, whole: PropertySchema) -> PropertySchema | None:
        value, stored = Property("x", key), Property("x", key, as_stored=True)
        present = Filter(Not(IsMissing(value)))
        counts = [Aggregate(name, AggregateFunction.COUNT, value, name == "distinct") for name in ("all", "distinct")]
        samples = (Project((Column("value", stored),), distinct=True), Slice(len(whole.samples)))
        try:
            [[count, distinct]] = (await self._run(Plan((pattern, present, Group((), tuple(counts)))))).rows
            rows = (await self._run(Plan((pattern, present, *samples)))).rows
        except PlanLimitError:
            return replace(whole, distinct=1.0, samples=())  # it exists, and nothing else is known of it
        if not count:
            return None
        return replace(whole, count=count, distinct=distinct / count, samples=tuple(row[0] for row in rows))


def _of_kind(variable: str, kind: str) -> NodePattern:
    return NodePattern(variable, (kind,) if kind else ())
