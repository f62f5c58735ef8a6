"""List the elements of a schema that a plan can name: kinds, connections, and properties."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from graph.plan.schema import GraphSchema, PropertySchema
from graph.plan.values import ValueType
from language.english.stems import nouns_of, stems_of
from services.retriever.plans.schema.spans import DURATION, Span, span_of
from services.retriever.plans.schema.value_types import DATES

_WITHOUT_KINDS = frozenset({("", "")})


@dataclass(frozen=True, slots=True)
class Connection:
    """Describe the relationships of one type that leave the nodes of one kind; the type may have further `names`."""

    source: str
    type: str
    targets: frozenset[str]
    names: tuple[str, ...] = ()

    @property
    def is_within_kind(self) -> bool:
        """Return whether a relationship can connect two nodes of the same kind, so that its direction matters."""
        return self.source in self.targets


@dataclass(frozen=True, slots=True)
class OwnedProperty:
    """Describe a property of a kind, or of a relationship type; it is computed if it has a `span`."""

    owner: str
    key: str
    of_relationship: bool
    schema: PropertySchema
    span: Span | None = None


@dataclass(frozen=True)
class SchemaElements:
    """Number the elements of a schema; actions refer to them by these numbers."""

    kinds: tuple[str, ...]
    connections: tuple[Connection, ...]
    properties: tuple[OwnedProperty, ...]
    name_properties: Mapping[str, str]
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of kinds
    inferred: frozenset[str] = frozenset()  # kinds

    @classmethod
    def of(cls, schema: GraphSchema) -> "SchemaElements":
        """List the elements of a schema in a fixed order.

        Values that a graph of triples stores both as nodes and as properties are listed as properties only. Durations
        are listed as numbers, because people compare them like these, and so is the time from a start to an end.
        """
        schema = _without_value_nodes(schema)
        ends = {type_: found.ends or _WITHOUT_KINDS for type_, found in sorted(schema.relationships.items())}
        connections = [
            Connection(
                source,
                type_,
                frozenset(target for start, target in pairs if start == source),
                schema.relationships[type_].names,
            )
            for type_, pairs in ends.items()
            for source in sorted({start for start, _ in pairs})
        ]
        kinds = {kind: found.properties for kind, found in schema.kinds.items()}
        types = {type_: found.properties for type_, found in schema.relationships.items()}
        properties = [
            one
            for of_relationship, owners in ((False, kinds), (True, types))
            for owner, found in sorted(owners.items())
            for one in _properties(owner, of_relationship, found)
        ]
        names = {kind: found.name_property for kind, found in schema.kinds.items() if found.name_property}
        synonyms = {kind: found.nouns for kind, found in schema.kinds.items() if found.nouns}
        inferred = frozenset(kind for kind, found in schema.kinds.items() if found.is_inferred)
        return cls(tuple(sorted(schema.kinds)), tuple(connections), tuple(properties), names, synonyms, inferred)

    @cached_property
    def property_numbers(self) -> Mapping[tuple[bool, str, str], int]:
        """Map (of_relationship, owner, key) to the number of the property."""
        return {(one.of_relationship, one.owner, one.key): number for number, one in enumerate(self.properties)}

    @cached_property
    def connection_numbers(self) -> Mapping[tuple[str, str], int]:
        """Map (source kind, type) to the number of the connection."""
        return {(one.source, one.type): number for number, one in enumerate(self.connections)}

    @cached_property
    def own_stems(self) -> list[list[frozenset[str]]]:
        """Return the stems of the names that are each element's own: a kind and its synonyms, a type, or a key.

        What the owner calls an element is its own name as well.
        """
        names = [
            *([kind, *self.synonyms.get(kind, ())] for kind in self.kinds),
            *([connection.type, *connection.names] for connection in self.connections),
            *([one.key, *one.schema.names] for one in self.properties),
        ]
        return [list(map(stems_of, own)) for own in names]

    @cached_property
    def type_names(self) -> Mapping[str, tuple[str, ...]]:
        """Return the further names of each relationship type."""
        return {one.type: one.names for one in self.connections}

    @cached_property
    def kind_nouns(self) -> Mapping[str, tuple[frozenset[str], ...]]:
        """Return the nouns of the names of each kind, and of its synonyms; a shipper is no ship."""
        return {kind: tuple(map(nouns_of, (kind, *self.synonyms.get(kind, ())))) for kind in self.kinds}

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the stems of all words of the names."""
        return frozenset(root for own in self.own_stems for stems in own for root in stems)

    @cached_property
    def name_keys(self) -> frozenset[str]:
        """Return the properties that name nodes."""
        return frozenset(self.name_properties.values())

    @cached_property
    def name_numbers(self) -> frozenset[int]:
        """Return the numbers of the properties that name nodes."""
        return frozenset(self.property_numbers[False, kind, key] for kind, key in self.name_properties.items())

    @cached_property
    def date_keys(self) -> frozenset[str]:
        """Return the keys of the properties that hold dates."""
        return frozenset(one.key for one in self.properties if one.schema.content in DATES)

    @cached_property
    def roots(self) -> frozenset[str]:
        """Return the stems of the names that consist of one word."""
        return frozenset(root for own in self.own_stems for stems in own if len(stems) == 1 for root in stems)

    def kinds_after(self, connection: int, is_inverse: bool) -> frozenset[str]:
        """Return the kinds that nodes can have at the other end of a connection."""
        found = self.connections[connection]
        return frozenset((found.source,)) if is_inverse else found.targets

    def sources_of_type(self, connection: int) -> frozenset[str]:
        """Return the kinds that relationships of the type of a connection can leave."""
        type_ = self.connections[connection].type
        return frozenset(one.source for one in self.connections if one.type == type_)

    def are_named(self, kinds: frozenset[str]) -> bool:
        """Return whether nodes of some of these kinds have a name."""
        return not kinds.isdisjoint(self.name_properties)


def _properties(owner: str, of_relationship: bool, found: Mapping[str, PropertySchema]) -> list[OwnedProperty]:
    """List properties by their keys, then the duration of what has a start and an end."""
    listed = [OwnedProperty(owner, key, of_relationship, _with_numbers(found[key])) for key in sorted(found)]
    if (span := span_of(found)) is not None:
        described = PropertySchema(frozenset((ValueType.STRING,)), ValueType.FLOAT, found[span.end].count)
        listed.append(OwnedProperty(owner, DURATION, of_relationship, replace(described, holds_durations=True), span))
    return listed


def _with_numbers(described: PropertySchema) -> PropertySchema:
    return replace(described, content=ValueType.FLOAT) if described.are_durations else described


def _without_value_nodes(schema: GraphSchema) -> GraphSchema:
    """Leave out the nodes without a kind, beside others with kinds, if they have nothing but their names."""
    unnamed = schema.kinds.get("")
    if unnamed is None or len(schema.kinds) == 1 or set(unnamed.properties) - {unnamed.name_property}:
        return schema
    kinds = {kind: found for kind, found in schema.kinds.items() if kind}
    relationships = {
        type_: replace(found, ends=ends)
        for type_, found in schema.relationships.items()
        if (ends := frozenset(pair for pair in found.ends if all(pair)))
    }
    return replace(schema, kinds=kinds, relationships=relationships)
