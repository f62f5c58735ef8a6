"""Copy a graph file into a Neo4j database in batches so that an interrupted copy can resume.

Each batch updates a progress node in the same transaction, so no row is lost or written twice. The database must be
empty or contain only an earlier copy; other nodes are never changed.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import neo4j
from neo4j.exceptions import AuthError, ConfigurationError, DriverError, Neo4jError

from shared.errors import DependencyError, InvalidInputError
from shared.graph.neo4j.cypher_text import quote
from shared.graph.neo4j.settings import Neo4jSettings
from shared.text import normalise

_BATCH = 5_000
_SECONDS_PER_BATCH = 120
_NOTE = "KgqaImport"  # the label of the progress node

_CONSTRAINT = "CREATE CONSTRAINT kgqa_entity IF NOT EXISTS FOR (n:Entity) REQUIRE n.key IS UNIQUE"
_COUNT_FOREIGN = f"MATCH (n) WHERE NOT n:Entity AND NOT n:{_NOTE} RETURN count(*) AS others"
_COUNT_ALL = "MATCH (n) RETURN count(n) AS others"
_READ_NOTE = f"MATCH (note:{_NOTE}) RETURN note.version AS version, note.entities AS entities, note.triples AS triples"
_CREATE_NOTE = f"CREATE (:{_NOTE} {{version: $version, entities: 0, triples: 0}})"
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
    """Copy a graph file into a database; return False if the database already contains this version of the graph.

    `progress` receives the number of entities and triples written so far and the total. Raises InvalidInputError if the
    database contains nodes that kgqa did not import, and DependencyError if it does not respond.
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
            return _Copy(driver, settings, graph).run(progress)
    except (ConfigurationError, ValueError):
        raise settings.url_error() from None  # the cause may contain a password
    except AuthError as error:
        raise settings.auth_error() from error
    except (Neo4jError, DriverError, OSError) as error:
        raise DependencyError(
            f"Neo4j at {settings.shown_url} did not complete the import ({error}); run the same command to resume it"
        ) from error


class _Copy:
    def __init__(self, driver: neo4j.Driver, settings: Neo4jSettings, graph: sqlite3.Connection) -> None:
        self._driver = driver
        self._settings = settings
        self._graph = graph
        meta = dict(graph.execute("SELECT key, value FROM meta").fetchall())
        self._version, self._total = meta["version"], int(meta["entities"]) + int(meta["triples"])

    def run(self, progress: Callable[[int, int], None]) -> bool:
        entities, triples = self._start()
        self._query(_CONSTRAINT)
        self._query(
            f"CREATE FULLTEXT INDEX {quote(self._settings.names_index)} IF NOT EXISTS FOR (n:Entity) "
            "ON EACH [n.kgqa_names] OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}}"
        )
        if entities + triples == self._total:
            return False
        properties = {"name": self._settings.name_properties[0], "aliases": self._settings.aliases_property}
        for rows in self._entity_batches(entities):
            self._query(_ADD_ENTITIES, rows=rows, done=entities, **properties)
            entities += len(rows)
            progress(entities + triples, self._total)
        for rows in self._triple_batches(triples):
            self._query(_ADD_TRIPLES, rows=rows, done=triples)
            triples += len(rows)
            progress(entities + triples, self._total)
        self._query("CALL db.awaitIndexes(600)")
        return True

    def _start(self) -> tuple[int, int]:
        """Return how many entities and triples have been copied; remove a copy of a different graph first."""
        notes = self._query(_READ_NOTE)
        [foreign] = self._query(_COUNT_FOREIGN if notes else _COUNT_ALL)
        if count := foreign["others"]:
            raise InvalidInputError(
                f"the database {self._settings.database!r} at {self._settings.shown_url} contains {count:,} "
                f"node{'s' * (count > 1)} that kgqa did not import; serve the database as it is, or set "
                "KGQA_NEO4J_DATABASE to an empty one"
            )
        if notes and notes[0]["version"] == self._version:
            return notes[0]["entities"], notes[0]["triples"]
        with self._driver.session(database=self._settings.database) as session:
            session.run(_REMOVE).consume()
        self._query(_REMOVE_NOTE)
        self._query(_CREATE_NOTE, version=self._version)
        return 0, 0

    def _entity_batches(self, done: int) -> Iterator[list[dict[str, Any]]]:
        aliases: dict[int, list[str]] = defaultdict(list)
        named = self._graph.execute("SELECT entity, alias FROM names WHERE alias IS NOT NULL ORDER BY alias")
        for entity, alias in named:
            aliases[entity].append(alias)
        rows = self._graph.execute("SELECT id, key, name FROM entities WHERE id > ? ORDER BY id", (done,))
        while batch := rows.fetchmany(_BATCH):
            yield [_node(key, name, aliases[row]) for row, key, name in batch]

    def _triple_batches(self, done: int) -> Iterator[list[dict[str, Any]]]:
        rows = self._graph.execute(
            "SELECT triples.id, s.key, relations.name, o.key FROM triples JOIN relations ON relations.id = r "
            "JOIN entities AS s ON s.id = triples.s JOIN entities AS o ON o.id = triples.o "
            "ORDER BY triples.id LIMIT -1 OFFSET ?",
            (done,),
        )
        while batch := rows.fetchmany(_BATCH):
            yield [{"place": place, "s": s, "r": r, "o": o} for place, s, r, o in batch]

    def _query(self, text: str, **parameters: object) -> Sequence[neo4j.Record]:
        query = neo4j.Query(text, timeout=_SECONDS_PER_BATCH)
        return self._driver.execute_query(query, parameters, database_=self._settings.database).records


def _node(key: str, name: str, aliases: list[str]) -> dict[str, Any]:
    # The full-text index contains normalised names, because it can split only these into the right words.
    normalised = list(dict.fromkeys(map(normalise, (name, *aliases))))
    return {"key": key, "name": name, "aliases": aliases or None, "normalised": normalised}
