"""Read the nodes and relationships of a graph file, with their kinds and properties, in batches for Neo4j."""

import logging
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graph.neo4j.copies import ALIASES, KEY, NAME, NORMALISED, PLACE
from graph.sqlite.schema import ENTITY_NAME
from graph.sqlite.values import Stored, decode
from shared.text import normalise

log = logging.getLogger(__name__)

_BATCH = 5_000

# If some entities have no kind, and no property is called `name`, plans read the names of entities as this property.
_IS_NAME_PROPERTY = """
SELECT NOT EXISTS (SELECT 1 FROM property_keys WHERE name = ?)
AND EXISTS (SELECT 1 FROM entities WHERE id NOT IN (SELECT entity FROM node_labels))
"""
_ENTITIES = "SELECT id, key, name FROM entities WHERE id > ? ORDER BY id"
_ALIASES = "SELECT entity, alias FROM names WHERE alias IS NOT NULL ORDER BY alias"
_KINDS = "SELECT entity, name FROM node_labels JOIN labels ON labels.id = label WHERE entity BETWEEN ? AND ?"
_OF_NODES = """
SELECT entity, name, value FROM node_properties JOIN property_keys ON property_keys.id = key
WHERE entity BETWEEN ? AND ?
"""
_TRIPLES = """
SELECT triples.id, s.key, relations.name, o.key FROM triples JOIN relations ON relations.id = r
JOIN entities AS s ON s.id = triples.s JOIN entities AS o ON o.id = triples.o ORDER BY triples.id LIMIT -1 OFFSET ?
"""
_OF_TRIPLES = """
SELECT triple, name, value FROM relationship_properties JOIN property_keys ON property_keys.id = key
WHERE triple BETWEEN ? AND ?
"""

Row = Mapping[str, Any]


class GraphRows:
    """Yield the rows of a graph file as parameters of Cypher queries, and count the values that Neo4j cannot store."""

    def __init__(self, graph: sqlite3.Connection) -> None:
        """Read the version and the size of the graph."""
        self._graph = graph
        meta = dict(graph.execute("SELECT key, value FROM meta").fetchall())
        self.version: str = meta["version"]
        self.total = int(meta["entities"]) + int(meta["triples"])
        [self.first_key] = graph.execute("SELECT key FROM entities ORDER BY id LIMIT 1").fetchone()
        [self._is_name_property] = graph.execute(_IS_NAME_PROPERTY, (ENTITY_NAME,)).fetchone()
        self._omitted: Counter[str] = Counter()

    def entity_batches(self, done: int) -> Iterator[list[Row]]:
        """Yield the entities after the first `done`: their kinds, and their properties with those that kgqa adds."""
        aliases: dict[int, list[str]] = defaultdict(list)
        for entity, alias in self._graph.execute(_ALIASES):
            aliases[entity].append(alias)
        entities = self._graph.execute(_ENTITIES, (done,))
        while batch := entities.fetchmany(_BATCH):
            kinds: dict[int, list[str]] = defaultdict(list)
            for entity, kind in self._graph.execute(_KINDS, (batch[0][0], batch[-1][0])):
                kinds[entity].append(kind)
            properties = self._properties(_OF_NODES, batch)
            yield [
                {"kinds": kinds[row], "properties": properties[row] | self._own(row, key, name, aliases[row])}
                for row, key, name in batch
            ]

    def triple_batches(self, done: int) -> Iterator[list[Row]]:
        """Yield the triples after the first `done`, with their properties."""
        triples = self._graph.execute(_TRIPLES, (done,))
        while batch := triples.fetchmany(_BATCH):
            properties = self._properties(_OF_TRIPLES, batch)
            yield [
                {"source": s, "type": type_, "target": o, "properties": properties[row] | {PLACE: row}}
                for row, s, type_, o in batch
            ]

    def warn_of_omissions(self) -> None:
        """Log which values are missing in Neo4j."""
        for key, count in self._omitted.items():
            values = f"{count:,} value{'s' * (count > 1)}"
            log.warning("left out %s of the property %r: Neo4j has no lists of mixed types", values, key)

    def _own(self, row: int, key: str, name: str, aliases: Sequence[str]) -> dict[str, Any]:
        normalised = list(dict.fromkeys(map(normalise, (name, *aliases))))
        own = {PLACE: row, KEY: key, NAME: name, ALIASES: aliases or None, NORMALISED: normalised}
        return own | {ENTITY_NAME: name} if self._is_name_property else own

    def _properties(self, query: str, batch: Sequence[Sequence[Any]]) -> dict[int, dict[str, Any]]:
        """Return the properties of the rows of a batch, which are sorted by id."""
        properties: dict[int, dict[str, Any]] = defaultdict(dict)
        for row, key, stored in self._graph.execute(query, (batch[0][0], batch[-1][0])):
            value = _for_neo4j(stored)
            if value is None:
                self._omitted[key] += 1
            else:
                properties[row][key] = value
        return properties


def _for_neo4j(stored: Stored) -> Any:
    """Convert a stored value; return None if Neo4j cannot store it."""
    value = decode(stored)
    if not isinstance(value, tuple):
        return value
    types = set(map(type, value))
    return list(value) if len(types) <= 1 and tuple not in types else None
