"""Copying a graph file into a Neo4j, batch by batch, so that it goes on where it was broken off.

Each batch and the note of how far it went are one transaction, so no row is lost or doubled. The database must be empty
or hold what an earlier import put there: what users keep themselves is not touched.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import neo4j
from neo4j.exceptions import AuthError, ConfigurationError, DriverError, Neo4jError

from shared.errors import DependencyError, InvalidInputError
from shared.graph.neo4j.cypher import identifier
from shared.graph.neo4j.settings import Neo4jSettings
from shared.text import normalise

_BATCH = 5_000
_SECONDS_A_BATCH = 120
_NOTE = "KgqaImport"

_CONSTRAINT = "CREATE CONSTRAINT kgqa_entity IF NOT EXISTS FOR (n:Entity) REQUIRE n.key IS UNIQUE"
_OTHERS = f"MATCH (n) WHERE NOT n:Entity AND NOT n:{_NOTE} RETURN count(*) AS others"
_ALL = "MATCH (n) RETURN count(n) AS others"
_FOUND_NOTE = f"MATCH (note:{_NOTE}) RETURN note.version AS version, note.entities AS entities, note.triples AS triples"
_NEW_NOTE = f"CREATE (:{_NOTE} {{version: $version, entities: 0, triples: 0}})"
_REMOVE = "MATCH (n:Entity) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS"
_REMOVE_NOTE = f"MATCH (note:{_NOTE}) DELETE note"
_ADD_ENTITIES = f"""
MATCH (note:{_NOTE} {{entities: $done}}) SET note.entities = $done + size($rows)
WITH note UNWIND $rows AS row
CREATE (n:Entity {{key: row.key}}) SET n[$name] = row.name, n[$aliases] = row.aliases,
    n.kgqa_names = row.normalised
"""
_ADD_TRIPLES = f"""
MATCH (note:{_NOTE} {{triples: $done}}) SET note.triples = $done + size($rows)
WITH note UNWIND $rows AS row
MATCH (s:Entity {{key: row.s}}) MATCH (o:Entity {{key: row.o}})
CREATE (s)-[:$(row.r) {{kgqa_place: row.place}}]->(o)
"""


def copy_to_neo4j(file: Path, settings: Neo4jSettings, progress: Callable[[int, int], None]) -> bool:
    """Copy the graph in `file`; False if the database holds this very graph already.

    Raises InvalidInputError for a database with nodes of another origin, DependencyError if it does not answer.
    """
    try:
        with (
            neo4j.GraphDatabase.driver(
                settings.checked_url(),
                auth=(settings.user, settings.password.get_secret_value()),
                connection_timeout=settings.seconds_allowed,
                notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF,
            ) as driver,
            closing(sqlite3.connect(file)) as graph,
        ):
            return _Copy(driver, settings, graph, progress).run()
    except (ConfigurationError, ValueError):
        raise settings.not_taken() from None  # the cause may quote a password
    except AuthError as error:
        raise settings.refused() from error
    except (Neo4jError, DriverError, OSError) as error:
        raise DependencyError(
            f"Neo4j at {settings.shown_url} did not take the import ({error}); the same command goes on from there"
        ) from error


class _Copy:
    def __init__(
        self,
        driver: neo4j.Driver,
        settings: Neo4jSettings,
        graph: sqlite3.Connection,
        progress: Callable[[int, int], None],
    ) -> None:
        self._driver = driver
        self._settings = settings
        self._graph = graph
        self._progress = progress
        meta = dict(graph.execute("SELECT key, value FROM meta").fetchall())
        self._version, self._total = meta["version"], int(meta["entities"]) + int(meta["triples"])

    def run(self) -> bool:
        entities, triples = self._begun()
        self._index()
        if entities + triples == self._total:
            return False
        for rows in self._entity_batches(entities):
            self._ask(_ADD_ENTITIES, rows=rows, done=entities, **self._properties())
            entities += len(rows)
            self._progress(entities + triples, self._total)
        for rows in self._triple_batches(triples):
            self._ask(_ADD_TRIPLES, rows=rows, done=triples)
            triples += len(rows)
            self._progress(entities + triples, self._total)
        self._ask("CALL db.awaitIndexes(600)")
        return True

    def _begun(self) -> tuple[int, int]:
        """How many entities and triples of this graph are there already; another import's are removed."""
        notes = self._ask(_FOUND_NOTE)
        [others] = self._ask(_OTHERS if notes else _ALL)
        if others["others"]:
            raise InvalidInputError(
                f"the database {self._settings.database!r} at {self._settings.shown_url} has "
                f"{others['others']:,} nodes that were not imported by kgqa; it can be "
                "served as it is, or give KGQA_NEO4J_DATABASE an empty one"
            )
        if notes and notes[0]["version"] == self._version:
            return notes[0]["entities"], notes[0]["triples"]
        with self._driver.session(database=self._settings.database) as session:
            session.run(_REMOVE).consume()
        self._ask(_REMOVE_NOTE)
        self._ask(_NEW_NOTE, version=self._version)
        return 0, 0

    def _index(self) -> None:
        self._ask(_CONSTRAINT)
        self._ask(
            f"CREATE FULLTEXT INDEX {identifier(self._settings.names_index)} IF NOT EXISTS FOR (n:Entity) "
            "ON EACH [n.kgqa_names] OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}}"
        )

    def _entity_batches(self, done: int) -> Iterator[list[dict[str, Any]]]:
        aliases: dict[int, list[str]] = {}
        for entity, alias in self._graph.execute(
            "SELECT entity, alias FROM names WHERE alias IS NOT NULL ORDER BY alias"
        ):
            aliases.setdefault(entity, []).append(alias)
        rows = self._graph.execute("SELECT id, key, name FROM entities WHERE id > ? ORDER BY id", (done,))
        while some := rows.fetchmany(_BATCH):
            yield [_entity(key, name, aliases.get(row, [])) for row, key, name in some]

    def _triple_batches(self, done: int) -> Iterator[list[dict[str, Any]]]:
        rows = self._graph.execute(
            "SELECT triples.id, s.key, relations.name, o.key FROM triples JOIN relations ON relations.id = r "
            "JOIN entities AS s ON s.id = triples.s JOIN entities AS o ON o.id = triples.o "
            "ORDER BY triples.id LIMIT -1 OFFSET ?",
            (done,),
        )
        while some := rows.fetchmany(_BATCH):
            yield [{"place": place, "s": s, "r": r, "o": o} for place, s, r, o in some]

    def _properties(self) -> dict[str, str]:
        return {"name": self._settings.name_properties[0], "aliases": self._settings.aliases_property}

    def _ask(self, text: str, **parameters: object) -> Sequence[neo4j.Record]:
        query = neo4j.Query(text, timeout=_SECONDS_A_BATCH)
        return self._driver.execute_query(query, parameters, database_=self._settings.database).records


def _entity(key: str, name: str, aliases: list[str]) -> dict[str, Any]:
    """`normalised`: what the full-text index holds, so that it splits names into words as the project does."""
    normalised = list(dict.fromkeys(normalise(each) for each in (name, *aliases)))
    return {"key": key, "name": name, "aliases": aliases or None, "normalised": normalised}
