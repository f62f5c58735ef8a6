"""The embedded graph store: one SQLite file, written by `kgqa import` and only read here."""

import asyncio
import queue
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from shared.errors import DependencyError, InvalidInputError, NotFoundError
from shared.graph.sqlite.kinds import Kinds, of_each_kind
from shared.graph.sqlite.names import NameIndex, in_short
from shared.graph.sqlite.schema import LAYOUT
from shared.graph.sqlite.walk import walk_all
from shared.graph.store import Entity, NameMatch, PathWalk, RelationPath, WalkRule

_T = TypeVar("_T")
_CONNECTIONS = 4
_SECONDS_ALLOWED = 2.0
# What the event loop may wait for a query before a thread takes over.
_SECONDS_AT_ONCE = 0.005
_SECONDS_FOR_A_SCAN = 120.0
_STEPS_BETWEEN_CHECKS = 10_000
_MAPPED_BYTES = 1 << 30


class SqliteGraphStore:
    """A `GraphStore` over one graph file.

    Queries that may take long run in a few threads with a connection each, so that the event loop does not wait. The
    file is never written to, so it may lie on a read-only file system; an import that replaces it is seen by stores
    opened afterwards.
    """

    def __init__(self, file: Path, seconds_allowed: float = _SECONDS_ALLOWED) -> None:
        """Open the graph; `seconds_allowed` bounds each call, for paths that fan out without end.

        Raises NotFoundError if there is no such file, InvalidInputError if it is not a graph of this layout.
        """
        self._file = file
        self._seconds_allowed = seconds_allowed
        self._connections: queue.SimpleQueue[sqlite3.Connection] = queue.SimpleQueue()
        first = _open_checked(file)
        self._connections.put(first)
        for _ in range(_CONNECTIONS - 1):
            self._connections.put(_connect(file))
        # Slow walks may hold all the others.
        self._own = _connect(file)
        self._threads = ThreadPoolExecutor(_CONNECTIONS, thread_name_prefix="graph")
        self._version = _meta(first)["version"]
        self._relations = {name: id_ for id_, name in first.execute("SELECT id, name FROM relations")}
        self._kinds = Kinds(self._relations)
        self._names = NameIndex()

    async def version(self) -> str:
        """The hash of the imported rows, independent of when and from which files they were read."""
        return self._version

    async def relations(self) -> tuple[str, ...]:
        """All relation names of the graph, sorted."""
        return tuple(sorted(self._relations))

    async def entities_named(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """For each name at most 50 entities: own names before aliases, then by degree, then by key."""
        return self._at_once(lambda connection: self._names.named(connection, names))

    async def entities_like(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """For each name at most five entities within 1 (from 4 letters) or 2 (from 8 letters) slips, closest first.

        A slip is an edit, or a word that sounds like the one meant. Finds short names of one word, too; finds
        misspelt words of four letters and more, within a longer name of three, and a blank too many or too few,
        but not both in one name.
        """
        return await self._in_thread(lambda connection: self._names.similar(connection, names))

    async def entities_for_short(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """For each name up to eight entities, by degree; blanks do not count."""
        return self._at_once(lambda connection: in_short(connection, names))

    async def steps_after(self, starts: Sequence[tuple[Entity, RelationPath]]) -> list[frozenset[str]]:
        """For each pair, the steps that lead on from the first 10,000 entities at its end."""

        def query(connection: sqlite3.Connection) -> list[frozenset[str]]:
            return self._kinds.steps_after(connection, starts)

        try:
            return self._at_once(query, _SECONDS_AT_ONCE)
        except DependencyError:
            return await self._in_thread(query)

    async def entities_of_each_kind(self, most: int) -> list[Entity]:
        """Entities in turns of one a kind, within a kind in an order that has nothing to do with the files'."""
        return await self._in_thread(lambda connection: of_each_kind(connection, most), _SECONDS_FOR_A_SCAN)

    async def walk(
        self, starts: Sequence[tuple[Entity, RelationPath]], rule: WalkRule, limit: int = 1000
    ) -> list[PathWalk]:
        """Walk each relation path; answers and reasoning paths come in the order of the imported files.

        All the walks of a call share the store's time limit.
        """

        def query(connection: sqlite3.Connection) -> list[PathWalk]:
            return walk_all(connection, self._relations, starts, rule, limit)

        try:
            walks = self._at_once(query, _SECONDS_AT_ONCE)
        except DependencyError:
            return await self._in_thread(query)
        return await self._in_thread(query) if any(walk.unfinished for walk in walks) else walks

    async def ready(self) -> bool:
        """Whether the file can be read."""
        return bool(self._at_once(lambda connection: connection.execute("SELECT 1 FROM meta").fetchone()))

    async def check(self) -> None:
        """Do nothing: no settings apply to a file, which was checked when it was opened."""

    async def close(self) -> None:
        """Wait for running queries and close the file."""
        await asyncio.to_thread(self._threads.shutdown)
        self._own.close()
        while not self._connections.empty():
            self._connections.get().close()

    def _at_once(self, query: Callable[[sqlite3.Connection], _T], seconds: float | None = None) -> _T:
        """For what seldom takes long: to wake another thread takes longer than most of these queries."""
        return self._bounded(self._own, query, self._seconds_allowed if seconds is None else seconds)

    async def _in_thread(self, query: Callable[[sqlite3.Connection], _T], seconds: float | None = None) -> _T:
        allowed = self._seconds_allowed if seconds is None else seconds
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._in_turn, query, allowed)

    def _in_turn(self, query: Callable[[sqlite3.Connection], _T], seconds: float) -> _T:
        connection = self._connections.get()
        try:
            return self._bounded(connection, query, seconds)
        finally:
            self._connections.put(connection)

    def _bounded(self, connection: sqlite3.Connection, query: Callable[[sqlite3.Connection], _T], seconds: float) -> _T:
        deadline = time.monotonic() + seconds
        connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS_BETWEEN_CHECKS)
        try:
            return query(connection)
        except sqlite3.Error as error:
            if time.monotonic() > deadline:
                detail = (
                    f"graph {self._file.stem} did not answer within {seconds:g} s: "
                    "too many paths to follow; ask about a less connected entity"
                )
                raise DependencyError(detail, detail) from error
            raise DependencyError(
                f"graph {self._file.stem} cannot be read ({error}); import it again", "the graph cannot be read"
            ) from error


def _connect(file: Path) -> sqlite3.Connection:
    # immutable: no locks and no files beside the graph, which nothing ever changes in place.
    connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
    connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
    return connection


def _meta(connection: sqlite3.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT key, value FROM meta").fetchall())


def _open_checked(file: Path) -> sqlite3.Connection:
    if not file.exists():
        raise NotFoundError(f"graph {file.stem} does not exist; import one with `kgqa import FILE --graph {file.stem}`")
    if not file.is_file():
        raise InvalidInputError(f"{file} is not a graph file")
    try:
        connection = _connect(file)
    except sqlite3.Error as error:
        raise InvalidInputError(f"{file} cannot be opened: {error}") from error
    try:
        layout = _meta(connection).get("layout")
    except sqlite3.Error as error:
        connection.close()
        raise InvalidInputError(
            f"{file} is not a graph file; make one with `kgqa import FILE --graph {file.stem}`"
        ) from error
    if layout != LAYOUT:
        connection.close()
        raise InvalidInputError(
            f"{file} has graph layout {layout}, this version reads layout {LAYOUT}; import the graph again"
        )
    return connection
