"""Find properties in the Neo4j settings that the database does not have, and that may be misspelled."""

from collections.abc import Iterator
from dataclasses import dataclass

from graph.neo4j.connection import Connection, QueryTimeoutError
from graph.neo4j.cypher_text import quote
from graph.neo4j.settings import Neo4jSettings
from graph.plan.part_checks import unknown
from graph.plan.schema import GraphSchema

HIDE, NAMES = "KGQA_NEO4J_HIDE", "KGQA_NEO4J_NAMES"
_USED_PROPERTIES = "CALL db.propertyKeys() YIELD propertyKey AS name WHERE name IN $keys RETURN name"
_LABELS = "CALL db.labels() YIELD label RETURN collect(label) AS names"
_TYPES = "CALL db.relationshipTypes() YIELD relationshipType AS type RETURN collect(type) AS names"


@dataclass(frozen=True, slots=True)
class UnknownProperty:
    """Name a property that a setting lists, such as `Person.ssn` or `ssn`, and that the database does not have."""

    setting: str
    name: str

    def problem(self, schema: GraphSchema) -> str:
        """Say what is wrong, with similar names of the schema."""
        holders = {name: one.properties for name, one in schema.relationships.items()}
        holders |= {name: one.properties for name, one in schema.kinds.items()}
        pairs = [f"{owner}.{key}" for owner, properties in holders.items() if owner for key in properties]
        keys = [key for properties in holders.values() for key in properties]
        found = unknown("property", self.name, pairs if "." in self.name else set(keys))
        return f"{self.setting} lists an {found}; correct the entry, or remove it"


async def unknown_properties(
    connection: Connection, settings: Neo4jSettings, schema: GraphSchema | None
) -> list[UnknownProperty]:
    """Find the hidden properties that no node or relationship has, and chosen names that are not in the schema.

    `schema` may be None if no names are chosen.
    """
    found = [UnknownProperty(HIDE, name) for name in await _unknown_hidden(connection, settings)]
    return found + [UnknownProperty(NAMES, name) for name in _unknown_names(settings, schema)]


def _unknown_names(settings: Neo4jSettings, schema: GraphSchema | None) -> Iterator[str]:
    hidden = {key for _, key in settings.hidden}
    for label, key in settings.chosen_names.items():
        kind = schema.kinds.get(label) if schema else None
        # The schema leaves out hidden properties, also of nodes with a further label, and they are never names.
        if key not in hidden and (kind is None or key not in kind.properties):
            yield f"{label}.{key}"


async def _unknown_hidden(connection: Connection, settings: Neo4jSettings) -> list[str]:
    hidden = settings.hidden_properties
    if not hidden:
        return []
    rows = await connection.query(_USED_PROPERTIES, {"keys": [key for _, key in hidden]})
    keys = {row["name"] for row in rows}
    [labels], [types] = [await connection.query(text, {}) for text in (_LABELS, _TYPES)]
    patterns = {type_: f"()-[x:{quote(type_)}]->()" for type_ in types["names"]}
    patterns |= {label: f"(x:{quote(label)})" for label in labels["names"]}
    found = []
    for owner, key in hidden:
        is_known = key in keys and (owner is None or owner in patterns)
        if not is_known or (owner is not None and not await _has(connection, patterns[owner], key)):
            found.append(key if owner is None else f"{owner}.{key}")
    return found


async def _has(connection: Connection, pattern: str, key: str) -> bool:
    """Return whether a node or relationship has a property; also if the search takes too long."""
    try:
        return bool(
            await connection.query(f"MATCH {pattern} WHERE x[$key] IS NOT NULL RETURN 1 AS one LIMIT 1", {"key": key})
        )
    except QueryTimeoutError:
        return True
