"""Index the names of a database in memory, with the tables and the lookups of a graph file."""

import sqlite3
from collections.abc import Sequence

from graph.neo4j.name_reader import NamedNodes
from graph.sqlite.name_lookup import NameLookup, by_short_name
from graph.sqlite.name_tables import write_names
from graph.sqlite.schema import NAMES
from graph.store import NameMatch

_ENTITIES = (
    "CREATE TABLE entities (id INTEGER PRIMARY KEY, key TEXT NOT NULL, name TEXT NOT NULL, degree INTEGER NOT NULL)"
)


class NameIndex:
    """Look up names in tables that never change. Use an instance from one thread at a time."""

    def __init__(self, nodes: NamedNodes) -> None:
        """Write the tables, which takes long for many names."""
        self.fingerprint = nodes.fingerprint
        self.size = len(nodes.ids)
        self._lookup = NameLookup()
        # The thread that writes the tables is not the one that reads them.
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        for statement in ("PRAGMA journal_mode = OFF", "BEGIN", _ENTITIES, *NAMES):
            self._connection.execute(statement)
        rows = zip(range(1, self.size + 1), nodes.ids, nodes.names, nodes.degrees, strict=True)
        self._connection.executemany("INSERT INTO entities VALUES (?, ?, ?, ?)", rows)
        write_names(self._connection, nodes.ids, nodes.names, nodes.degrees, nodes.aliases)
        self._connection.execute("COMMIT")
        self._connection.execute("ANALYZE")

    def exact(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find the entities with each name, highest degree first."""
        return self._lookup.exact(self._connection, names)

    def similar(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find a few entities for each misspelled name, excluding entities with exactly that name."""
        return self._lookup.similar(self._connection, names)

    def by_short_name(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find the entities with each short name, highest degree first."""
        return by_short_name(self._connection, names)
