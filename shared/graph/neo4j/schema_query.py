"""Read the schema of a Neo4j database, with bounded queries that need only the right to read."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from neo4j.time import Date, DateTime, Duration

from shared.errors import RefusedError
from shared.graph.neo4j.connection import Connection, QueryTimeoutError, Row
from shared.graph.neo4j.copies import ENTITY_LABEL, OWN_LABELS, OWN_PROPERTIES
from shared.graph.neo4j.cypher_text import quote
from shared.graph.neo4j.durations import stored_duration
from shared.graph.neo4j.points import PARTS, SRID
from shared.graph.neo4j.settings import Neo4jSettings
from shared.plan.content_types import content_type, fits
from shared.plan.naming import choose_name_property
from shared.plan.schema import GraphSchema, KindSchema, LeftOutValues, PropertySchema, RelationshipSchema
from shared.plan.scope import DATES
from shared.plan.text_functions import is_date_outside
from shared.plan.values import Value, ValueType, as_utc

_SECONDS_PER_QUERY = 20.0
# Nodes and relationships that are read per label and type, and different values per property.
_MAX_SAMPLED, _MAX_VALUES, _MAX_SAMPLES = 20_000, 300, 20
# Where values are so large that the sample cannot be read in time, a smaller one is.
_SMALLER_SAMPLES = (1_000, 50)
_SECONDS_PER_SAMPLE = 8.0
# Longer lists of numbers are vectors, and longer texts are documents or encoded files.
_MAX_NUMBERS, _MAX_ITEMS, _MAX_CHARACTERS = 100, 1_000, 10_000
# Longer values are truncated, so that the database and the client never hold all texts of a sample.
_MAX_VALUE = 1_000
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
# {kinds} stands for the labels of a node, or for the type of a relationship.
_VISIBLE = "NOT key IN $own AND NOT key IN $hidden AND NOT any(kind IN {kinds} WHERE [kind, key] IN $hidden_pairs)"
_SHAPES = f"""
WITH x LIMIT $most UNWIND keys(x) AS key
WITH x, key WHERE {_VISIBLE}
WITH key, x[key] AS value
RETURN key, valueType(value) AS type, count(*) AS count, percentileDisc(
    CASE WHEN value IS :: STRING NOT NULL OR value IS :: LIST<ANY> NOT NULL THEN size(value) END, 0.5) AS size
ORDER BY key, type
"""
# Python has no years beyond 9999, and a time zone may move a datetime to another year.
_READABLE = """CASE
    WHEN value IS :: STRING NOT NULL THEN left(value, $longest)
    WHEN value IS :: DATE NOT NULL OR value IS :: LOCAL DATETIME NOT NULL OR value IS :: ZONED DATETIME NOT NULL
        THEN CASE WHEN 1 < value.year < 9999 THEN value END
    WHEN value IS :: LIST<ANY> NOT NULL THEN CASE WHEN size(value) <= $longest THEN value END
    ELSE value END"""
# All frequent values, and then every nth value, because values that occur once are in alphabetical order.
_VALUES = f"""
WITH x LIMIT $most UNWIND $keys AS key
WITH x, key WHERE {_VISIBLE}
WITH key, x[key] AS value
WITH key, {_READABLE} AS value WHERE value IS NOT NULL
WITH key, value, count(*) AS count ORDER BY count DESC, toStringOrNull(value)
WITH key, collect(value) AS values, toFloat(count(*)) / sum(count) AS distinct
RETURN key, distinct, values[..$samples] + [
    place IN range($samples, size(values) - 1, 1 + size(values) / $values) | values[place]] AS values
"""
# Other systems than that of points with a longitude and a latitude have no parts that plans know.
_POINTS = f"""
WITH x LIMIT $most UNWIND $keys AS key
WITH x, key WHERE {_VISIBLE}
WITH key, x[key] AS value WHERE value IS :: POINT NOT NULL
WITH key, collect(DISTINCT value.srid) AS systems, count(*) AS count WHERE systems = [{SRID}]
RETURN key, count
"""
_OF_NODES, _OF_RELATIONSHIPS = "labels(x)", "[type(x)]"
_ITEM_TYPE = re.compile(r"LIST<(.*?)(?: NOT NULL)?>")
_SAMPLED_ENDS = """
WITH a, b LIMIT $most RETURN DISTINCT [label IN labels(a) WHERE NOT label IN $own_labels] AS sources,
    [label IN labels(b) WHERE NOT label IN $own_labels] AS targets
"""
_IS_POINT = "values of type point"

_TYPE_NAMES = {
    "BOOLEAN": ValueType.BOOLEAN,
    "INTEGER": ValueType.INTEGER,
    "FLOAT": ValueType.FLOAT,
    "STRING": ValueType.STRING,
    "DATE": ValueType.DATE,
    "LOCAL DATETIME": ValueType.DATETIME,
    "ZONED DATETIME": ValueType.DATETIME,
    "DURATION": ValueType.STRING,
}


async def read_schema(connection: Connection, settings: Neo4jSettings) -> GraphSchema:
    """Describe the labels, relationship types, and properties of a database, except hidden properties.

    Counts are exact, except that of nodes without labels in a large database. Types, samples, and distinctness come
    from the first 20,000 nodes of each label. Raises DependencyError if the database does not respond.
    """
    return await _SchemaReader(connection, settings).read()


@dataclass(slots=True)
class _Shape:
    """Collect the types of one property, and the number and the size of its values."""

    types: set[ValueType] = field(default_factory=set)
    count: int = 0
    durations: int = 0
    problem: str | None = None


class _SchemaReader:
    def __init__(self, connection: Connection, settings: Neo4jSettings) -> None:
        self._connection = connection
        self._settings = settings
        self._omitted: list[str] = []
        self._left_out: list[LeftOutValues] = []
        self._types = 0
        hidden = settings.hidden_properties
        self._hidden = {
            "own": OWN_PROPERTIES,
            "hidden": [key for label, key in hidden if not label],
            "hidden_pairs": [[label, key] for label, key in hidden if label],
        }

    async def read(self) -> GraphSchema:
        found = [row["label"] for row in await self._query(_LABELS)]
        labels = [label for label in found if label not in OWN_LABELS]
        types = [row["type"] for row in await self._query(_TYPES)]
        self._types = len(types)
        unique = defaultdict(set)
        for row in await self._constraints():
            unique[row["label"]].add(row["key"])
        kinds = {label: await self._kind(label, unique[label]) for label in labels}
        kinds = {label: kind for label, kind in kinds.items() if kind.count}
        kinds |= await self._unlabelled(sum(kind.count for kind in kinds.values()))
        relationships = {type_: await self._relationship(type_, list(kinds)) for type_ in types}
        relationships = {type_: one for type_, one in relationships.items() if one.count}
        left_out = tuple(self._left_out)
        return GraphSchema(kinds, relationships, tuple(self._omitted), self._settings.hidden, left_out)

    async def _unlabelled(self, labelled: int) -> dict[str, KindSchema]:
        """Describe the nodes without labels as the kind `""`, if there are any; `labelled` is the sum over all labels.

        In a large database, nodes with several labels may hide some of them from the count.
        """
        # The database remembers the labels of deleted nodes, so the label of copies alone says nothing.
        [copies] = await self._query(f"MATCH (x:{ENTITY_LABEL}) RETURN count(x) AS count")
        match, least = (_UNLABELLED_COPIES, 0) if copies["count"] else (_UNLABELLED, await self._total() - labelled)
        [found] = await self._query(f"{match} RETURN count(x) AS count")
        count = max(found["count"], least)
        properties = await self._properties("", match, _OF_NODES, count) if count else {}
        return {"": KindSchema(count, properties)} if properties else {}

    async def _total(self) -> int:
        [counted] = await self._query("MATCH (n) RETURN count(n) AS count")
        return int(counted["count"])

    async def _constraints(self) -> list[Row]:
        """Return the properties that are unique, or none if the user may not see constraints."""
        try:
            return await self._query(_UNIQUE)
        except RefusedError:
            return []

    async def _query(self, text: str, seconds: float = _SECONDS_PER_QUERY, **parameters: Any) -> list[Row]:
        common = {"most": _MAX_SAMPLED, "own_labels": OWN_LABELS}
        return await self._connection.query(text, common | parameters, seconds)

    async def _kind(self, label: str, unique: Collection[str]) -> KindSchema:
        [counted] = await self._query(f"MATCH (n:{quote(label)}) RETURN count(n) AS count")
        properties = await self._properties(label, f"MATCH (x:{quote(label)})", _OF_NODES, counted["count"])
        name = self._settings.chosen_names.get(label)
        if name not in properties:
            name = choose_name_property(label, counted["count"], properties, unique)
        return KindSchema(counted["count"], properties, name)

    async def _relationship(self, type_: str, labels: Sequence[str]) -> RelationshipSchema:
        [counted] = await self._query(f"MATCH ()-[r:{quote(type_)}]->() RETURN count(r) AS count")
        count = counted["count"]
        properties = await self._properties(type_, f"MATCH ()-[x:{quote(type_)}]->()", _OF_RELATIONSHIPS, count)
        ends = await self._ends(type_, count, labels)
        return RelationshipSchema(count, frozenset(ends), properties)

    async def _ends(self, type_: str, count: int, labels: Sequence[str]) -> set[tuple[str, str]]:
        """Return the pairs of labels that a type connects; for many relationships, also some that it may connect."""
        if list(labels) == [""]:
            return set()
        if count <= _MAX_SAMPLED or len(labels) * self._types > _MAX_PAIRS:
            rows = await self._query(f"MATCH (a)-[:{quote(type_)}]->(b) {_SAMPLED_ENDS}")
            return {(a, b) for row in rows for a in row["sources"] or [""] for b in row["targets"] or [""]}
        # The database keeps these counts, so it reads no relationships.
        sources = [one for one in labels if not one or await self._has(f"(:{quote(one)})-[:{quote(type_)}]->()")]
        targets = [one for one in labels if not one or await self._has(f"()-[:{quote(type_)}]->(:{quote(one)})")]
        return {(source, target) for source in sources for target in targets}

    async def _has(self, pattern: str) -> bool:
        [row] = await self._query(f"MATCH {pattern} RETURN count(*) > 0 AS found")
        return bool(row["found"])

    async def _properties(self, owner: str, match: str, kinds: str, count: int) -> dict[str, PropertySchema]:
        """Describe the properties of the nodes or relationships `x`; `kinds` is their labels or type in Cypher."""
        for most in (_MAX_SAMPLED, *_SMALLER_SAMPLES):
            try:
                return await self._sampled(owner, match, kinds, count, most)
            except QueryTimeoutError:
                continue
        self._omitted.append(f"{owner or 'nodes without labels'} (the properties are too large to be read in time)")
        return {}

    async def _sampled(self, owner: str, match: str, kinds: str, count: int, most: int) -> dict[str, PropertySchema]:
        """Describe the properties of the first `most` nodes or relationships."""
        common = {"most": most, **self._hidden}
        text = f"{match} {_SHAPES}".replace("{kinds}", kinds)
        shapes = self._shapes(await self._query(text, _SECONDS_PER_SAMPLE, **common))
        # A sample is scaled up to all nodes.
        scale = max(1.0, count / most)
        parts = await self._points(f"{match} {_POINTS}".replace("{kinds}", kinds), shapes, scale, **common)
        usable = sorted(key for key, shape in shapes.items() if not shape.problem)
        limits = {"longest": _MAX_VALUE, "samples": _MAX_SAMPLES, "values": _MAX_VALUES}
        text = f"{match} {_VALUES}".replace("{kinds}", kinds)
        rows = await self._query(text, _SECONDS_PER_SAMPLE, keys=usable, **limits, **common) if usable else []
        values = {row["key"]: row for row in rows}
        found = {key: _property(key, shapes[key], values.get(key), scale) for key in usable}
        for key in usable:
            # In Cypher, a byte array looks like a list of integers.
            if any(isinstance(value, bytes) for value in values.get(key, {}).get("values", ())):
                shapes[key].problem = "byte arrays"
        self._left_out += (
            LeftOutValues(owner, key, 0, 0)
            for key, one in found.items()
            if any(_is_unreadable(value, one.content) for value in values.get(key, {}).get("values", ()))
        )
        self._omitted += (f"{owner}.{key} ({shape.problem})" for key, shape in shapes.items() if shape.problem)
        return parts | {key: one for key, one in found.items() if not shapes[key].problem}

    async def _points(
        self, text: str, shapes: dict[str, _Shape], scale: float, **common: Any
    ) -> dict[str, PropertySchema]:
        """Describe the parts of points, and take the points themselves out of `shapes`."""
        keys = [key for key, shape in shapes.items() if shape.problem == _IS_POINT and not shape.types]
        rows = await self._query(text, _SECONDS_PER_SAMPLE, keys=keys, **common) if keys else []
        parts: dict[str, PropertySchema] = {}
        for row in rows:
            del shapes[row["key"]]
            one = PropertySchema(frozenset((ValueType.FLOAT,)), ValueType.FLOAT, round(row["count"] * scale))
            parts |= {f"{row['key']}.{part}": one for part in PARTS}
        return parts

    def _shapes(self, rows: Sequence[Row]) -> dict[str, _Shape]:
        """Return the types of each property, and why plans cannot use it, if so."""
        shapes: dict[str, _Shape] = defaultdict(_Shape)
        for row in rows:
            shape = shapes[row["key"]]
            shape.count += row["count"]
            name, size = row["type"].removesuffix(" NOT NULL"), row["size"] or 0
            if item := _ITEM_TYPE.match(name):
                shape.types.add(ValueType.LIST)
                shape.problem = shape.problem or _problem_of_list(item[1], size)
            elif name in _TYPE_NAMES:
                shape.types.add(_TYPE_NAMES[name])
                shape.durations += row["count"] if name == "DURATION" else 0
                if size > _MAX_CHARACTERS:
                    shape.problem = f"texts of {size:,} characters"
            else:
                shape.problem = f"values of type {name.lower()}"
        return shapes


def _problem_of_list(item: str, size: int) -> str | None:
    if item not in {*_TYPE_NAMES, "NOTHING"} - {"DURATION"}:
        return f"lists of type {item.lower()}"
    if item in {"INTEGER", "FLOAT"} and size > _MAX_NUMBERS:
        return f"lists of {size:,} numbers"
    return f"lists of {size:,} items" if size > _MAX_ITEMS else None


def _property(key: str, shape: _Shape, row: Mapping[str, Any] | None, scale: float) -> PropertySchema:
    """Describe a property; there is no row if no value could be read."""
    values = [_value(value) for value in row["values"]] if row else []
    content = content_type(key, values)
    if not values and len(shape.types) == 1:
        [content] = shape.types
    distinct = row["distinct"] if row else 1.0
    samples = tuple(values[:_MAX_SAMPLES])
    count = round(shape.count * scale)
    return PropertySchema(
        frozenset(shape.types),
        content,
        count,
        distinct,
        samples,
        holds_durations=shape.durations > 0,
        mixes_durations=0 < shape.durations < shape.count,
    )


def _is_unreadable(value: Any, content: ValueType | None) -> bool:
    """Return whether plans read a value of a property with this content as missing."""
    return (content in DATES and is_date_outside(value)) or not fits(value, content)


def _value(value: Any) -> Value:
    match value:
        case DateTime():
            return as_utc(value.to_native())
        case Date():
            return value.to_native()
        case list():
            return tuple(map(_value, value))
        case Duration():
            return stored_duration(value)
    return value
