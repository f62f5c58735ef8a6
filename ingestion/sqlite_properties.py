"""Write the kinds and properties of a property graph to a graph file, and describe them as a schema."""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, groupby
from typing import Any, Protocol

import numpy as np

from graph.plan.content_types import Content, content_of, fits
from graph.plan.durations import DurationText, duration_in
from graph.plan.naming import choose_name_property
from graph.plan.schema import GraphSchema, KindSchema, LeftOutValues, PropertySchema, RelationshipSchema
from graph.plan.scope import DATES
from graph.plan.text_functions import date_in, datetime_in, integer_in, is_date_outside, number_in
from graph.plan.text_readings import TextReading
from graph.plan.values import Value, ValueType
from graph.sqlite.schema import ENTITY_NAME, NODES_BY_LABEL, NODES_BY_VALUE
from graph.sqlite.values import Stored, decode, encode
from ingestion.property_sampler import PropertySampler
from ingestion.sqlite_tables import Integers, Triples

_BATCH = 50_000
_MAX_SAMPLES = 20
_MAX_SAMPLED = 5_000

_FEW = 50
_FEW_REPEATED = 0.05
_Converter = Callable[[str], Value]
_LITERALS: dict[ValueType | None, _Converter] = {
    ValueType.INTEGER: integer_in,
    ValueType.FLOAT: number_in,
    ValueType.DATE: date_in,
    ValueType.DATETIME: datetime_in,
}

_Row = tuple[int, int, Stored]


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...


def _content(key: str, texts: Collection[str], dates: TextReading | None) -> tuple[Content, _Converter | None]:
    """Return what the texts of a relation are, and what reads them as values of a property, if they are some.

    A text such as `2 hours` among durations is a mistake, unless such texts are more than a third.
    """
    durations = sum(duration_in(text) is not None for text in texts)
    if durations and 2 * (len(texts) - durations) <= durations:
        return Content(ValueType.STRING), _duration_text
    content = content_of(key, texts, dates)
    return content, str if content.reading is not None else _LITERALS.get(content.type)


def _may_be_values(content: Content, convert: _Converter | None) -> bool:
    return convert is not None or content.unread is not None


def _duration_text(text: str) -> DurationText | None:
    return DurationText(text) if duration_in(text) is not None else None


class _Samples(dict[tuple[str, str], PropertySampler]):
    """Map owners and keys to samplers, and make them as needed."""

    def __init__(self, dates: TextReading | None) -> None:
        super().__init__()
        self._dates = dates

    def __missing__(self, place: tuple[str, str]) -> PropertySampler:
        return self.setdefault(place, PropertySampler(place[1], self._dates))


class PropertyWriter:
    """Insert kinds and properties in batches, and collect what a schema needs."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        content: _Hash,
        name_properties: Mapping[str, str | None],
        dates: TextReading | None,
    ) -> None:
        """Write to the tables of `connection`, and update the hash of the graph's content.

        `name_properties` overrides the property that names the nodes of a kind. `dates` is the order of dates where two
        are possible.
        """
        self._dates = dates
        self._name_properties = name_properties
        self._connection = connection
        self._content = content
        self._labels: dict[str, int] = defaultdict(count(1).__next__)
        self._keys: dict[str, int] = defaultdict(count(1).__next__)
        self._omitted: list[str] = []
        self._left_out: Counter[tuple[str, str]] = Counter()
        # By owner and key, the first text that has no value, or because of which the others stay texts.
        self.examples: dict[tuple[str, str], str] = {}
        self._has_repeated_nodes = False
        self._label_rows: dict[tuple[int, int], None] = {}
        self._kinds_of: dict[int, set[str]] = defaultdict(set)
        self._node_rows: list[_Row] = []
        self._relationship_rows: list[_Row] = []
        self._node_samples, self._relationship_samples = _Samples(dates), _Samples(dates)
        self._of_relationships: list[tuple[int, Mapping[str, Value]]] = []

    def has_node(self, row: int) -> bool:
        """Return whether the node with this row id has been added."""
        return row in self._kinds_of

    @property
    def has_kinds(self) -> bool:
        """Return whether any node has a kind."""
        return bool(self._labels)

    def add_node(self, row: int, kinds: Collection[str], properties: Mapping[str, Value]) -> None:
        """Add kinds and properties to the node with this row id."""
        self._content.update(json.dumps([row, sorted(kinds), _for_hash(properties)]).encode())
        self._has_repeated_nodes |= self.has_node(row)
        self._add(row, kinds, properties)

    def _add(self, row: int, kinds: Collection[str], properties: Mapping[str, Value]) -> None:
        for kind in kinds:
            self._label_rows[self._labels[kind], row] = None
        self._kinds_of[row].update(kinds)
        for key, value in properties.items():
            stored = encode(value)
            self._node_rows.append((row, self._keys[key], stored))
            for kind in self._kinds_of[row] or ("",):
                self._node_samples[kind, key].add(value, stored)
        if len(self._node_rows) >= _BATCH:
            self._flush()

    def leave_out(self, owners: Collection[str], keys: Iterable[str]) -> None:
        """Record that values of these properties are left out; the owners are kinds or a relationship type."""
        for key in keys:
            for owner in owners:
                self._left_out[owner, key] += 1

    def add_to_relationship(self, row: int, properties: Mapping[str, Value]) -> None:
        """Add properties to the relationship with this row id."""
        if properties:
            self._relationship_rows += ((row, self._keys[key], encode(value)) for key, value in properties.items())
            self._of_relationships.append((row, properties))
            self._content.update(json.dumps([row, _for_hash(properties)]).encode())
            if len(self._relationship_rows) >= _BATCH:
                self._flush()

    def add_literals(self, triples: Triples, relations: Sequence[str], names: Sequence[str], has_texts: bool) -> None:
        """Store the objects of relations that have only numbers, dates, or durations as properties of the subjects.

        If `has_texts`, objects without a kind and without facts of their own are texts, which become properties, too.
        The triples stay as they are. If few subjects have several objects, the property holds the first one, because
        numbers can be compared and lists cannot; otherwise, it holds lists. `names` holds the names of all entities in
        the order of row ids, which start at 1.
        """
        by_relation = np.argsort(triples.relations, kind="stable")
        are_values = np.ones(len(names) + 1, bool)
        are_values[triples.subjects] = False
        are_values[[row for row, kinds in self._kinds_of.items() if kinds]] = False
        begins = np.searchsorted(triples.relations[by_relation], np.arange(1, len(relations) + 2))
        for relation, key in enumerate(relations, 1):
            chosen = by_relation[begins[relation - 1] : begins[relation]]
            # Most relations can be rejected after a few names.
            few = [names[row - 1] for row in triples.objects[chosen[:_FEW]].tolist()]
            if key in self._keys or (not has_texts and not _may_be_values(*_content(key, few, self._dates))):
                continue
            rows = np.unique(triples.objects[chosen])
            objects = {row: names[row - 1] for row in rows.tolist()}
            content, convert = _content(key, objects.values(), self._dates)
            is_text = (has_texts or content.unread is not None) and are_values[rows].all()
            if convert is None and not is_text:
                continue
            convert = convert or str
            values = {row: convert(name) for row, name in objects.items()}
            found: dict[int, list[Value]] = defaultdict(list)
            pairs = zip(triples.subjects[chosen].tolist(), triples.objects[chosen].tolist(), strict=True)
            for subject, object_ in pairs:
                if values[object_] is not None:  # a number may need more than 64 bits
                    found[subject].append(values[object_])
                elif (
                    convert is _duration_text
                    or is_date_outside(objects[object_])
                    or not fits(objects[object_], content.type, content.reading)
                ):
                    owners = self._kinds_of.get(subject) or ("",)
                    self.leave_out(owners, (key,))
                    for owner in owners:
                        self.examples.setdefault((owner, key), objects[object_])
            repeated = sum(len(several) > 1 for several in found.values())
            has_lists = repeated > _FEW_REPEATED * len(found)
            if repeated and not has_lists:
                self._omitted.append(f"further values of {key} ({repeated:,} nodes have several; their facts remain)")
            for row, several in found.items():
                self._add(row, (), {key: tuple(several) if has_lists and len(several) > 1 else several[0]})

    def finish(self, triples: Triples, relations: Sequence[str], entities: int, has_names: bool) -> GraphSchema:
        """Write the rest, build the indexes, and return the schema.

        If `has_names`, nodes have names of their own, which do not come from their properties.
        """
        self._flush()
        rows = ((row, name) for name, row in self._labels.items())
        self._connection.executemany("INSERT INTO labels VALUES (?, ?)", rows)
        self._connection.executemany("INSERT INTO node_labels VALUES (?, ?)", sorted(self._label_rows))
        self._connection.execute(NODES_BY_VALUE)
        owners = dict(self._connection.execute("SELECT key, count(*) FROM node_properties GROUP BY key"))
        keys = ((row, name, owners.get(row, 0)) for name, row in self._keys.items())
        self._connection.executemany("INSERT INTO property_keys VALUES (?, ?, ?)", keys)
        self._connection.execute(NODES_BY_LABEL)
        relationships = self._relationship_schemas(triples, relations, entities)
        kinds = self._kind_schemas(entities, has_names)
        left_out = tuple(self._left_out_values(kinds, relationships))
        return GraphSchema(kinds, relationships, tuple(self._omitted), left_out=left_out)

    def _left_out_values(
        self, kinds: Mapping[str, KindSchema], relationships: Mapping[str, RelationshipSchema]
    ) -> Iterator[LeftOutValues]:
        """Yield the values of each property that plans cannot read: those left out, and texts with dates outside."""
        holders = (self._node_samples, kinds), (self._relationship_samples, relationships)
        outside: Counter[tuple[str, str]] = Counter()
        counts: dict[tuple[str, str], int] = {}
        for samples, described in holders:
            for (owner, key), sampler in samples.items():
                known = described[owner].properties[key]
                counts[owner, key] = known.count
                missing = sampler.misfits(known) + (sampler.outside if known.content in DATES else 0)
                outside[owner, key] += missing
                if (missing or known.unread is not None) and (example := sampler.example(known)) is not None:
                    self.examples.setdefault((owner, key), example)
        for owner, key in dict.fromkeys((*self._left_out, *+outside)):
            missing = self._left_out[owner, key]
            total = missing + counts.get((owner, key), 0)
            yield LeftOutValues(owner, key, missing + outside[owner, key], total)

    def counts(self) -> tuple[int, int]:
        """Return the number of property values of nodes, and of relationships."""
        [nodes] = self._connection.execute("SELECT count(*) FROM node_properties").fetchone()
        [relationships] = self._connection.execute("SELECT count(*) FROM relationship_properties").fetchone()
        return nodes, relationships

    def names(self, schema: GraphSchema, keys: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield the key and the name of each node that has a property for its name."""
        for kind, described in schema.kinds.items():
            if described.name_property not in self._keys:
                continue
            named = self._connection.execute(
                "SELECT entity, value FROM node_properties JOIN node_labels USING (entity) WHERE label = ? AND key = ?",
                (self._labels[kind], self._keys[described.name_property]),
            )
            for row, value in named:
                yield keys[row - 1], str(decode(value))

    def of_nodes(self, rows: Collection[int]) -> Iterator[tuple[int, dict[str, Value]]]:
        """Yield the properties of the nodes with these row ids."""
        if not rows:
            return
        found = self._connection.execute(
            "SELECT entity, name, value FROM node_properties JOIN property_keys ON id = key ORDER BY entity"
        )
        for row, values in groupby(found, key=lambda value: value[0]):
            if row in rows:
                yield row, {key: decode(value) for _, key, value in values}

    def _flush(self) -> None:
        statement = "INSERT OR REPLACE INTO {} VALUES (?, ?, ?)"
        self._connection.executemany(statement.format("node_properties"), self._node_rows)
        self._connection.executemany(statement.format("relationship_properties"), self._relationship_rows)
        self._node_rows.clear()
        self._relationship_rows.clear()

    def _kind_schemas(self, entities: int, has_names: bool) -> dict[str, KindSchema]:
        sizes = Counter(kind for kinds in self._kinds_of.values() for kind in kinds)
        unlabelled = entities - sum(1 for kinds in self._kinds_of.values() if kinds)
        sizes |= Counter({"": unlabelled})
        properties: dict[str, dict[str, PropertySchema]] = {kind: {} for kind in sizes}
        owners = self._owners() if self._has_repeated_nodes else {}
        for (kind, key), sampler in self._node_samples.items():
            described = sampler.schema()
            properties[kind][key] = replace(described, count=owners.get((kind, key), described.count))
        named = [kind for kind in properties if ENTITY_NAME not in self._keys and (has_names or not kind)]
        for kind in named:
            name = PropertySchema(frozenset((ValueType.STRING,)), ValueType.STRING, sizes[kind])
            properties[kind][ENTITY_NAME] = name
        return {
            kind: KindSchema(
                sizes[kind], found, ENTITY_NAME if kind in named else self._name_property(kind, sizes[kind], found)
            )
            for kind, found in properties.items()
        }

    def _owners(self) -> dict[tuple[str, str], int]:
        """Count the nodes of each kind that have each property."""
        kinds, keys = ({row: name for name, row in names.items()} for names in (self._labels, self._keys))
        counts = self._connection.execute(
            "SELECT label, key, count(*) FROM node_properties LEFT JOIN node_labels USING (entity) GROUP BY label, key"
        )
        return {(kinds.get(label, ""), keys[key]): number for label, key, number in counts}

    def _name_property(self, kind: str, count: int, found: Mapping[str, PropertySchema]) -> str | None:
        if not kind or self._name_properties.get(kind, "") is None:
            return None
        chosen = self._name_properties.get(kind)
        return chosen if chosen in found else choose_name_property(kind, count, found)

    def _relationship_schemas(
        self, triples: Triples, relations: Sequence[str], entities: int
    ) -> dict[str, RelationshipSchema]:
        properties: dict[str, dict[str, PropertySchema]] = {name: {} for name in relations}
        for row, held in self._of_relationships:
            place = np.searchsorted(triples.ids, row)
            name = relations[int(triples.relations[place]) - 1]
            for key, value in held.items():
                self._relationship_samples[name, key].add(value, encode(value))
        for (name, key), sampler in self._relationship_samples.items():
            properties[name][key] = sampler.schema()
        counts = np.bincount(triples.relations, minlength=len(relations) + 1).tolist()
        ends = self._ends(triples, entities)
        return {
            name: RelationshipSchema(counts[row], frozenset(ends[row]), properties[name])
            for row, name in enumerate(relations, 1)
        }

    def _ends(self, triples: Triples, entities: int) -> dict[int, set[tuple[str, str]]]:
        """Return the pairs of kinds that each relation connects."""
        found: dict[int, set[tuple[str, str]]] = defaultdict(set)
        if not self._labels:
            return found
        sets: dict[tuple[str, ...], int] = defaultdict(count(0).__next__)
        set_ids: Integers = np.zeros(entities + 1, np.int64)
        for row in range(1, entities + 1):
            set_ids[row] = sets[tuple(sorted(self._kinds_of.get(row, ())))]
        kinds = list(sets)
        packed = (triples.relations * len(sets) + set_ids[triples.subjects]) * len(sets) + set_ids[triples.objects]
        for number in np.unique(packed).tolist():
            rest, target = divmod(number, len(sets))
            relation, source = divmod(rest, len(sets))
            found[relation] |= {(s, t) for s in kinds[source] or ("",) for t in kinds[target] or ("",)}
        return found


def _for_hash(properties: Mapping[str, Value]) -> list[Any]:
    return [[key, repr(encode(value))] for key, value in sorted(properties.items())]
