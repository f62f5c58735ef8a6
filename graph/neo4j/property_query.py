"""Read the properties of many labels or relationship types at once, with samples of their values."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from neo4j.time import Date, DateTime, Duration

from graph.neo4j.connection import Connection, QueryTimeoutError, Row
from graph.neo4j.copies import OWN_PROPERTIES
from graph.neo4j.cypher_text import quote
from graph.neo4j.durations import stored_duration
from graph.neo4j.points import PARTS, SRID
from graph.neo4j.settings import Neo4jSettings
from graph.plan.content_types import Content, content_of, fits
from graph.plan.reading_detection import TextContent, Unread
from graph.plan.schema import LeftOutValues, PropertySchema
from graph.plan.scope import DATES
from graph.plan.text_functions import is_date_outside
from graph.plan.text_readings import TextReading
from graph.plan.values import Value, ValueType, as_utc

# Different values that are read per property.
_MAX_VALUES, _MAX_SAMPLES = 300, 20
# Neo4j takes milliseconds to read one vector, so a few nodes show which properties hold vectors.
_MAX_FIRST = 50
# Where values are so large that the sample cannot be read in time, a smaller one is.
_SMALLER_SAMPLES = (1_000, 50)
_SECONDS_PER_SAMPLE = 8.0
# Longer lists of numbers are vectors, and longer texts are documents or encoded files.
_MAX_NUMBERS, _MAX_ITEMS, _MAX_CHARACTERS = 100, 1_000, 10_000
# Longer values are truncated, so that the database and the client never hold all texts of a sample.
_MAX_VALUE = 1_000

# {kinds} stands for the labels of a node, or for the type of a relationship, and {owners} for those that are read.
_VISIBLE = "NOT key IN $own AND NOT key IN $hidden AND NOT any(kind IN {kinds} WHERE [kind, key] IN $hidden_pairs)"
_SHAPES = f"""
WITH x LIMIT $most UNWIND {{owners}} AS owner UNWIND keys(x) AS key
WITH x, owner, key WHERE {_VISIBLE}
WITH owner, key, x[key] AS value
RETURN owner, key, valueType(value) AS type, count(*) AS count, percentileDisc(
    CASE WHEN value IS :: STRING NOT NULL OR value IS :: LIST<ANY> NOT NULL THEN size(value) END, 0.5) AS size
ORDER BY owner, key, type
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
WITH x LIMIT $most UNWIND {{owners}} AS owner UNWIND $keys[owner] AS key
WITH x, owner, key WHERE {_VISIBLE}
WITH owner, key, x[key] AS value
WITH owner, key, {_READABLE} AS value WHERE value IS NOT NULL
WITH owner, key, value, count(*) AS count ORDER BY count DESC, toStringOrNull(value)
WITH owner, key, collect(value) AS values, toFloat(count(*)) / sum(count) AS distinct
RETURN owner, key, distinct, values[..$samples] + [
    place IN range($samples, size(values) - 1, 1 + size(values) / $values) | values[place]] AS values
"""
# Other systems than that of points with a longitude and a latitude have no parts that plans know.
_POINTS = f"""
WITH x LIMIT $most UNWIND {{owners}} AS owner UNWIND $keys[owner] AS key
WITH x, owner, key WHERE {_VISIBLE}
WITH owner, key, x[key] AS value WHERE value IS :: POINT NOT NULL
WITH owner, key, collect(DISTINCT value.srid) AS systems, count(*) AS count WHERE systems = [{SRID}]
RETURN owner, key, count
"""
_ITEM_TYPE = re.compile(r"LIST<(.*?)(?: NOT NULL)?>")
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

Properties = dict[str, PropertySchema]


@dataclass(frozen=True, slots=True)
class Owners:
    """Choose what to read the properties of: labels, relationship types, or the nodes that `unlabelled` matches."""

    names: tuple[str, ...]
    are_types: bool = False
    unlabelled: str | None = None

    def query(self, text: str) -> str:
        """Complete a query about the nodes or relationships `x`, each of which has one owner or several."""
        names = "|".join(map(quote, self.names))
        if self.unlabelled:
            match, owners, kinds = self.unlabelled, "$owners", "labels(x)"
        elif self.are_types:
            match, owners, kinds = f"MATCH ()-[x:{names}]->()", "[type(x)]", "[type(x)]"
        else:
            match, owners, kinds = f"MATCH (x:{names})", "[kind IN labels(x) WHERE kind IN $owners]", "labels(x)"
        return f"{match} {text.replace('{owners}', owners).replace('{kinds}', kinds)}"


@dataclass(slots=True)
class _Shape:
    """Collect the types of one property, and the number and the size of its values."""

    types: set[ValueType] = field(default_factory=set)
    count: int = 0
    durations: int = 0
    has_vectors: bool = False
    problem: str | None = None


_Shapes = Mapping[str, dict[str, _Shape]]
"""Shapes by owner and key."""


class PropertyReader:
    """Read properties, except hidden ones, and keep what is left out in `omitted` and `left_out`."""

    def __init__(self, connection: Connection, settings: Neo4jSettings) -> None:
        self.omitted: list[str] = []
        self.left_out: list[LeftOutValues] = []
        self._connection = connection
        hidden = settings.hidden_properties
        self._hidden = {
            "own": OWN_PROPERTIES,
            "hidden": [key for label, key in hidden if not label],
            "hidden_pairs": [[label, key] for label, key in hidden if label],
        }

    async def read(self, owners: Owners, counts: Mapping[str, int], most: int) -> dict[str, Properties]:
        """Describe the properties of each owner, which `counts` nodes or relationships have.

        Reads the first `most` of them: all of them, unless there is a single owner.
        """
        try:
            return await self._sampled(owners, counts, most)
        except QueryTimeoutError:
            if len(owners.names) == 1:
                return await self._smaller(owners, counts)
        found: dict[str, Properties] = {}
        for name in owners.names:
            found |= await self.read(replace(owners, names=(name,)), counts, most)
        return found

    async def _smaller(self, owners: Owners, counts: Mapping[str, int]) -> dict[str, Properties]:
        for most in _SMALLER_SAMPLES:
            try:
                return await self._sampled(owners, counts, most)
            except QueryTimeoutError:
                continue
        [name] = owners.names
        self.omitted.append(f"{name or 'nodes without labels'} (the properties are too large to be read in time)")
        return {name: {}}

    async def _sampled(self, owners: Owners, counts: Mapping[str, int], most: int) -> dict[str, Properties]:
        """Describe the properties of the first `most` nodes or relationships."""
        common = {"most": most, "owners": list(owners.names), **self._hidden}
        vectors = await self._vectors(owners, common)
        common["own"] = [*OWN_PROPERTIES, *vectors]
        shapes = _shapes(owners, await self._query(owners.query(_SHAPES), **common))
        shapes[owners.names[0]].update(vectors)
        # A sample is scaled up to all nodes.
        scales = {name: max(1.0, counts[name] / most) for name in owners.names}
        parts = await self._points(owners, shapes, scales, common)
        usable = {name: sorted(key for key, one in of.items() if not one.problem) for name, of in shapes.items()}
        limits = {"longest": _MAX_VALUE, "samples": _MAX_SAMPLES, "values": _MAX_VALUES}
        text = owners.query(_VALUES)
        rows = await self._query(text, keys=usable, **limits, **common) if any(usable.values()) else []
        values = {(row["owner"], row["key"]): row for row in rows}
        return {
            name: parts[name] | self._described(name, of, {key: values.get((name, key)) for key in of}, scales[name])
            for name, of in shapes.items()
        }

    async def _vectors(self, owners: Owners, common: Mapping[str, Any]) -> dict[str, _Shape]:
        """Return the properties of a single owner that hold vectors in the first nodes or relationships."""
        if len(owners.names) > 1:
            return {}
        first = await self._query(owners.query(_SHAPES), **{**common, "most": min(common["most"], _MAX_FIRST)})
        [shapes] = _shapes(owners, first).values()
        return {key: shape for key, shape in shapes.items() if shape.has_vectors}

    def _described(
        self, owner: str, shapes: Mapping[str, _Shape], rows: Mapping[str, Row | None], scale: float
    ) -> Properties:
        """Describe the properties of one owner; there is no row where no value could be read."""
        values = {key: list(row["values"]) if row else [] for key, row in rows.items()}
        found = {key: _property(key, shapes[key], rows[key], scale) for key in sorted(rows) if not shapes[key].problem}
        for key in found:
            # In Cypher, a byte array looks like a list of integers.
            if any(isinstance(value, bytes) for value in values[key]):
                shapes[key].problem = "byte arrays"
        self.left_out += (
            LeftOutValues(owner, key, 0, 0)
            for key, one in found.items()
            if any(_is_unreadable(value, one) for value in values[key])
        )
        self.omitted += (f"{owner}.{key} ({shape.problem})" for key, shape in shapes.items() if shape.problem)
        return {key: one for key, one in found.items() if not shapes[key].problem}

    async def _points(
        self, owners: Owners, shapes: _Shapes, scales: Mapping[str, float], common: Mapping[str, Any]
    ) -> dict[str, Properties]:
        """Describe the parts of points, and take the points themselves out of `shapes`."""
        keys = {
            name: [key for key, shape in of.items() if shape.problem == _IS_POINT and not shape.types]
            for name, of in shapes.items()
        }
        rows = await self._query(owners.query(_POINTS), keys=keys, **common) if any(keys.values()) else []
        parts: dict[str, Properties] = {name: {} for name in owners.names}
        for row in rows:
            owner, key = row["owner"], row["key"]
            del shapes[owner][key]
            count = round(row["count"] * scales[owner])
            one = PropertySchema(frozenset((ValueType.FLOAT,)), ValueType.FLOAT, count)
            parts[owner] |= {f"{key}.{part}": one for part in PARTS}
        return parts

    async def _query(self, text: str, **parameters: Any) -> list[Row]:
        return await self._connection.query(text, parameters, _SECONDS_PER_SAMPLE)


def _shapes(owners: Owners, rows: Sequence[Row]) -> _Shapes:
    """Return the types of each property, and why plans cannot use it, if so."""
    shapes: dict[str, dict[str, _Shape]] = {name: defaultdict(_Shape) for name in owners.names}
    for row in rows:
        shape = shapes[row["owner"]][row["key"]]
        shape.count += row["count"]
        name, size = row["type"].removesuffix(" NOT NULL"), row["size"] or 0
        if item := _ITEM_TYPE.match(name):
            shape.types.add(ValueType.LIST)
            shape.has_vectors |= item[1] in {"INTEGER", "FLOAT"} and size > _MAX_NUMBERS
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
    content = _of_sample(content_of(key, values))
    type_ = next(iter(shape.types)) if not values and len(shape.types) == 1 else content.type
    distinct = row["distinct"] if row else 1.0
    samples = tuple(values[:_MAX_SAMPLES])
    count = round(shape.count * scale)
    return PropertySchema(
        frozenset(shape.types),
        type_,
        count,
        distinct,
        samples,
        holds_durations=shape.durations > 0,
        mixes_durations=0 < shape.durations < shape.count,
        reading=content.reading,
        unread=content.unread,
    )


def _of_sample(content: Content) -> Content:
    """Return what all values are of which a sample has this content.

    Separators between thousands are only removed where all values have been seen, because `1,25` would be 125.
    """
    if content.reading in (TextReading.COMMA_GROUPS, TextReading.POINT_GROUPS):
        return Content(ValueType.STRING, TextContent(unread=Unread.NO_READING))
    return content


def _is_unreadable(value: Any, described: PropertySchema) -> bool:
    """Return whether plans read a value of a property as missing."""
    content = described.content
    return (content in DATES and is_date_outside(value)) or not fits(value, content, described.reading)


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
