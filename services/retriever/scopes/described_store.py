"""Serve a graph with what its owner says of it, without the elements that the owner hides."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from contracts.meaning_file import MeaningFile, read_meaning_file
from contracts.meaning_fit import fitting
from graph.opening import is_file_graph, open_graph
from graph.plan.algebra import Plan
from graph.plan.checks import check_plan
from graph.plan.current_time import with_current_time
from graph.plan.meaning import KINDS, Meanings, described
from graph.plan.result import DEFAULT_MAX_ROWS, PlanResult
from graph.plan.schema import GraphSchema
from graph.plan.unknown_properties import with_known_properties
from graph.store import Entity, GraphStore, NameMatch, PathStart, PathWalk, WalkRule, split_step
from services.retriever.scopes.hidden_elements import without_hidden
from services.retriever.scopes.scoped_store import ScopedStore
from shared.paths import meaning_file
from shared.scope_conditions import HiddenKind, ScopeCondition

log = logging.getLogger(__name__)


def open_described_graph(name: str, seconds_allowed: float | None = None) -> GraphStore:
    """Open a graph as `open_graph` does, with what its owner says of it.

    Raises InvalidInputError also if the owner's file cannot be read.
    """
    said = read_meaning_file(meaning_file(name))
    return described_store(open_graph(name, seconds_allowed), said)


def described_store(store: GraphStore, said: MeaningFile, conditions: Sequence[ScopeCondition] = ()) -> GraphStore:
    """Return a store over another one, with what the owner says, within conditions; the same one if neither says any.

    Conditions may name what the owner hides, because they are checked below.
    """
    hidden = [HiddenKind(address[1]) for address, one in said.meanings.items() if one.is_hidden and _is_kind(address)]
    whole = store
    if conditions or hidden:
        store = ScopedStore(store, [*conditions, *hidden], is_file_graph(), is_owned=not conditions)
    return DescribedStore(store, said, whole) if said.meanings or said.problems else store


def hides(said: MeaningFile) -> bool:
    """Return whether the owner hides anything."""
    return any(one.is_hidden for one in said.meanings.values())


def _is_kind(address: Sequence[str]) -> bool:
    return len(address) == 2 and address[0] == KINDS


class DescribedStore:
    """Implement `GraphStore` over another store, whose schema gets the meanings of its elements.

    Relationships and properties that are hidden do not exist; hidden kinds are up to the store below.
    """

    def __init__(self, store: GraphStore, said: MeaningFile, whole: GraphStore | None = None) -> None:
        """Describe the graph in `store`, which may show only a part of the `whole` one.

        What does not fit the whole graph is logged when its schema is read. What is hidden fits it all the same.
        """
        self.store = store
        self._whole = whole or store
        self._said = said
        self._read: tuple[GraphSchema, GraphSchema, Meanings] | None = None

    async def version(self) -> str:
        """Return the version of the graph; what its owner says is no part of it."""
        return await self.store.version()

    async def relations(self) -> tuple[str, ...]:
        """Return the relations that are not hidden, sorted."""
        hidden = await self._hidden_types()
        return tuple(one for one in await self.store.relations() if one not in hidden)

    async def entities_named(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find entities by name; see `GraphStore`."""
        return await self.store.entities_named(names)

    async def entities_like(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find entities by misspelled name; see `GraphStore`."""
        return await self.store.entities_like(names)

    async def entities_by_short_name(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find entities by short name; see `GraphStore`."""
        return await self.store.entities_by_short_name(names)

    async def steps_after(self, starts: Sequence[PathStart]) -> list[frozenset[str]]:
        """Find the steps that can extend each path, without hidden relations."""
        hidden = await self._hidden_types()
        found = await self.store.steps_after(starts)
        if not hidden:
            return found
        return [
            frozenset(() if _uses(path, hidden) else (one for one in steps if split_step(one)[0] not in hidden))
            for (_, path), steps in zip(starts, found, strict=True)
        ]

    async def sample_entities(self, limit: int) -> list[Entity]:
        """Sample entities; see `GraphStore`."""
        return await self.store.sample_entities(limit)

    async def walk(self, starts: Sequence[PathStart], rule: WalkRule, limit: int = 1000) -> list[PathWalk]:
        """Follow each path; one with a hidden relation reaches nothing."""
        hidden = await self._hidden_types()
        open_ = [start for start in starts if not _uses(start[1], hidden)]
        walks = iter(await self.store.walk(open_, rule, limit))
        return [
            PathWalk(topic, path, (), truncated=False) if _uses(path, hidden) else next(walks) for topic, path in starts
        ]

    async def schema(self) -> GraphSchema:
        """Describe what is not hidden, with its meaning."""
        return (await self._described())[1]

    async def run(self, plan: Plan, max_rows: int = DEFAULT_MAX_ROWS) -> PlanResult:
        """Check a plan against what is not hidden, and run it on that."""
        below, schema, meanings = await self._described()
        if not any(one.is_hidden for one in meanings.values()):
            return await self.store.run(plan, max_rows)
        check_plan(plan, schema)
        known, warnings = with_known_properties(with_current_time(plan), schema)
        result = await self.store.run(without_hidden(known, meanings, below, schema), max_rows)
        return replace(result, warnings=(*warnings, *result.warnings))

    async def ready(self) -> bool:
        """Return whether the store can answer queries now."""
        return await self.store.ready()

    async def check(self) -> None:
        """Check that the settings fit the graph."""
        await self.store.check()

    async def close(self) -> None:
        """Close the store below."""
        await self.store.close()

    async def _described(self) -> tuple[GraphSchema, GraphSchema, Meanings]:
        visible = await self.store.schema()
        if self._read is None or self._read[0] is not visible:
            fit = fitting(self._said, await self._whole.schema())
            for problem in fit.problems:
                log.warning("meaning.toml, %s", problem)
            meanings = fitting(MeaningFile(fit.meanings), visible).meanings
            self._read = visible, described(visible, meanings), meanings
        return self._read

    async def _hidden_types(self) -> frozenset[str]:
        if not hides(self._said):
            return frozenset()
        below, schema, _ = await self._described()
        return frozenset(below.relationships.keys() - schema.relationships.keys())


def _uses(path: Sequence[str], hidden: frozenset[str]) -> bool:
    return any(split_step(step)[0] in hidden for step in path)
