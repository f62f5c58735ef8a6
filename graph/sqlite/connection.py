"""Open graph files for reading."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graph.sqlite.deadline import Deadline
from graph.sqlite.path_search import PathSearch
from graph.sqlite.plan_functions import register
from graph.sqlite.schema import LAYOUT
from graph.sqlite.values import Stored
from shared.errors import InvalidInputError, NotFoundError
from shared.suggestions import did_you_mean

_MAPPED_BYTES = 1 << 30
_INSTRUCTIONS_BETWEEN_CHECKS = 10_000


class GraphConnection(sqlite3.Connection):
    """A connection that has the functions of plans, and the deadline of its current query."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Open a database as `sqlite3.connect` does."""
        super().__init__(*arguments, **options)
        self.deadline = Deadline()
        self.searches: Sequence[PathSearch] = ()
        register(self, self.deadline)
        self.create_function("k_paths", 3, self._paths)

    def start_deadline(self, seconds: float, query: object = None) -> None:
        """End what runs after some seconds: between instructions of SQLite, and in the functions that they call."""
        self.deadline.start(seconds, query)
        self.set_progress_handler(lambda: self.deadline.has_passed, _INSTRUCTIONS_BETWEEN_CHECKS)

    def _paths(self, number: int, source: int | None, target: int | None) -> Stored:
        """Return the paths that one of the searches of the current query finds; none for missing nodes."""
        return None if source is None or target is None else self.searches[number].paths(self, source, target)


def connect(file: Path) -> GraphConnection:
    """Open a graph file for reading, with the functions of plans."""
    # immutable: SQLite takes no locks and creates no files next to the graph, which never changes in place.
    address = f"{file.absolute().as_uri()}?mode=ro&immutable=1"
    connection = GraphConnection(address, uri=True, check_same_thread=False)
    connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
    return connection


def open_checked(file: Path) -> tuple[GraphConnection, str]:
    """Open a graph file, check its layout, and return the connection and the graph's version.

    Raises NotFoundError if the file is missing, and InvalidInputError if it is not a graph file of this version.
    """
    connection, meta = _open_with_meta(file)
    return connection, meta["version"]


@dataclass(frozen=True, slots=True)
class FileSummary:
    """Say what a graph file holds: the hash of its content, and how many entities, triples, and relations."""

    version: str
    entities: int
    triples: int
    relations: int


def summarise_file(file: Path) -> FileSummary:
    """Return what a graph file holds; raise as `open_checked` does."""
    connection, meta = _open_with_meta(file)
    connection.close()
    return FileSummary(meta["version"], *(int(meta.get(name, 0)) for name in ("entities", "triples", "relations")))


def _open_with_meta(file: Path) -> tuple[GraphConnection, dict[str, str]]:
    hint = f"with `kgqa import FILE --graph {file.stem}`"
    if not file.exists():
        similar = did_you_mean(file.stem, (one.stem for one in file.parent.glob(f"*{file.suffix}")))
        raise NotFoundError(f"graph {file.stem} does not exist{similar or ';'} import one {hint}")
    if not file.is_file():
        raise InvalidInputError(f"{file} is not a regular file; remove it and create a graph {hint}")
    try:
        connection = connect(file)
        meta = dict(connection.execute("SELECT key, value FROM meta").fetchall())
    except sqlite3.Error as error:
        raise InvalidInputError(f"{file} cannot be opened as a graph ({error}); create one {hint}") from error
    if (layout := meta.get("layout")) != LAYOUT:
        connection.close()
        raise InvalidInputError(
            f"{file} uses layout {layout}, but the current layout is {LAYOUT}; import it again {hint}"
        )
    return connection, meta
