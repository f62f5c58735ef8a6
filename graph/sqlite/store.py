"""Serve a graph from one SQLite file, which `kgqa import` writes and this store only reads."""

import asyncio
import queue
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from graph.plan.algebra import Plan
from graph.plan.checks import check_plan
from graph.plan.content_types import with_content_types
from graph.plan.current_time import with_current_time
from graph.plan.property_types import NO_TYPES, PropertyTypes
from graph.plan.result import DEFAULT_MAX_ROWS, PlanResult
from graph.plan.schema import GraphSchema
from graph.plan.unknown_properties import with_known_properties
from graph.sqlite.connection import GraphConnection, connect, open_checked
from graph.sqlite.name_lookup import NameLookup, by_short_name
from graph.sqlite.plan_execution import PlanExecutor
from graph.sqlite.walk import PathWalker, sample_entities
from graph.store import (
    PLAN_PLACES,
    QUESTION_PLACES,
    TOO_MANY_PATHS,
    Entity,
    NameMatch,
    PathStart,
    PathWalk,
    WalkRule,
)
from shared.errors import DependencyError, PlanLimitError
from shared.request_context import remaining_time

_T = TypeVar("_T")
_Query = Callable[[GraphConnection], _T]

_CONNECTIONS = QUESTION_PLACES + PLAN_PLACES
_SECONDS_ALLOWED = 2.0
# How long a query may block the event loop before it is repeated in a thread.
_SECONDS_ON_EVENT_LOOP = 0.005
_SECONDS_PER_SCAN = 120.0


class SqliteGraphStore:
    """Implement `GraphStore` on top of one graph file.

    Slow queries run in a few threads with one connection each, so that they do not block the event loop. The file may
    be on a read-only file system. If an import replaces it, stores that are already open keep the old graph.
    """

    def __init__(self, file: Path, seconds_allowed: float = _SECONDS_ALLOWED, types: PropertyTypes = NO_TYPES) -> None:
        """Open a graph file; raise NotFoundError if it is missing, and InvalidInputError if it is not a graph file.

        `types` overrides the types of the content of properties.
        """
        self._file = file
        self._seconds_allowed = seconds_allowed
        self._connections: queue.SimpleQueue[GraphConnection] = queue.SimpleQueue()
        # The event loop has its own connection, because slow walks may occupy all others.
        self._own, self._version = open_checked(file)
        for _ in range(_CONNECTIONS):
            self._connections.put(connect(file))
        self._threads = ThreadPoolExecutor(_CONNECTIONS, thread_name_prefix="graph")
        self._relations = {name: id_ for id_, name in self._own.execute("SELECT id, name FROM relations")}
        self._walker = PathWalker(self._relations)
        self._names = NameLookup()
        self._plans = PlanExecutor(self._own, types)

    async def version(self) -> str:
        """Return the hash of the imported rows, which does not depend on import time or file names."""
        return self._version

    async def relations(self) -> tuple[str, ...]:
        """Return all relation names, sorted."""
        return tuple(sorted(self._relations))

    async def entities_named(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find up to 50 entities for each name, sorted by own name before alias, then by degree, then by name."""
        return self._on_event_loop(lambda connection: self._names.exact(connection, names))

    async def entities_like(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find up to five entities within 1 edit (names of 4 to 7 letters) or 2 edits (8 or more letters) of each name.

        This includes misspelled one-word short names. Words of at least four letters can be corrected (three letters if
        the name has other words), and so can one missing or extra space, but not both in the same name.
        """
        return await self._in_thread(lambda connection: self._names.similar(connection, names))

    async def entities_by_short_name(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find up to eight entities for each short name, highest degree first; spaces are ignored."""
        return self._on_event_loop(lambda connection: by_short_name(connection, names))

    async def steps_after(self, starts: Sequence[PathStart]) -> list[frozenset[str]]:
        """Find the steps that can extend each path, considering the first 10,000 entities at its end."""
        return await self._where_fastest(lambda connection: self._walker.steps_after(connection, starts))

    async def sample_entities(self, limit: int) -> list[Entity]:
        """Sample entities evenly across characteristic sets, in a fixed order unrelated to the imported files."""
        return await self._in_thread(lambda connection: sample_entities(connection, limit), _SECONDS_PER_SCAN)

    async def walk(self, starts: Sequence[PathStart], rule: WalkRule, limit: int = 1000) -> list[PathWalk]:
        """Follow all relation paths within one shared time limit; results are in the order of the imported files."""
        return await self._where_fastest(
            lambda connection: self._walker.walk(connection, starts, rule, limit),
            is_complete=lambda walks: not any(walk.unfinished for walk in walks),
        )

    async def schema(self) -> GraphSchema:
        """Return the schema that the import stored."""
        return self._plans.schema

    async def run(self, plan: Plan, max_rows: int = DEFAULT_MAX_ROWS) -> PlanResult:
        """Run a query plan in a thread, within the time limit of a query."""
        check_plan(plan, self._plans.schema)
        started, allowed = time.monotonic(), remaining_time(self._seconds_allowed)
        plan, warnings = with_known_properties(with_current_time(plan), self._plans.schema)
        plan = with_content_types(plan, self._plans.schema)
        try:
            result = await self._in_thread(lambda connection: self._plans.run(connection, plan, max_rows), allowed)
            return replace(result, warnings=warnings)
        except DependencyError as error:
            if time.monotonic() - started < allowed:
                raise
            remaining_time(self._seconds_allowed)  # raises if it was the request's own deadline that passed
            raise PlanLimitError(
                f"the plan takes longer than {self._seconds_allowed:g} s; start from fewer nodes, or add a condition"
            ) from error

    async def ready(self) -> bool:
        """Return whether the file can be read."""
        return bool(self._on_event_loop(lambda connection: connection.execute("SELECT 1 FROM meta").fetchone()))

    async def check(self) -> None:
        """Do nothing: a graph file has no settings, and it was checked when it was opened."""

    async def close(self) -> None:
        """Wait for running queries to finish, and close the file."""
        await asyncio.to_thread(self._threads.shutdown)
        self._own.close()
        while not self._connections.empty():
            self._connections.get().close()

    def _on_event_loop(self, query: _Query[_T], seconds: float | None = None) -> _T:
        # Most queries are faster than waking a thread.
        return self._run(self._own, query, seconds)

    async def _where_fastest(self, query: _Query[_T], is_complete: Callable[[_T], bool] = lambda _: True) -> _T:
        """Try a query on the event loop for a few milliseconds, and repeat it in a thread if it does not finish."""
        try:
            result = self._on_event_loop(query, _SECONDS_ON_EVENT_LOOP)
        except DependencyError:
            return await self._in_thread(query)
        return result if is_complete(result) else await self._in_thread(query)

    async def _in_thread(self, query: _Query[_T], seconds: float | None = None) -> _T:
        running: list[GraphConnection] = []
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, self._run_pooled, query, seconds, running)
        except asyncio.CancelledError:
            # Nobody waits for the result any more, so the thread and the connection become free.
            for connection in running:
                connection.deadline.cancel(query)
            raise

    def _run_pooled(self, query: _Query[_T], seconds: float | None, running: list[GraphConnection]) -> _T:
        connection = self._connections.get()
        running.append(connection)
        try:
            return self._run(connection, query, seconds)
        finally:
            self._connections.put(connection)

    def _run(self, connection: GraphConnection, query: _Query[_T], seconds: float | None) -> _T:
        allowed = self._seconds_allowed if seconds is None else seconds
        connection.start_deadline(allowed, query)
        try:
            return query(connection)
        except sqlite3.Error as error:
            graph = f"graph {self._file.stem}"
            if connection.deadline.has_passed:
                detail = f"{graph} did not respond within {allowed:g} s: {TOO_MANY_PATHS}"
                raise DependencyError(detail, detail) from error
            detail = f"{graph} cannot be read ({error}); import it again"
            raise DependencyError(detail, "the graph cannot be read") from error
