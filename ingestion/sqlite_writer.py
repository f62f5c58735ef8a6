"""Write a graph file from triples and names, which may arrive in any order."""

import hashlib
import json
import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np

from graph.plan.naming import is_internal_id, readable_value
from graph.plan.schema import GraphSchema, LeftOutValues
from graph.plan.text_readings import TextReading
from graph.plan.values import Value
from graph.sqlite.name_tables import write_names
from graph.sqlite.schema import (
    CONTENT,
    ENTITIES_BY_KEY,
    GRAPH,
    META,
    NAMES,
    PROPERTIES,
    TABLES_OF_PATTERNS,
)
from ingestion.case_variants import case_variants
from ingestion.column_reports import ColumnReport, column_reports
from ingestion.folded_strings import write_folded_strings
from ingestion.graph_counts import GraphCounts, kind_counts, without_kind
from ingestion.graph_meta import write_meta
from ingestion.held_relationships import HeldRelationship, HeldRelationships
from ingestion.long_texts import LongTexts
from ingestion.name_cleaning import NameCleaner
from ingestion.node_definitions import Earlier, Origin
from ingestion.node_ids import NodeIds, Place
from ingestion.rdf_properties import RdfProperties
from ingestion.rejections import Problems
from ingestion.relation_names import relation_names
from ingestion.source_lines import field_problem
from ingestion.sqlite_properties import PropertyWriter
from ingestion.sqlite_tables import Triples, characteristic_sets, degrees, distinct, write_triples
from ingestion.stated_kinds import may_state_kinds, stated_kinds

# The keys of IRIs, literals, and blank nodes begin with these.
_NO_NAMES = '<"_'


class GraphWriter:
    """Collect triples and names in memory, then write them.

    Each triple takes about 100 bytes of memory, in addition to the memory for each entity.
    """

    def __init__(
        self,
        file: Path,
        name_properties: Mapping[str, str | None] | None = None,
        dates: TextReading | None = None,
    ) -> None:
        """Create the file. It is complete only after `finish`.

        `name_properties` says which property names the nodes of a kind; None if no property does. For other kinds, and
        if no node of a kind has the property, the writer chooses one. `dates` is the order of dates where two are
        possible. Set `is_composed` if all texts have Unicode's composed form.
        """
        # Journaling is unnecessary, because the importer moves only complete files into place.
        self._connection = sqlite3.connect(file, isolation_level=None)
        for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -65536", "locking_mode = EXCLUSIVE"):
            self._connection.execute(f"PRAGMA {setting}")
        self._connection.execute("BEGIN")
        for statement in (META, *GRAPH, *PROPERTIES, *NAMES):
            self._connection.execute(statement)
        self.dates, self._content = dates, hashlib.sha256(f"{CONTENT}{f' {dates.value}' if dates else ''}".encode())
        self._entities: dict[str, int] = defaultdict(count(1).__next__)
        self._relations: dict[str, int] = defaultdict(count(1).__next__)
        self._labels: dict[str, list[tuple[int, str]]] = defaultdict(list)
        # Names for entities without labels. An entity without a default name either is named by its key.
        self.default_names: dict[str, str] = {}
        self.key_names: dict[str, str] = {}  # names of nodes that no property names
        self._aliases: dict[tuple[str, str], None] = {}
        # `_ends` holds the row ids of each triple's subject and object, and `_steps` the row id of its relation. Arrays
        # save memory.
        self._ends, self._steps = array("i"), array("i")
        self.is_composed = False
        self._properties = PropertyWriter(self._connection, self._content, name_properties or {}, dates)
        self._rdf_properties = RdfProperties()
        self._long_texts = LongTexts()
        self.ids = NodeIds()
        self._held = HeldRelationships()
        self.unstorable_literals = self.empty_literals = 0
        self.left_out: tuple[LeftOutValues, ...] = ()
        self.examples: Mapping[tuple[str, str], str] = {}
        self.columns: tuple[ColumnReport, ...] = ()
        self.untyped_columns: set[str] = set()  # of tables whose headers may declare types
        self._node_rows, self._separate = array("i"), array("i")  # of nodes, and of triples with properties
        self.keeps_repeated = False  # as relationships of property graphs, whose nodes properties name
        self._are_kinds_given = False
        self._blank_nodes = count(1)
        self.term_labels: Mapping[str, str] = {}  # names of relations whose keys are IRIs
        self.names = NameCleaner(self._is_known)

    def add_triple(self, subject: str, relation: str, object_: str) -> None:
        """Add a triple; equal strings denote the same entity."""
        self._ends.extend((self._entities[subject], self._entities[object_]))
        self._steps.append(self._relations[relation])

    def add_triples(self, fields: Sequence[str]) -> None:
        """Add many triples from one flat sequence: subject, relation, object, subject, and so on."""
        self.names.see(fields)
        ends = list(fields)
        del ends[1::3]
        self._ends.extend(map(self._entities.__getitem__, ends))
        self._steps.extend(map(self._relations.__getitem__, fields[1::3]))

    def add_described(self, subject: str, relation: str, literal: str, code: int) -> None:
        """Add a triple that also describes its subject; `code` is the number of the literal's type in CODES."""
        self._rdf_properties.add(len(self._steps), code)
        self.add_triple(subject, relation, literal)

    def add_fact(self, subject: str, relation: str, object_: str, properties: Mapping[str, Value]) -> None:
        """Add a triple with properties, which stays separate from equal triples."""
        self.add_triple(subject, relation, object_)
        self._separate.append(len(self._steps) - 1)
        self._properties.add_to_relationship(len(self._steps), properties)

    def add_kinds(self, entity: str, kinds: tuple[str, ...]) -> None:
        """Give an RDF resource all its kinds, at once; its properties stay as its triples define them."""
        self._rdf_properties.add_kinds(self._entities[entity], kinds)

    def add_text(self, subject: str, relation: str, text: str) -> None:
        """Add a text that is a property only; the subject has no other one for this relation."""
        self._long_texts.add(self._entities[subject], relation, text)

    def add_kind(self, entity: str, kind: str) -> None:
        """Give an entity a kind; its name and its properties stay as its triples define them."""
        self._are_kinds_given = True
        self.default_names[entity] = entity
        self._properties.add_node(self._entities[entity], (kind,), {})

    def add_node(self, key: str, kinds: Collection[str], properties: Mapping[str, Value]) -> None:
        """Add a node with kinds and typed properties; several calls for one key add to the same node."""
        row = self._entities[key]
        self._node_rows.append(row)
        self._properties.add_node(row, kinds, properties)

    def has_node(self, key: str) -> bool:
        """Return whether `add_node` has added this node; entities in triples do not count."""
        return key in self._entities and self._properties.has_node(self._entities[key])

    def define(self, key: str, origin: Origin, line: int) -> Earlier | None:
        """Record that a line defines a node, and return the line of the same group that defined it before, if any."""
        return self.ids.definitions.add(self._entities[key], key, origin, line)

    def add_relationship(self, source: str, type_: str, target: str, properties: Mapping[str, Value]) -> None:
        """Add a relationship between two nodes; equal relationships stay separate from now on."""
        self.keeps_repeated = True
        self.add_triple(source, type_, target)
        self._properties.add_to_relationship(len(self._steps), properties)

    def connect(self, source: str, type_: str, target: str, properties: Mapping[str, Value], place: Place) -> None:
        """Add a relationship, or hold it back if its nodes have not been added yet.

        All later relationships are held back as well, so that they stay in the order of the files.
        """
        if not self._held and self.has_node(source) and self.has_node(target):
            self.add_relationship(source, type_, target, properties)
        else:
            self._held.add(HeldRelationship(place, source, type_, target, properties))

    def leave_out(self, owners: Collection[str], key: str) -> None:
        """Record that a property lacks a value; the owners are the kinds of a node, or a relationship type."""
        self._properties.leave_out(owners, (key,))

    def add_held(self, problems: Problems) -> None:
        """Add the relationships held back, and reject those whose nodes are missing."""
        reported: set[str] = set()
        problems.count_relationships(len(self._steps) + len(self._held))
        for place, source, type_, target, properties in self._held:
            missing = next((key for key in (source, target) if not self.has_node(key)), None)
            if missing is None:
                self.add_relationship(source, type_, target, properties)
            elif (problem := self.ids.missing_node(missing)) and not (problems.is_strict and missing in reported):
                reported.add(missing)
                problems.reject_loose(place[1], "relationships whose nodes are missing", problem, place[0])

    def add_alias(self, entity: str, name: str) -> None:
        """Give an entity an additional name."""
        self._aliases[entity, name] = None
        self._content.update(f"{entity}\t\t{name}\n".encode())

    def add_label(self, entity: str, name: str, rank: int) -> None:
        """Name an entity; the first label with the lowest rank becomes its name, and the others become aliases."""
        self._content.update(f"{entity}\t{rank}\t{name}\n".encode())
        self._labels[entity].append((rank, name))

    def new_blank_node(self) -> str:
        """Return an entity key that is unique within this import."""
        return f"_:b{next(self._blank_nodes)}"

    def clean(self, name: str) -> str:
        """Return the form of a name that all names that look the same have; see `NameCleaner`."""
        return self.names.clean(name)

    def case_variants(self) -> list[tuple[str, ...]]:
        """Return the relations, and the entities that are named by facts, that differ only in case."""
        are_names = not self.keeps_repeated
        entities = [key for key in self._entities if key[0] not in _NO_NAMES] if are_names else []
        return case_variants(entities) + case_variants(relation_names(self._relations, self.term_labels))

    @property
    def is_empty(self) -> bool:
        """Return whether no triple and no node has been added."""
        return not self._entities

    def finish(self, omitted: Sequence[str] = ()) -> GraphCounts:
        """Write everything, build the indexes, and return the counts; `omitted` describes what the schema lacks."""
        read = len(self._steps)
        self._describe()
        short_names = relation_names(self._relations, self.term_labels)
        self._add_stated_kinds(short_names)
        triples = self._triples()
        if not self.keeps_repeated:
            self._properties.add_literals(triples, short_names, self._names(), self._are_kinds_given)
        schema = self._properties.finish(triples, short_names, len(self._entities), not self.keeps_repeated)
        schema = replace(schema, omitted=(*schema.omitted, *omitted), is_composed=self.is_composed)
        self._name_nodes(schema)
        relations = zip(self._relations.values(), short_names, strict=True)
        self._connection.executemany("INSERT INTO relations VALUES (?, ?)", relations)
        write_triples(self._connection, triples)
        names = self._names()
        degree = degrees(triples, len(names)).tolist()
        self._write_entities(names, degree, triples)
        write_folded_strings(self._connection)
        written = len(triples.ids)
        del triples  # the name tables need the memory
        aliases, unused = self._other_names(names)
        write_names(self._connection, list(self._entities), names, degree, aliases)
        kept = (written, len(names), len(self._relations), len(aliases))
        left_out = (read - written, unused, self.names.cleaned, self.unstorable_literals, self.empty_literals)
        values = self._properties.counts()
        counts = GraphCounts(*kept, *left_out, *values, without_kind(schema), kinds=kind_counts(schema))
        self.left_out, self.examples = schema.left_out, self._properties.examples
        self.columns = column_reports(schema, self.examples, self.untyped_columns)
        named = [*self._entities, "", *self._relations, *(f"{key}\t{name}" for key, name in self.term_labels.items())]
        self._content.update("\n".join(named).encode())
        write_meta(self._connection, self._content.hexdigest(), counts, schema)
        self._connection.execute("COMMIT")
        for table in TABLES_OF_PATTERNS:
            self._connection.execute(f"ANALYZE {table}")
        return counts

    def close(self) -> None:
        """Close the file, whether or not it is complete."""
        self._held.close()
        self._connection.close()

    def _is_known(self, name: str) -> bool:
        # RDF is written last, but its nodes have default names; the keys of literals are in quotes.
        return name in self._entities or name in self.default_names or f'"{name}"' in self.default_names

    def _describe(self) -> None:
        """Add the kinds and properties of RDF resources."""
        if self._rdf_properties.is_empty and not self._long_texts.relations:
            return
        keys = list(dict.fromkeys([*self._relations, *self._long_texts.relations]))
        names = dict(zip(keys, relation_names(keys, self.term_labels), strict=True))
        ends, steps = np.array(self._ends, np.int64).reshape(-1, 2), np.array(self._steps, np.int64)
        described = self._rdf_properties.nodes(ends, steps, list(self._entities), list(names.values()))
        for row, kinds, properties, left_out in described:
            properties = self._long_texts.properties_of(row, names, properties)
            self._properties.add_node(row, kinds, properties)
            self._properties.leave_out(kinds or ("",), left_out)
        for row in self._long_texts.subjects():
            self._properties.add_node(row, (), self._long_texts.properties_of(row, names, {}))

    def _add_stated_kinds(self, relations: Sequence[str]) -> None:
        """Give entities the kinds that plain facts state, unless some have kinds already."""
        if self.keeps_repeated or self._properties.has_kinds or not any(map(may_state_kinds, relations)):
            return
        subjects, objects = np.array(self._ends, np.int64).reshape(-1, 2).T
        places = stated_kinds(subjects, np.array(self._steps, np.int64), objects, relations)
        keys = list(self._entities)
        for subject, kind in zip(subjects[places].tolist(), objects[places].tolist(), strict=True):
            self.add_kind(keys[subject - 1], keys[kind - 1])

    def _name_nodes(self, schema: GraphSchema) -> None:
        """Name nodes by their properties, which may contain line breaks; RDF resources keep their names."""
        for key, value in self._properties.names(schema, list(self._entities)):
            name = self.clean(" ".join(value.split()))
            if field_problem("name", name) is None:
                self.default_names.setdefault(key, name)
        self.default_names = self.key_names | self.default_names
        self._name_others()

    def _name_others(self) -> None:
        """Name nodes of property graphs that only an internal ID names by a property that shows which one they are."""
        if not self._node_rows:
            return
        keys = list(self._entities)
        unnamed = {
            row
            for row in self._node_rows
            if keys[row - 1] not in self.default_names and is_internal_id(keys[row - 1].rpartition(":")[2])
        }
        for row, properties in self._properties.of_nodes(unnamed):
            name = self.clean(readable_value(properties) or "")
            if name and field_problem("name", name) is None:
                self.default_names[keys[row - 1]] = name

    def _triples(self) -> Triples:
        """Build the distinct triples, and free the memory of the collected rows."""
        ends, relations = np.array(self._ends, np.int64).reshape(-1, 2), np.array(self._steps, np.int64)
        self._ends, self._steps = array("i"), array("i")
        self._content.update(b"".join(column.astype("<i4").tobytes() for column in (ends, relations)))
        if self.keeps_repeated:
            return Triples(ends[:, 0], relations, ends[:, 1], np.arange(1, len(ends) + 1))
        return distinct(ends[:, 0], relations, ends[:, 1], self._separate)

    def _names(self) -> list[str]:
        """Return the name of each entity, in the order of row ids, which start at 1."""
        labels = {entity: min(found, key=lambda label: label[0])[1] for entity, found in self._labels.items()}
        return [labels.get(key) or self.default_names.get(key, key) for key in self._entities]

    def _write_entities(self, names: Sequence[str], degree: Sequence[int], triples: Triples) -> None:
        set_ids, sets = characteristic_sets(triples, len(names))
        self._connection.executemany("INSERT INTO kinds VALUES (?, ?)", ((k, json.dumps(s)) for k, s in sets.items()))
        rows = zip(self._entities.values(), self._entities, names, degree, set_ids.tolist(), strict=True)
        self._connection.executemany("INSERT INTO entities VALUES (?, ?, ?, ?, ?)", rows)
        self._connection.execute(ENTITIES_BY_KEY)

    def _other_names(self, names: Sequence[str]) -> tuple[list[tuple[int, str]], int]:
        """Return the aliases with their entities' row ids, and the number of names whose entity does not exist."""
        for entity, found in self._labels.items():
            self._aliases.update(((entity, name), None) for _, name in found)
        used = [(self._entities[entity], name) for entity, name in self._aliases if entity in self._entities]
        others = [alias for alias in self._aliases if alias[0] not in self._entities]
        by_name = self._rows_by_name(names) if others else {}
        used += [(row, name) for node, name in others for row in by_name.get(node, ())]
        unused = sum(node not in by_name for node, _ in others)
        return [(row, name) for row, name in dict.fromkeys(used) if name != names[row - 1]], unused

    def _rows_by_name(self, names: Sequence[str]) -> Mapping[str, Sequence[int]]:
        """Return the row ids of the nodes of property graphs by their names, by which files of facts mention them."""
        rows: dict[str, list[int]] = defaultdict(list)
        for row in dict.fromkeys(self._node_rows):
            rows[names[row - 1]].append(row)
        return rows
