"""Serve a graph from a Neo4j database, which this store only reads."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from graph.neo4j import path_queries
from graph.neo4j.background_refresh import Refreshed
from graph.neo4j.connection import Connection, QueryTimeoutError
from graph.neo4j.names import Names
from graph.neo4j.naming import Naming, name_of
from graph.neo4j.plan_execution import run_plan
from graph.neo4j.query_cache import QueryCache
from graph.neo4j.schema_query import read_schema
from graph.neo4j.setting_checks import unknown_properties
from graph.neo4j.settings import Neo4jSettings
from graph.plan.algebra import Plan
from graph.plan.checks import check_plan
from graph.plan.content_types import with_content_types
from graph.plan.current_time import with_current_time
from graph.plan.property_types import NO_TYPES, PropertyTypes, with_property_types
from graph.plan.result import DEFAULT_MAX_ROWS, PlanResult
from graph.plan.schema import GraphSchema
from graph.plan.unknown_properties import with_known_properties
from graph.store import Entity, NameMatch, PathStart, PathWalk, WalkRule
from shared.errors import InvalidInputError, RefusedError

log = logging.getLogger(__name__)

_SECONDS_PER_SCAN = 120.0
_SECONDS_TO_PLAN = 60.0
_PLANNED_HOPS = 3

_RELATIONS = "CALL db.relationshipTypes() YIELD relationshipType AS type RETURN type ORDER BY type"
_USED_PROPERTIES = "CALL db.propertyKeys() YIELD propertyKey AS name WHERE name IN $keys RETURN name"
_ANY_NAME = f"MATCH (n) WHERE {name_of('n')} IS NOT NULL RETURN 1 AS one LIMIT 1"
_SAMPLE = f"""
MATCH (n) WHERE {name_of("n")} IS NOT NULL
WITH n, COLLECT {{ MATCH (n)-[r]->() WITH DISTINCT type(r) AS t RETURN t ORDER BY t }} AS after,
    COLLECT {{ MATCH (n)<-[r]-() WITH DISTINCT type(r) AS t RETURN t ORDER BY t }} AS before
WITH after, before, collect(n)[..$most] AS nodes
UNWIND range(0, size(nodes) - 1) AS turn
WITH turn, nodes[turn] AS n ORDER BY turn, elementId(n) LIMIT $most
RETURN elementId(n) AS id, toStringOrNull({name_of("n")}) AS name
"""


class Neo4jGraphStore:
    """Implement `GraphStore` on top of one database, with query texts that are the same for all questions."""

    def __init__(self, settings: Neo4jSettings, types: PropertyTypes = NO_TYPES) -> None:
        """Prepare a connection, to be opened by the first query; raise InvalidInputError for an invalid URL.

        `types` overrides the types of the content of properties.
        """
        self._settings = settings
        self._property_types = types
        self._connection = Connection(settings)
        self._naming = Refreshed(self._connection, self._read_naming)
        self._names = Names(self._connection, settings, self._naming)
        self._planning: asyncio.Task[None] | None = None
        self._planned_types: tuple[str, ...] = ()
        self._types = QueryCache(self._connection, self._fetch_types)
        self._steps = QueryCache(self._connection, self._fetch_steps)
        self._schemas = QueryCache(self._connection, self._fetch_schema)
        # Reading the schema takes long, so plans use the old one until the new one is there.
        self._schema = Refreshed(self._connection, self._current_schema)

    async def version(self) -> str:
        """Return the bookmark of the last known transaction, regardless of what it changed."""
        await self._connection.refresh_bookmark()
        return self._connection.bookmark

    async def relations(self) -> tuple[str, ...]:
        """Return all relationship types that the database knows, including types that no relationship has."""
        return tuple(row["type"] for row in await self._connection.query(_RELATIONS, {}))

    async def entities_named(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find up to 50 entities for each name, sorted by own name before alias, then by degree, then by name."""
        return await self._names.exact(names)

    async def entities_like(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find up to five entities within 1 edit (names of 4 to 7 letters) or 2 edits (longer names) of each name."""
        return await self._names.similar(names)

    async def entities_by_short_name(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find up to eight entities for each short name, highest degree first."""
        return await self._names.by_short_name(names)

    async def steps_after(self, starts: Sequence[PathStart]) -> list[frozenset[str]]:
        """Find the steps that can extend each path, considering the first 10,000 entities at its end."""
        return await self._steps.get(starts)

    async def sample_entities(self, limit: int) -> list[Entity]:
        """Sample entities evenly across characteristic sets, ordered by id."""
        parameters = {"most": limit, **(await self._naming.get()).parameters()}
        rows = await self._connection.query(_SAMPLE, parameters, _SECONDS_PER_SCAN)
        return [Entity(row["id"], row["name"]) for row in rows if row["name"]]

    async def walk(self, starts: Sequence[PathStart], rule: WalkRule, limit: int = 1000) -> list[PathWalk]:
        """Follow all relation paths together, and if this takes too long, one by one while time remains."""
        if not starts:
            return []
        text = path_queries.walk_query(max(len(path) for _, path in starts))
        try:
            return await self._walk(text, starts, rule, limit)
        except QueryTimeoutError:
            return await self._walk_separately(starts, rule, limit)

    async def schema(self) -> GraphSchema:
        """Return the schema; after a change of the database, the old one until the new one has been read."""
        return await self._schema.get()

    async def run(self, plan: Plan, max_rows: int = DEFAULT_MAX_ROWS) -> PlanResult:
        """Run a query plan in one read transaction."""
        schema = await self.schema()
        check_plan(plan, schema)
        known, warnings = with_known_properties(with_current_time(plan), schema)
        converted, chosen = with_content_types(known, schema), self._settings.chosen_names
        result = await run_plan(self._connection, converted, schema, max_rows, chosen)
        return replace(result, warnings=warnings)

    async def ready(self) -> bool:
        """Return whether names can be looked up, and the database has planned the queries of a question.

        Raises DependencyError at once if the database cannot be reached.
        """
        await self._connection.verify()
        await self._names.require_lookup()
        [types] = await self._types.get([self._settings.database])
        failed = self._planning is not None and self._planning.done() and self._planning.exception() is not None
        if self._planning is None or failed or types != self._planned_types:
            self._planning, self._planned_types = asyncio.create_task(self._plan(types)), types
            self._planning.add_done_callback(_note_failure)
        await asyncio.shield(self._planning)
        return True

    async def check(self) -> None:
        """Raise RefusedError for a wrong password, too many names, or name properties that no node has."""
        naming = await self._naming.get()
        if self._settings.name_properties:
            await self._check_names(naming)
        elif not naming.of_others and not await self._connection.query(_ANY_NAME, naming.parameters()):
            raise RefusedError(
                f"no label in the database {self._settings.database!r} at {self._settings.shown_url} has a property "
                "that looks like a name; set KGQA_NEO4J_NAMES to the properties that name nodes, such as Person.name"
            )
        await self._names.check()
        await self._warn_of_unknown_properties()

    async def check_settings(self) -> None:
        """Raise InvalidInputError for a hidden or naming property that the database does not have."""
        schema = await self._current_schema()
        for one in await unknown_properties(self._connection, self._settings, schema):
            raise InvalidInputError(one.problem(schema))

    async def _warn_of_unknown_properties(self) -> None:
        """Log a warning for properties in the settings that the database does not have; they may be misspelled.

        It is no error, because the database may get them later. The log must not name hidden properties.
        """
        schema = await self._current_schema() if self._settings.names else None
        found = Counter(one.setting for one in await unknown_properties(self._connection, self._settings, schema))
        for setting, count in found.items():
            log.warning(
                "%s lists %s that the database does not have; check the spelling: kgqa schema says which",
                setting,
                f"{count:,} {'property' if count == 1 else 'properties'}",
            )

    async def _check_names(self, naming: Naming) -> None:
        if await self._connection.query(_USED_PROPERTIES, {"keys": [key for _, key in naming.properties]}):
            try:
                if await self._connection.query(_ANY_NAME, naming.parameters()):
                    return
            except QueryTimeoutError:
                return  # the database is large, so named nodes may come later in the scan
        properties, database = " or ".join(self._settings.name_properties), self._settings.database
        raise RefusedError(
            f"no node in the database {database!r} at {self._settings.shown_url} has the property {properties}; set "
            "KGQA_NEO4J_NAME_PROPERTY to the property that contains the nodes' names"
        )

    async def close(self) -> None:
        """Stop all work in the background, and close all connections."""
        if self._planning:
            self._planning.cancel()
        await self._schema.close()
        await self._naming.close()
        await self._names.close()
        await self._connection.close()

    async def _plan(self, types: tuple[str, ...]) -> None:
        """Run every kind of query for a nonexistent node, so that no question has to wait for query planning."""
        nobody, seconds = Entity("none", ""), _SECONDS_TO_PLAN
        await self._schema.get()
        await self._names.plan(seconds)
        for hops in range(_PLANNED_HOPS):
            parameters = path_queries.next_steps_parameters([(nobody, ("none",) * hops)], types)
            await self._connection.query(path_queries.next_steps_query(hops, types), parameters, seconds)
        for hops in range(1, _PLANNED_HOPS + 1):
            starts = [(nobody, ("none",) * hops)]
            await self._walk(path_queries.walk_query(hops), starts, WalkRule("walk", False), 1, seconds)

    async def _walk(
        self, text: str, starts: Sequence[PathStart], rule: WalkRule, limit: int, seconds: float | None = None
    ) -> list[PathWalk]:
        naming = (await self._naming.get()).parameters()
        parameters = path_queries.walk_parameters(starts, rule, limit) | naming
        return path_queries.parse_walks(starts, await self._connection.query(text, parameters, seconds), limit)

    async def _walk_separately(self, starts: Sequence[PathStart], rule: WalkRule, limit: int) -> list[PathWalk]:
        deadline = time.monotonic() + self._settings.seconds_allowed
        walks = []
        for topic, path in starts:
            try:
                seconds = deadline - time.monotonic()
                if seconds <= 0:
                    raise QueryTimeoutError("no time is left for the remaining paths")
                text = path_queries.typed_walk_query(path)
                walks += await self._walk(text, [(topic, path)], rule, limit, seconds)
            except QueryTimeoutError:
                walks.append(PathWalk(topic, path, (), truncated=False, unfinished=True))
        return walks

    async def _fetch_steps(self, starts: Sequence[PathStart]) -> list[frozenset[str]]:
        [types] = await self._types.get([self._settings.database])
        text = path_queries.next_steps_query(max(len(path) for _, path in starts), types)
        rows = await self._connection.query(text, path_queries.next_steps_parameters(starts, types))
        return path_queries.parse_next_steps(starts, rows)

    async def _read_naming(self, _: Naming | None) -> Naming:
        if self._settings.name_properties:
            return Naming.of_settings(self._settings)
        return Naming.of_schema(await self._current_schema(), self._settings)

    async def _current_schema(self, _: GraphSchema | None = None) -> GraphSchema:
        [schema] = await self._schemas.get([self._settings.database])
        return schema

    async def _fetch_schema(self, databases: Sequence[str]) -> list[GraphSchema]:
        schema = await read_schema(self._connection, self._settings)
        return [with_property_types(schema, self._property_types) for _ in databases]

    async def _fetch_types(self, databases: Sequence[str]) -> list[tuple[str, ...]]:
        return [await self.relations() for _ in databases]


def _note_failure(planning: "asyncio.Task[None]") -> None:
    """Log a failure that nobody may wait for any more; asyncio would log a traceback."""
    if not planning.cancelled() and (error := planning.exception()) is not None:
        log.info("the database could not plan the queries of a question: %s", error)
