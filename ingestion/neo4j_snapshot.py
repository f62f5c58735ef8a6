"""Copy a Neo4j database into a graph file: a snapshot of one moment.

Nodes and relationships get row ids in the order of their ids in Neo4j, in which plans return rows. A scan in this order
would start anew for each batch, so the snapshot first reads all ids, sorts them, and then reads batches by id.
"""

import asyncio
import time
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import neo4j
import numpy as np
from neo4j.exceptions import AuthError, ClientError, ConfigurationError, DriverError, Neo4jError

from graph.neo4j.connection import Connection
from graph.neo4j.copies import OWN_LABELS, OWN_PROPERTIES
from graph.neo4j.naming import copied_names
from graph.neo4j.schema_query import read_schema
from graph.neo4j.settings import Neo4jSettings, reason_of
from graph.plan.text_readings import TextReading
from graph.plan.values import Value
from ingestion.column_reports import ColumnReport
from ingestion.graph_counts import GraphCounts
from ingestion.importer import ImportReport, replacing
from ingestion.neo4j_values import storable
from ingestion.node_aliases import add_node_aliases
from ingestion.points import parts_of_point
from ingestion.source_lines import field_problem
from ingestion.sqlite_writer import GraphWriter
from ingestion.typed_values import BadValueError
from shared.errors import DependencyError, InvalidInputError, KGQAError, RefusedError

Progress = Callable[[int, int], None]

_BATCH = 5_000
_FETCHED = 500  # rows in memory at a time, because a row may hold a long vector
_SECONDS_PER_BATCH, _SECONDS_PER_SCAN = 120, 3_600
_ATTEMPTS = 2
_TIMED_OUT, _TOO_MANY_ATTEMPTS, _NO_DATABASE = "TransactionTimedOut", "AuthenticationRateLimit", "DatabaseNotFound"

_COUNTS = "RETURN COUNT { MATCH (n) } AS nodes, COUNT { MATCH ()-[r]->() } AS relationships"
_NODE_IDS = "MATCH (x) RETURN elementId(x) AS id"
_RELATIONSHIP_IDS = "MATCH ()-[x]->() RETURN elementId(x) AS id"
_NODES = """
UNWIND range(0, size($ids) - 1) AS place MATCH (n) WHERE elementId(n) = $ids[place]
RETURN $ids[place] AS id, labels(n) AS labels, properties(n) AS properties ORDER BY place
"""
_RELATIONSHIPS = """
UNWIND range(0, size($ids) - 1) AS place MATCH (a)-[r]->(b) WHERE elementId(r) = $ids[place]
RETURN elementId(a) AS source, type(r) AS type, elementId(b) AS target, properties(r) AS properties ORDER BY place
"""


class LeftOut(NamedTuple):
    """Name a property of a label or relationship type, and the reason why values of it are left out."""

    owner: str
    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class SnapshotReport(ImportReport):
    """Report what a snapshot stored, and the values left out.

    `unused_hidden` is the number of hidden properties that the database does not have. The report does not name them.
    """

    left_out: Mapping[LeftOut, int] = field(default_factory=dict)
    unused_hidden: int = 0


class _ChangedError(Exception):
    """Signal that the database changed during the snapshot."""


def import_database(
    settings: Neo4jSettings, target: Path, progress: Progress | None = None, dates: TextReading | None = None
) -> SnapshotReport:
    """Copy a database into one graph file, without hidden properties and values that a graph file cannot hold.

    `dates` is the order of dates where two are possible.
    `progress` receives the number of nodes and relationships read so far and the total. If the snapshot fails or is
    interrupted, `target` stays unchanged, and the next snapshot starts from the beginning. Raises InvalidInputError if
    the URL is invalid, the database is empty or unknown, or it changes during two attempts, and DependencyError if
    it does not respond.
    """
    started = time.monotonic()
    with _opened(settings) as driver:
        for _ in range(_ATTEMPTS):
            try:
                with _session(driver, settings) as session, replacing(target) as unfinished:
                    snapshot = _Snapshot(_Database(session, settings), settings, progress, dates)
                    counts = snapshot.write(unfinished)
                return snapshot.report(counts, time.monotonic() - started)
            except _ChangedError:
                continue
    raise InvalidInputError(
        f"the database {settings.database!r} at {settings.shown_url} changed during the snapshot, also during a second "
        "attempt; run the command again when nothing writes to the database"
    )


def _opened(settings: Neo4jSettings) -> neo4j.Driver:
    url = settings.checked_url("the URL")
    try:
        return neo4j.GraphDatabase.driver(
            url,
            auth=(settings.user, settings.password.get_secret_value()),
            connection_timeout=settings.seconds_allowed,
            notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF,
        )
    except (ConfigurationError, ValueError):  # the cause may contain a password
        raise InvalidInputError(
            f"the URL is invalid: expected one like bolt://host:7687, found {settings.shown_url}"
        ) from None


@contextmanager
def _session(driver: neo4j.Driver, settings: Neo4jSettings) -> Iterator[neo4j.Session]:
    """Open a session for the whole snapshot: Python ignores a Ctrl-C that comes while it disposes of a session."""
    session = driver.session(database=settings.database, default_access_mode=neo4j.READ_ACCESS, fetch_size=_FETCHED)
    try:
        yield session
    except KeyboardInterrupt:
        # It may have cut a message in two, whose rest the session would wait for. The driver just cuts the connection.
        driver.close()
        raise
    except BaseException:
        session.close()
        raise
    session.close()


class _State(NamedTuple):
    """Identify the content of a database by its last transaction and its size."""

    bookmarks: frozenset[str]
    nodes: int
    relationships: int


class _Database:
    """Read from the database, and translate driver errors into the project's errors."""

    def __init__(self, session: neo4j.Session, settings: Neo4jSettings) -> None:
        self._session = session
        self._settings = settings

    def state(self) -> _State:
        [row] = self.rows(_COUNTS, _SECONDS_PER_BATCH)
        return _State(self._session.last_bookmarks().raw_values, row["nodes"], row["relationships"])

    def rows(self, text: str, seconds: float, **parameters: Any) -> Iterator[neo4j.Record]:
        try:
            yield from self._session.run(neo4j.Query(text, timeout=seconds), parameters)
        except (Neo4jError, DriverError) as error:
            raise self._translated(error) from error

    def sorted_ids(self, text: str) -> Iterator[list[str]]:
        """Yield the ids that a query returns in batches, ordered by their numbers, which take 8 bytes each."""
        numbers = array("q")
        prefix = ""
        for row in self.rows(text, _SECONDS_PER_SCAN):
            prefix, _, number = row["id"].rpartition(":")
            numbers.append(int(number))
        ordered = np.sort(np.frombuffer(numbers, np.int64)) if numbers else np.empty(0, np.int64)
        for first in range(0, len(ordered), _BATCH):
            yield [f"{prefix}:{number}" for number in ordered[first : first + _BATCH].tolist()]

    def _translated(self, error: Neo4jError | DriverError) -> KGQAError:
        where = f"Neo4j at {self._settings.shown_url}"
        code = (error.code or "") if isinstance(error, Neo4jError) else ""
        if isinstance(error, AuthError) or _TOO_MANY_ATTEMPTS in code:
            return self._settings.auth_error()
        if _NO_DATABASE in code:
            return InvalidInputError(
                f"{where} has no database {self._settings.database!r}; set KGQA_NEO4J_DATABASE to one that it has"
            )
        message = error.message if isinstance(error, Neo4jError) else None
        reason = " ".join(message.split()) if message else reason_of(error)
        if isinstance(error, ClientError) and _TIMED_OUT not in code:
            return RefusedError(f"{where} rejected a query of the snapshot ({reason}); check the user's rights")
        return DependencyError(
            f"{where} did not complete the snapshot ({reason}); check that it is running and that the URL is correct, "
            "and run the same command again, which starts from the beginning"
        )


class _Snapshot:
    """Read a database once, and count what is stored and what is left out."""

    def __init__(
        self, database: _Database, settings: Neo4jSettings, progress: Progress | None, dates: TextReading | None
    ) -> None:
        self._database = database
        self._settings = settings
        self._progress = progress
        self._hiding = cache(self._hiding_once)
        self._unused_hidden = set(settings.hidden)
        self._check_name = cache(self._check_name_once)
        self._left_out: Counter[LeftOut] = Counter()
        self._done = 0
        self._dates = dates
        self._columns: tuple[ColumnReport, ...] = ()

    def write(self, file: Path) -> GraphCounts:
        """Write the graph file; raise _ChangedError if the database changes in the meantime."""
        state = self._database.state()
        if not state.nodes:
            raise InvalidInputError(
                f"the database {self._settings.database!r} at {self._settings.shown_url} contains no nodes; check "
                "KGQA_NEO4J_DATABASE"
            )
        names = asyncio.run(_name_properties(self._settings))
        with closing(GraphWriter(file, names, self._dates)) as writer:
            total = state.nodes + state.relationships
            self._add_nodes(writer, total)
            self._add_relationships(writer, total)
            if self._database.state() != state:
                raise _ChangedError
            omitted = [f"{one.owner}.{one.key} ({n:,} {one.reason})" for one, n in self._left_out.items()]
            counts = writer.finish(omitted)
            self._columns = writer.columns
            return counts

    def report(self, counts: GraphCounts, seconds: float) -> SnapshotReport:
        """Describe the snapshot."""
        return SnapshotReport(
            **asdict(counts),
            seconds=seconds,
            columns=self._columns,
            left_out=dict(self._left_out),
            unused_hidden=len(self._unused_hidden),
        )

    def _add_nodes(self, writer: GraphWriter, total: int) -> None:
        chosen = self._settings.chosen_names
        for row in self._batches(_NODE_IDS, _NODES, total):
            labels = [label for label in row["labels"] if label not in OWN_LABELS]
            for label in labels:
                self._check_name("label", label)
            properties = self._stored(writer, labels, row["properties"])
            name, aliases = copied_names(row["properties"], labels, self._settings.hidden)
            if name and not any(chosen.get(label) in properties for label in labels):
                writer.default_names[row["id"]] = name
            for alias in aliases:
                writer.add_alias(row["id"], alias)
            writer.add_node(row["id"], labels, properties)
            add_node_aliases(writer, row["id"], properties.get(self._settings.aliases_property))

    def _add_relationships(self, writer: GraphWriter, total: int) -> None:
        for row in self._batches(_RELATIONSHIP_IDS, _RELATIONSHIPS, total):
            source, type_, target = row["source"], row["type"], row["target"]
            self._check_name("relation", type_)
            if not (writer.has_node(source) and writer.has_node(target)):
                raise _ChangedError
            properties = self._stored(writer, (type_,), row["properties"])
            writer.add_relationship(source, type_, target, properties)

    def _batches(self, ids: str, query: str, total: int) -> Iterator[neo4j.Record]:
        """Yield the rows of a query for all ids in order, and report the progress."""
        for batch in self._database.sorted_ids(ids):
            found = 0
            for row in self._database.rows(query, _SECONDS_PER_BATCH, ids=batch):
                found += 1
                yield row
            if found != len(batch):
                raise _ChangedError
            self._done += found
            if self._progress:
                self._progress(self._done, max(self._done, total))

    def _stored(self, writer: GraphWriter, owners: Collection[str], properties: Mapping[str, Any]) -> dict[str, Value]:
        """Convert the properties of a node or relationship, and count the values that are left out."""
        values: dict[str, Value] = {}
        for key, value in properties.items():
            if key in OWN_PROPERTIES:
                continue
            if hiding := [pair for owner in owners or ("",) for pair in self._hiding(owner, key)]:
                self._unused_hidden.difference_update(hiding)
                continue  # the report must not name it either
            try:
                if field_problem("name", key):
                    raise BadValueError("names with control characters")
                parts = parts_of_point(key, value)
                values |= parts if parts is not None else {key: storable(value)}
            except BadValueError as reason:
                self._left_out[LeftOut(":".join(owners), key, str(reason))] += 1
                writer.leave_out(owners or ("",), key)
        return values

    def _hiding_once(self, owner: str, key: str) -> list[tuple[str, str]]:
        """Return the entries of the hidden properties that hide a property of a label or relationship type."""
        return [pair for pair in (("", key), (owner, key)) if pair in self._settings.hidden]

    def _check_name_once(self, role: str, name: str) -> None:
        if problem := field_problem(role, name):
            raise InvalidInputError(f"Neo4j at {self._settings.shown_url}: {problem}")


async def _name_properties(settings: Neo4jSettings) -> dict[str, str | None]:
    """Return the property that names the nodes of each label, as for plans on the database itself."""
    connection = Connection(settings)
    try:
        schema = await read_schema(connection, settings)
    finally:
        await connection.close()
    return {kind: described.name_property for kind, described in schema.kinds.items()}
