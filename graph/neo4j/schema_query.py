"""Read the schema of a Neo4j database, with few and bounded queries that need only the right to read.

The database plans each query text, which takes longer than to run it on a few nodes. So labels with few nodes are read
together, and so are relationship types with few relationships.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graph.neo4j.connection import Connection, Row
from graph.neo4j.copies import ENTITY_LABEL, OWN_LABELS
from graph.neo4j.counts import MAX_TOGETHER, count_matches
from graph.neo4j.cypher_text import quote
from graph.neo4j.property_query import Owners, Properties, PropertyReader
from graph.neo4j.settings import Neo4jSettings
from graph.plan.naming import choose_name_property
from graph.plan.schema import GraphSchema, KindSchema, RelationshipSchema
from shared.errors import RefusedError

_SECONDS_PER_QUERY = 20.0
# Nodes and relationships that are read per label and type.
_MAX_SAMPLED = 20_000
# Labels and types with at most so many are read together, which are all of a sample.
_FEW = _MAX_SAMPLED // MAX_TOGETHER
# Nodes among which those without labels are searched; there is no index of them.
_MAX_SCANNED = 500_000
# With more pairs of label and type, the ends of types with many relationships come from a sample.
_MAX_PAIRS = 2_000

_LABELS = "CALL db.labels() YIELD label RETURN label ORDER BY label"
_TYPES = "CALL db.relationshipTypes() YIELD relationshipType AS type RETURN type ORDER BY type"
_UNIQUE = """
SHOW CONSTRAINTS YIELD type, entityType, labelsOrTypes, properties
WHERE type IN ["UNIQUENESS", "NODE_KEY"] AND entityType = "NODE" AND size(properties) = 1
RETURN labelsOrTypes[0] AS label, properties[0] AS key
"""
# In a copy of a graph file, all nodes have a label.
_UNLABELLED_COPIES = f"MATCH (x:{ENTITY_LABEL}) WHERE size(labels(x)) = 1"
_UNLABELLED = f"MATCH (x) WITH x LIMIT {_MAX_SCANNED} WHERE size(labels(x)) = 0"
_SAMPLED_ENDS = """
WITH type(r) AS type, a, b LIMIT $most RETURN DISTINCT type,
    [label IN labels(a) WHERE NOT label IN $own_labels] AS sources,
    [label IN labels(b) WHERE NOT label IN $own_labels] AS targets
"""


async def read_schema(connection: Connection, settings: Neo4jSettings) -> GraphSchema:
    """Describe the labels, relationship types, and properties of a database, except hidden properties.

    Counts are exact, except that of nodes without labels in a large database. Types, samples, and distinctness come
    from the first 20,000 nodes of each label. Raises DependencyError if the database does not respond.
    """
    return await _SchemaReader(connection, settings).read()


class _SchemaReader:
    def __init__(self, connection: Connection, settings: Neo4jSettings) -> None:
        self._connection = connection
        self._settings = settings
        self._properties = PropertyReader(connection, settings)

    async def read(self) -> GraphSchema:
        found = [row["label"] for row in await self._query(_LABELS)]
        labels = [label for label in found if label not in OWN_LABELS]
        types = [row["type"] for row in await self._query(_TYPES)]
        kinds = await self._kinds(await self._counts([f"(:{quote(label)})" for label in labels], labels))
        kinds |= await self._unlabelled(sum(kind.count for kind in kinds.values()))
        relationships = await self._relationships(
            await self._counts([f"()-[:{quote(type_)}]->()" for type_ in types], types), list(kinds)
        )
        omitted, left_out = self._properties.omitted, self._properties.left_out
        return GraphSchema(kinds, relationships, tuple(sorted(omitted)), self._settings.hidden, tuple(left_out))

    async def _counts(self, patterns: Sequence[str], names: Sequence[str]) -> dict[str, int]:
        """Return how often each pattern matches, by name; leave out those that never do."""
        counts = await count_matches(self._connection, patterns, _SECONDS_PER_QUERY)
        return {name: count for name, count in zip(names, counts, strict=True) if count}

    async def _kinds(self, counts: Mapping[str, int]) -> dict[str, KindSchema]:
        unique = defaultdict(set)
        for row in await self._constraints():
            unique[row["label"]].add(row["key"])
        kinds: dict[str, KindSchema] = {}
        for labels in _together(counts):
            found = await self._properties.read(Owners(labels), counts, _MAX_SAMPLED)
            for label, properties in found.items():
                name = self._settings.chosen_names.get(label)
                if name not in properties:
                    name = choose_name_property(label, counts[label], properties, unique[label])
                kinds[label] = KindSchema(counts[label], properties, name)
        return {label: kinds[label] for label in counts}

    async def _unlabelled(self, labelled: int) -> dict[str, KindSchema]:
        """Describe the nodes without labels as the kind `""`, if there are any; `labelled` is the sum over all labels.

        In a large database, nodes with several labels may hide some of them from the count.
        """
        # The database remembers the labels of deleted nodes, so the label of copies alone says nothing.
        [copies] = await self._query(f"MATCH (x:{ENTITY_LABEL}) RETURN count(x) AS count")
        match, least = (_UNLABELLED_COPIES, 0) if copies["count"] else (_UNLABELLED, await self._total() - labelled)
        [found] = await self._query(f"{match} RETURN count(x) AS count")
        if not (count := max(found["count"], least)):
            return {}
        read = await self._properties.read(Owners(("",), unlabelled=match), {"": count}, _MAX_SAMPLED)
        return {"": KindSchema(count, read[""])} if read[""] else {}

    async def _total(self) -> int:
        [counted] = await self._query("MATCH (n) RETURN count(n) AS count")
        return int(counted["count"])

    async def _constraints(self) -> list[Row]:
        """Return the properties that are unique, or none if the user may not see constraints."""
        try:
            return await self._query(_UNIQUE)
        except RefusedError:
            return []

    async def _relationships(self, counts: Mapping[str, int], labels: Sequence[str]) -> dict[str, RelationshipSchema]:
        relationships: dict[str, RelationshipSchema] = {}
        for types in _together(counts):
            found: Mapping[str, Properties] = await self._properties.read(
                Owners(types, are_types=True), counts, _MAX_SAMPLED
            )
            ends = await self._ends(types, counts, labels)
            relationships |= {
                type_: RelationshipSchema(counts[type_], frozenset(ends[type_]), properties)
                for type_, properties in found.items()
            }
        return {type_: relationships[type_] for type_ in counts}

    async def _ends(
        self, types: Sequence[str], counts: Mapping[str, int], labels: Sequence[str]
    ) -> dict[str, set[tuple[str, str]]]:
        """Return the pairs of labels that a type connects; for many relationships, also some that it may connect."""
        ends: dict[str, set[tuple[str, str]]] = {type_: set() for type_ in types}
        if list(labels) == [""]:
            return ends
        if counts[types[0]] > _MAX_SAMPLED and len(labels) * len(counts) <= _MAX_PAIRS:
            [type_] = types
            return {type_: await self._possible_ends(type_, labels)}
        pattern = f"MATCH (a)-[r:{'|'.join(map(quote, types))}]->(b)"
        for row in await self._query(f"{pattern} {_SAMPLED_ENDS}"):
            ends[row["type"]] |= {(a, b) for a in row["sources"] or [""] for b in row["targets"] or [""]}
        return ends

    async def _possible_ends(self, type_: str, labels: Sequence[str]) -> set[tuple[str, str]]:
        """Return all pairs of labels of a source and of a target; the database keeps their counts."""
        link, named = f"-[:{quote(type_)}]->", [label for label in labels if label]
        unlabelled = [label for label in labels if not label]
        sources = await self._counts([f"(:{quote(label)}){link}()" for label in named], named)
        targets = await self._counts([f"(){link}(:{quote(label)})" for label in named], named)
        return {(source, target) for source in (*sources, *unlabelled) for target in (*targets, *unlabelled)}

    async def _query(self, text: str, **parameters: Any) -> list[Row]:
        common = {"most": _MAX_SAMPLED, "own_labels": OWN_LABELS}
        return await self._connection.query(text, common | parameters, _SECONDS_PER_QUERY)


def _together(counts: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    """Yield the names to read together, all of whose nodes or relationships are read, and each of the others alone."""
    few = [name for name, count in counts.items() if count <= _FEW]
    for start in range(0, len(few), MAX_TOGETHER):
        yield tuple(few[start : start + MAX_TOGETHER])
    yield from ((name,) for name, count in counts.items() if count > _FEW)
