"""Copy a graph file into a Neo4j database in batches so that an interrupted copy can resume.

Each batch updates a progress node in the same transaction, so no row is lost or written twice. The database must be
empty or contain only an earlier copy; other nodes are never changed.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import neo4j
from neo4j.exceptions import AuthError, ConfigurationError, DriverError, Neo4jError

from graph.neo4j.copies import ENTITY_LABEL, FINISHED_LABEL, KEY, NORMALISED, PROGRESS_LABEL, VERSION
from graph.neo4j.cypher_text import quote
from graph.neo4j.settings import Neo4jSettings, reason_of
from ingestion.neo4j_rows import GraphRows
from shared.errors import DependencyError, InvalidInputError

_SECONDS_PER_BATCH = 120
_CONSTRAINT = f"CREATE CONSTRAINT kgqa_entity_key IF NOT EXISTS FOR (n:{ENTITY_LABEL}) REQUIRE n.{KEY} IS UNIQUE"
_OTHER_INDEX = """
SHOW FULLTEXT INDEXES YIELD name, labelsOrTypes, properties
WHERE name = $index AND (labelsOrTypes <> [$label] OR properties <> [$key]) RETURN name
"""
_COUNT_FOREIGN = f"MATCH (n) WHERE NOT n:{ENTITY_LABEL} AND NOT n:{PROGRESS_LABEL} RETURN count(*) AS others"
_COUNT_ALL = "MATCH (n) RETURN count(n) AS others"
_READ_FINISHED = f"MATCH (n:{FINISHED_LABEL}) RETURN n.{VERSION} AS version"
_READ_NOTE = f"""
MATCH (note:{PROGRESS_LABEL}) RETURN note.version AS version, note.entities AS entities, note.triples AS triples
"""
# The note exists while an earlier copy is removed, so that its nodes are never mistaken for those of others.
_CREATE_NOTE = f"MERGE (note:{PROGRESS_LABEL}) REMOVE note.version"
_REMOVE = f"MATCH (n:{ENTITY_LABEL}) CALL (n) {{ DETACH DELETE n }} IN TRANSACTIONS OF 5000 ROWS"
_START_NOTE = f"MATCH (note:{PROGRESS_LABEL}) SET note = {{version: $version, entities: 0, triples: 0}}"
_ADD_ENTITIES = f"""
MATCH (note:{PROGRESS_LABEL} {{entities: $done}}) SET note.entities = $done + size($rows)
WITH note UNWIND $rows AS row
CREATE (n:{ENTITY_LABEL}) SET n = row.properties, n:$(row.kinds)
"""
_ADD_TRIPLES = f"""
MATCH (note:{PROGRESS_LABEL} {{triples: $done}}) SET note.triples = $done + size($rows)
WITH note UNWIND $rows AS row
MATCH (s:{ENTITY_LABEL} {{{KEY}: row.source}}) MATCH (o:{ENTITY_LABEL} {{{KEY}: row.target}})
CREATE (s)-[r:$(row.type)]->(o) SET r = row.properties
"""
# All nodes that plans can see belong to the graph, so the progress node goes.
_FINISH = f"""
MATCH (note:{PROGRESS_LABEL}) DELETE note
WITH count(*) AS notes MATCH (n:{ENTITY_LABEL} {{{KEY}: $first}}) SET n:{FINISHED_LABEL}, n.{VERSION} = $version
"""


def check_database(settings: Neo4jSettings) -> None:
    """Check that a graph can be copied into a database, before anything is replaced.

    Raises InvalidInputError if the database contains nodes that kgqa did not import, and DependencyError if it does not
    respond.
    """
    with _driver(settings, "did not respond") as driver:
        driver.verify_connectivity()  # queries would be retried for half a minute
        _Database(driver, settings).check()


def copy_to_neo4j(file: Path, settings: Neo4jSettings, progress: Callable[[int, int], None]) -> bool:
    """Copy a graph file into a database; return False if the database already contains this version of the graph.

    `progress` receives the number of entities and triples written so far and the total. Raises InvalidInputError if the
    database contains nodes that kgqa did not import, and DependencyError if it does not respond.
    """
    problem = "did not complete the import"
    hint = "; run the same command to resume it"
    with _driver(settings, problem, hint) as driver, closing(sqlite3.connect(file)) as graph:
        return _Copy(_Database(driver, settings), GraphRows(graph)).run(progress)


@contextmanager
def _driver(settings: Neo4jSettings, problem: str, hint: str = "") -> Iterator[neo4j.Driver]:
    try:
        with neo4j.GraphDatabase.driver(
            settings.checked_url(),
            auth=(settings.user, settings.password.get_secret_value()),
            connection_timeout=settings.seconds_allowed,
            notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF,
        ) as driver:
            yield driver
    except (ConfigurationError, ValueError):
        raise settings.url_error() from None  # the cause may contain a password
    except AuthError as error:
        raise settings.auth_error() from error
    except (Neo4jError, DriverError, OSError) as error:
        raise DependencyError(f"Neo4j at {settings.shown_url} {problem} ({reason_of(error)}){hint}") from error


class _Database:
    """Query the database to which graphs are copied."""

    def __init__(self, driver: neo4j.Driver, settings: Neo4jSettings) -> None:
        self.settings = settings
        self._driver = driver

    def query(self, text: str, **parameters: object) -> Sequence[neo4j.Record]:
        query = neo4j.Query(text, timeout=_SECONDS_PER_BATCH)
        return self._driver.execute_query(query, parameters, database_=self.settings.database).records

    def remove_copy(self) -> None:
        """Remove an earlier copy, in transactions of their own."""
        with self._driver.session(database=self.settings.database) as session:
            session.run(_REMOVE).consume()

    def check(self) -> tuple[Sequence[neo4j.Record], Sequence[neo4j.Record]]:
        """Return the finished copy and the progress of an unfinished one; raise InvalidInputError for other nodes."""
        finished, notes = self.query(_READ_FINISHED), self.query(_READ_NOTE)
        [foreign] = self.query(_COUNT_FOREIGN if finished or notes else _COUNT_ALL)
        if count := foreign["others"]:
            raise InvalidInputError(
                f"the database {self.settings.database!r} at {self.settings.shown_url} contains {count:,} "
                f"node{'s' * (count > 1)} that kgqa did not import; serve the database as it is, or set "
                "KGQA_NEO4J_DATABASE to an empty one"
            )
        return finished, notes


class _Copy:
    def __init__(self, database: _Database, graph: GraphRows) -> None:
        self._query = database.query
        self._database = database
        self._graph = graph

    def run(self, progress: Callable[[int, int], None]) -> bool:
        started = self._start()
        self._create_indexes()
        if started is None:
            return False
        entities, triples = started
        for rows in self._graph.entity_batches(entities):
            self._query(_ADD_ENTITIES, rows=rows, done=entities)
            entities += len(rows)
            progress(entities + triples, self._graph.total)
        for rows in self._graph.triple_batches(triples):
            self._query(_ADD_TRIPLES, rows=rows, done=triples)
            triples += len(rows)
            progress(entities + triples, self._graph.total)
        self._query("CALL db.awaitIndexes(600)")
        self._query(_FINISH, version=self._graph.version, first=self._graph.first_key)
        self._graph.warn_of_omissions()
        return True

    def _start(self) -> tuple[int, int] | None:
        """Return how many entities and triples have been copied, or None if all have; remove a different graph."""
        finished, notes = self._database.check()
        if notes and notes[0]["version"] == self._graph.version:
            return notes[0]["entities"], notes[0]["triples"]
        if not notes and finished and finished[0]["version"] == self._graph.version:
            return None
        self._query(_CREATE_NOTE)
        self._database.remove_copy()
        self._query(_START_NOTE, version=self._graph.version)
        return 0, 0

    def _create_indexes(self) -> None:
        """Create the indexes of a copy; replace a full-text index of that name that is over other nodes."""
        self._query(_CONSTRAINT)
        index = self._database.settings.names_index
        if self._query(_OTHER_INDEX, index=index, label=ENTITY_LABEL, key=NORMALISED):
            self._query(f"DROP INDEX {quote(index)}")
        self._query(
            f"CREATE FULLTEXT INDEX {quote(index)} IF NOT EXISTS FOR (n:{ENTITY_LABEL}) ON EACH [n.{NORMALISED}] "
            "OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}}"
        )
