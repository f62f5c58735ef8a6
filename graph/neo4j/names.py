"""Find entities by name in Neo4j: with its full-text index if there is one, otherwise with an index in memory."""

import logging
from collections.abc import Sequence

from graph.neo4j.background_refresh import Refreshed
from graph.neo4j.connection import Connection, QueryTimeoutError
from graph.neo4j.copies import NORMALISED
from graph.neo4j.full_text_lookup import FullTextLookup
from graph.neo4j.local_lookup import LocalLookup
from graph.neo4j.naming import Naming
from graph.neo4j.query_cache import QueryCache
from graph.neo4j.settings import Neo4jSettings
from graph.store import NameMatch
from shared.errors import RefusedError

log = logging.getLogger(__name__)

_INDEX = "SHOW FULLTEXT INDEXES YIELD name, state, properties WHERE name = $index RETURN state, properties"
_ONLINE = "ONLINE"


class Names:
    """Choose between the two kinds of lookup whenever the database changes."""

    def __init__(self, connection: Connection, settings: Neo4jSettings, naming: Refreshed[Naming]) -> None:
        self._connection = connection
        self._settings = settings
        self._full_text = FullTextLookup(connection, settings, naming)
        self._local = LocalLookup(connection, settings, lambda: naming.compute(None))
        self._states = QueryCache(connection, self._fetch_states)
        self._is_local: bool | None = None

    async def exact(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find the entities with each name, highest degree first."""
        return await (await self._lookup()).exact(names)

    async def similar(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find a few entities for each misspelled name, excluding entities with exactly that name."""
        return await (await self._lookup()).similar(names)

    async def by_short_name(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find the entities with each short name, highest degree first."""
        return await (await self._lookup()).by_short_name(names)

    async def check(self) -> None:
        """Raise RefusedError if there is no full-text index, and too many names for an index in memory."""
        if await self._lookup() is self._local:
            await self._local.check()

    async def require_lookup(self) -> None:
        """Raise DependencyError, which says why, if names cannot be looked up yet."""
        if await self._lookup() is self._local:
            await self._local.require_index()

    async def plan(self, seconds: float) -> None:
        """Make the database plan the queries of all lookups."""
        if await self._lookup() is self._full_text:
            await self._full_text.plan(seconds)

    async def close(self) -> None:
        """Stop all work in the background."""
        await self._local.close()

    async def _lookup(self) -> FullTextLookup | LocalLookup:
        name = self._settings.names_index
        [state] = await self._states.get([name])
        if state not in (None, _ONLINE):  # the end of its construction is not a transaction
            [state] = await self._fetch_states([name])
        is_local = state != _ONLINE
        if is_local and not self._is_local:
            log.info("Neo4j at %s has no full-text index %r; indexing names in memory", self._settings.shown_url, name)
        self._is_local = is_local
        return self._local if is_local else self._full_text

    async def _fetch_states(self, names: Sequence[str]) -> list[str | None]:
        """Return the state of each full-text index; None without a suitable one, or if the user may not see indexes."""
        try:
            rows = [await self._connection.query(_INDEX, {"index": name}) for name in names]
        except QueryTimeoutError:
            raise
        except RefusedError:
            return [None for _ in names]
        return [found[0]["state"] if found and self._covers(found[0]["properties"]) else None for found in rows]

    def _covers(self, indexed: Sequence[str]) -> bool:
        """Return whether an index can hold the names; that of a copy lacks the properties that the settings choose."""
        return list(indexed) != [NORMALISED] or not self._settings.chosen_names
