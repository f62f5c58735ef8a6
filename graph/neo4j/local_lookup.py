"""Find entities by name in an index that kgqa builds itself, for databases without a full-text index."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from graph.neo4j.background_refresh import Refreshed
from graph.neo4j.connection import Connection
from graph.neo4j.name_index import NameIndex
from graph.neo4j.name_reader import NameReader
from graph.neo4j.naming import Naming
from graph.neo4j.settings import Neo4jSettings
from graph.store import NameMatch
from shared.errors import DependencyError

log = logging.getLogger(__name__)

_T = TypeVar("_T")
_SECONDS_BETWEEN_REPORTS = 10.0


class LocalLookup:
    """Look up names in an index in memory. After changes of the database, the old index serves until the next is built.

    `read_naming` returns the properties that name the nodes at the moment.
    """

    def __init__(
        self, connection: Connection, settings: Neo4jSettings, read_naming: Callable[[], Awaitable[Naming]]
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._read_naming = read_naming
        self._index = Refreshed(connection, self._build)
        # Lookups take turns, because they share one SQLite connection and Python's global lock.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="names")
        self._progress = (0, 0)

    async def exact(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find the entities with each name, highest degree first."""
        return await self._in_thread((await self._index.get()).exact, names)

    async def similar(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find a few entities for each misspelled name, excluding entities with exactly that name."""
        return await self._in_thread((await self._index.get()).similar, names)

    async def by_short_name(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find the entities with each short name, highest degree first."""
        return await self._in_thread((await self._index.get()).by_short_name, names)

    async def check(self) -> None:
        """Raise RefusedError if the database has too many names."""
        await NameReader(self._connection, self._settings, await self._read_naming()).count()

    async def require_index(self) -> None:
        """Start to build the index if necessary; raise DependencyError, which says how far it is, if there is none."""
        await self._index.start()
        if self._index.value is not None:
            return
        if self._index.error:
            raise self._index.error
        done, total = self._progress
        building = "the index of names is being built" + (f": {done:,} of {total:,} nodes read" if total else "")
        raise DependencyError(f"Neo4j at {self._settings.shown_url}: {building}", f"{building}; retry shortly")

    async def close(self) -> None:
        """Stop building."""
        await self._index.close()
        self._thread.shutdown(cancel_futures=True)

    async def _build(self, old: NameIndex | None) -> NameIndex:
        started = time.monotonic()
        reader = NameReader(self._connection, self._settings, await self._read_naming())
        nodes = await reader.read(self._reported())
        if old and old.fingerprint == nodes.fingerprint:
            return old
        index = await asyncio.to_thread(NameIndex, nodes)
        where, seconds = self._settings.shown_url, time.monotonic() - started
        log.info("indexed the names of %s nodes of Neo4j at %s in %.1f s", f"{index.size:,}", where, seconds)
        return index

    def _reported(self) -> Callable[[int, int], None]:
        """Return a function that keeps the progress, and logs it from time to time."""
        reported = time.monotonic()

        def report(done: int, total: int) -> None:
            nonlocal reported
            self._progress = done, total
            if time.monotonic() - reported > _SECONDS_BETWEEN_REPORTS:
                reported = time.monotonic()
                log.info("reading names from Neo4j: %s of %s nodes", f"{done:,}", f"{total:,}")

        return report

    async def _in_thread(self, look_up: Callable[[Sequence[str]], _T], names: Sequence[str]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, look_up, names)
